import { formatAddress, parseAddress } from "../../../core/net/net.ts";

/** Addresses and cards between bytes and text. */

/** An address of 4 or 16 bytes as text, as inet_ntop(3) writes it; null for another length. */
export function addressText(bytes: Uint8Array | undefined): string | null {
  if (bytes?.length === 4) return bytes.join(".");
  if (bytes?.length !== 16) return null;
  let value = 0n;
  for (const byte of bytes) value = value << 8n | BigInt(byte);
  // Addresses that hold one of IPv4 show it.
  const high = value >> 32n;
  const low = value & 0xffffffffn;
  if (high === 0xffffn || (high === 0n && low > 0xffffn)) {
    return `${high === 0n ? "::" : "::ffff:"}${bytes.subarray(12).join(".")}`;
  }
  return formatAddress({ family: 6, value });
}

/** The bytes of an address; null for what is none. */
export function addressBytes(text: string): Uint8Array | null {
  const address = parseAddress(text);
  if (address === null) return null;
  const size = address.family === 4 ? 4 : 16;
  return Uint8Array.from(
    { length: size },
    (_, i) => Number(address.value >> BigInt(8 * (size - 1 - i)) & 255n),
  );
}

/** Bytes of a card's address as text. */
export function cardText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/** The bytes of a card's address, which must be one. */
export function cardBytes(text: string): Uint8Array {
  return Uint8Array.from(text.split(":"), (byte) => parseInt(byte, 16));
}

import { formatAddress, parseAddress } from "../../../core/net/net.ts";

/** IP and MAC addresses between bytes and text. */

/** An address of 4 or 16 bytes as text, as inet_ntop(3) writes it; null for another length. */
export function addressText(bytes: Uint8Array | undefined): string | null {
  if (bytes?.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (bytes?.length !== 16) return null;
  let value = 0n;
  for (const byte of bytes) value = value << 8n | BigInt(byte);
  // Embedded IPv4 addresses are shown.
  const high = value >> 32n;
  const low = value & 0xffffffffn;
  if (high === 0xffffn || (high === 0n && low > 0xffffn)) {
    return `${high === 0n ? "::" : "::ffff:"}${bytes.subarray(12).join(".")}`;
  }
  return formatAddress({ family: 6, value });
}

/** The bytes of an address; null for an invalid one. */
export function addressBytes(text: string): Uint8Array | null {
  const address = parseAddress(text);
  if (address === null) return null;
  const size = address.family === 4 ? 4 : 16;
  return Uint8Array.from(
    { length: size },
    (_, i) => Number(address.value >> BigInt(8 * (size - 1 - i)) & 255n),
  );
}

/** Each byte in two hexadecimal digits. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A MAC address as text. */
export function macText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += text === "" ? HEX[byte]! : `:${HEX[byte]!}`;
  return text;
}

/** The bytes of a valid MAC address. */
export function macBytes(text: string): Uint8Array {
  return Uint8Array.from(text.split(":"), (byte) => parseInt(byte, 16));
}

import { formatAddress, parseAddress } from "../../core/net/net.ts";

/** The bytes of an address: four or sixteen. Throws for an invalid one. */
export function addressBytes(text: string): Uint8Array<ArrayBuffer> {
  const address = parseAddress(text);
  if (address === null) throw new RangeError(`"${text}" is no address`);
  const size = address.family === 4 ? 4 : 16;
  return Uint8Array.from(
    { length: size },
    (_, i) => Number(address.value >> BigInt(8 * (size - 1 - i)) & 0xffn),
  );
}

/** The text of an address of four or sixteen bytes. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const value = bytes.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
  return formatAddress({ family: 6, value });
}

/** The reverse lookup name of an address (RFC 1035 3.5, RFC 3596 2.5). */
export function reverseName(text: string): string {
  const bytes = [...addressBytes(text)].reverse();
  if (bytes.length === 4) return `${bytes.join(".")}.in-addr.arpa`;
  return `${bytes.flatMap((b) => [b & 15, b >> 4]).map((n) => n.toString(16)).join(".")}.ip6.arpa`;
}

import { parseAddress } from "../../../system/core/net/net.ts";

/** `ff02::1`, everyone on the link, and its Ethernet address (RFC 2464 7). */
const EVERYONE = "ff02::1", EVERYONE_MAC = "33:33:00:00:00:01";
const ICMPV6 = 58;

function macBytes(text: string): readonly number[] {
  return text.split(":").map((pair) => parseInt(pair, 16));
}

function addressBytes(text: string): readonly number[] {
  const { value } = parseAddress(text)!;
  return Array.from({ length: 16 }, (_, i) => Number(value >> BigInt(120 - 8 * i) & 0xffn));
}

/** The internet checksum (RFC 1071) over the pseudo-header of RFC 8200 8.1 and a message. */
function checksum(pseudo: readonly number[], message: readonly number[]): number {
  const all = [...pseudo, ...message];
  let sum = 0;
  for (let i = 0; i < all.length; i += 2) sum += (all[i]! << 8) | (all[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** An Ethernet frame by which a machine says that it is a router of a /64 (RFC 4861 4.2, 4.6.2). */
export function routerAdvertisement(mac: string, prefix: string): Uint8Array<ArrayBuffer> {
  const source = addressBytes("fe80::1"), everyone = addressBytes(EVERYONE);
  const hour = [0, 0, 0x0e, 0x10];
  const message = [
    ...[134, 0, 0, 0, 64, 0, 0x07, 0x08, 0, 0, 0, 0, 0, 0, 0, 0],
    ...[3, 4, 64, 0xc0, ...hour, ...hour, 0, 0, 0, 0, ...addressBytes(prefix)],
  ];
  const size = [message.length >> 8, message.length & 255];
  const sum = checksum([...source, ...everyone, 0, 0, ...size, 0, 0, 0, ICMPV6], message);
  message[2] = sum >> 8;
  message[3] = sum & 255;
  return new Uint8Array([
    ...[...macBytes(EVERYONE_MAC), ...macBytes(mac), 0x86, 0xdd],
    ...[0x60, 0, 0, 0, ...size, ICMPV6, 255, ...source, ...everyone],
    ...message,
  ]);
}

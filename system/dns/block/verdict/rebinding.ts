import { parseAddress } from "../../../core/net/net.ts";

/** IPv4 networks that are not on the Internet (RFC 6890): address and prefix length. */
const NON_PUBLIC_IPV4: readonly (readonly [number, number])[] = [
  [0x00000000, 8], // this network
  [0x0a000000, 8], // private, RFC 1918
  [0x64400000, 10], // carrier-grade NAT, RFC 6598
  [0x7f000000, 8], // loopback
  [0xa9fe0000, 16], // link-local, RFC 3927
  [0xac100000, 12], // private
  [0xc0a80000, 16], // private
  [0xe0000000, 3], // multicast and reserved, broadcast among it
];

/** IPv6 networks that are not on the Internet: address and prefix length. */
const NON_PUBLIC_IPV6: readonly (readonly [bigint, number])[] = [
  [0n, 127], // :: and ::1
  [0x64ff9b0001n << 80n, 48], // local-use translation, RFC 8215
  [0x100n << 112n, 64], // discard-only, RFC 6666
  [0xfc00n << 112n, 7], // unique local, RFC 4193
  [0xfe80n << 112n, 10], // link-local
  [0xfec0n << 112n, 10], // site-local, RFC 3879
  [0xff00n << 112n, 8], // multicast
];

/** IPv6 networks that embed an IPv4 address: address, prefix length, and its shift from the right. */
const IPV4_EMBEDDING: readonly (readonly [bigint, number, bigint])[] = [
  [0xffffn << 32n, 96, 0n], // IPv4-mapped, RFC 4291 2.5.5.2
  [0n, 96, 0n], // IPv4-compatible, RFC 4291 2.5.5.1
  [0x64ff9bn << 96n, 96, 0n], // NAT64, RFC 6052
  [0x2002n << 112n, 16, 80n], // 6to4, RFC 3056
];

/** True for an IPv4 address, as an unsigned number, that is not on the Internet. */
export function isNonPublicIpv4(address: number): boolean {
  for (let i = 0; i < NON_PUBLIC_IPV4.length; i++) {
    const network = NON_PUBLIC_IPV4[i]!;
    if ((address ^ network[0]) >>> (32 - network[1]) === 0) return true;
  }
  return false;
}

/**
 * True for an address that DNS rebinding protection blocks in an upstream's answer: private, shared,
 * loopback, link-local, multicast and reserved ones, also embedded in IPv6 addresses. Invalid text
 * counts as one.
 */
export function isNonPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null) return true;
  if (address.family === 4) return isNonPublicIpv4(Number(address.value));
  return isNonPublicIpv6(address.value);
}

function isNonPublicIpv6(value: bigint): boolean {
  const isIn = (first: bigint, prefix: number): boolean =>
    value >> BigInt(128 - prefix) === first >> BigInt(128 - prefix);
  return NON_PUBLIC_IPV6.some(([first, prefix]) => isIn(first, prefix)) ||
    IPV4_EMBEDDING.some(([first, prefix, shift]) =>
      isIn(first, prefix) && isNonPublicIpv4(Number(value >> shift & 0xffffffffn))
    );
}

/** As {@link isNonPublicAddress}, of the four or sixteen bytes of an address in a message. */
export function isNonPublicAt(bytes: Uint8Array, at: number, size: number): boolean {
  if (size === 4) return isNonPublicIpv4(number4(bytes, at));
  return isNonPublicIpv6(
    BigInt(number4(bytes, at)) << 96n | BigInt(number4(bytes, at + 4)) << 64n |
      BigInt(number4(bytes, at + 8)) << 32n | BigInt(number4(bytes, at + 12)),
  );
}

function number4(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24 | bytes[at + 1]! << 16 | bytes[at + 2]! << 8 | bytes[at + 3]!) >>> 0;
}

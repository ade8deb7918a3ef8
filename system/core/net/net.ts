/** An address family as a number, as in `ip -4` and `ip -6`. */
export type Family = 4 | 6;

/** A parsed address: its family and its value as an unsigned integer. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

const DOT = 46, ZERO = 48;

/** The value of a dotted quad without leading zeros, or null. */
export function parseIpv4(text: string): number | null {
  let value = 0, octet = 0, digits = 0, dots = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === DOT) {
      if (digits === 0 || ++dots > 3) return null;
      value = value * 256 + octet;
      octet = digits = 0;
      continue;
    }
    const digit = sign - ZERO;
    if (digit < 0 || digit > 9 || (digits > 0 && octet === 0)) return null;
    octet = octet * 10 + digit;
    if (octet > 255) return null;
    digits++;
  }
  return dots === 3 && digits > 0 ? value * 256 + octet : null;
}

/** The dotted quad of an unsigned 32-bit value. */
export function formatIpv4(value: number): string {
  return `${value >>> 24}.${value >>> 16 & 255}.${value >>> 8 & 255}.${value & 255}`;
}

/** A network of IPv4 as numbers: first address, last address, prefix length. */
export interface Range4 {
  readonly first: number;
  readonly last: number;
  readonly prefix: number;
}

/** The span of an IPv4 CIDR or single address (host bits are dropped), or null. */
export function parseRange4(text: string): Range4 | null {
  const slash = text.indexOf("/");
  const address = parseIpv4(slash < 0 ? text : text.slice(0, slash));
  if (address === null) return null;
  const length = slash < 0 ? "32" : text.slice(slash + 1);
  if (!/^(0|[1-9]\d?)$/.test(length)) return null;
  const prefix = Number(length);
  if (prefix > 32) return null;
  const size = 2 ** (32 - prefix);
  const first = address - address % size;
  return { first, last: first + size - 1, prefix };
}

/** True where no machine has its address: RFC 6890 "this network", loopback, multicast, reserved. */
export function isUnroutable(value: number): boolean {
  const first = value >>> 24;
  return first === 0 || first === 127 || first >= 224;
}

/** True when the address lies in the span. */
export function inRange4(range: Range4, address: number): boolean {
  return address >= range.first && address <= range.last;
}

/** True when two spans share an address. */
export function overlaps4(a: Range4, b: Range4): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/**
 * Parses an address of either family. IPv6 follows RFC 4291 2.2 (compressed, embedded dotted quad);
 * a zone (`%eth0`) is refused, an IPv4-mapped address stays IPv6. Returns null when malformed.
 */
export function parseAddress(text: string): Address | null {
  if (!text.includes(":")) {
    const value = parseIpv4(text);
    return value === null ? null : { family: 4, value: BigInt(value) };
  }
  const value = parseIpv6(text);
  return value === null ? null : { family: 6, value };
}

function parseIpv6(text: string): bigint | null {
  let source = text;
  const lastColon = source.lastIndexOf(":");
  if (source.includes(".")) {
    const tail = parseIpv4(source.slice(lastColon + 1));
    if (tail === null) return null;
    source = source.slice(0, lastColon + 1) + (tail >>> 16).toString(16) + ":" +
      (tail & 0xffff).toString(16);
  }
  const halves = source.split("::");
  if (halves.length > 2) return null;
  const head = halves[0] === "" ? [] : halves[0]!.split(":");
  const tail = halves.length < 2 || halves[1] === "" ? [] : halves[1]!.split(":");
  const gap = 8 - head.length - tail.length;
  if (halves.length === 2 ? gap < 1 : gap !== 0) return null;
  const words = [...head, ...Array<string>(halves.length === 2 ? gap : 0).fill("0"), ...tail];
  let value = 0n;
  for (const word of words) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(word)) return null;
    value = value << 16n | BigInt(parseInt(word, 16));
  }
  return value;
}

/** The IPv4 address of an IPv4-mapped one (RFC 4291 2.5.5.2), or the address itself: who it is of is one machine. */
export function unmapped(address: Address): Address {
  return address.family === 6 && address.value >> 32n === 0xffffn
    ? { family: 4, value: address.value & 0xffffffffn }
    : address;
}

/** The canonical text of an address (RFC 5952 for IPv6). */
export function formatAddress(address: Address): string {
  if (address.family === 4) return formatIpv4(Number(address.value));
  const words = Array.from(
    { length: 8 },
    (_, i) => Number(address.value >> BigInt(112 - 16 * i) & 0xffffn),
  );
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && words[end] === 0) end++;
    if (end - i > best.length) best = { start: i, length: end - i };
  }
  const hex = words.map((word) => word.toString(16));
  if (best.start < 0) return hex.join(":");
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.length).join(":")}`;
}

/** What sources are counted by: an IPv4 address, or the /64 of an IPv6 address. */
export function sourceKey(source: string): string {
  const parsed = parseAddress(source.replace(/%.*$/, ""));
  if (parsed === null) return source;
  const address = unmapped(parsed);
  if (address.family === 4) return formatAddress(address);
  return `${formatAddress({ family: 6, value: address.value >> 64n << 64n })}/64`;
}

/**
 * A MAC address as six lower-case pairs joined by `:`, from any case and from `:` or `-` between the
 * pairs; null when it is none.
 */
export function normalizeMac(text: string): string | null {
  if (!/^[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}$/.test(text)) return null;
  return text.toLowerCase().replaceAll("-", ":");
}

/** True for a group (multicast or broadcast) address, which no single interface has (IEEE 802, I/G bit). */
export function isGroupMac(mac: string): boolean {
  return (parseInt(mac.slice(0, 2), 16) & 1) === 1;
}

/** Networks without those that lie inside another: the kernel refuses overlaps in one set. */
export function mergeNetworks(networks: readonly string[]): readonly string[] {
  const parsed = networks.flatMap((text) => {
    const range = parseRange4(text);
    return range ? [{ text, range }] : [];
  });
  // Broader ones first, so that what holds a network is known before it.
  const order = [...parsed].sort((a, b) => a.range.prefix - b.range.prefix);
  const held = new Set<string>();
  const prefixes = new Set<number>();
  const kept = new Set<(typeof parsed)[number]>();
  for (const one of order) {
    const covered = [...prefixes].some((prefix) => {
      const size = 2 ** (32 - prefix);
      return held.has(`${one.range.first - one.range.first % size}/${prefix}`);
    });
    if (covered) continue;
    held.add(`${one.range.first}/${one.range.prefix}`);
    prefixes.add(one.range.prefix);
    kept.add(one);
  }
  return parsed.filter((one) => kept.has(one)).map(({ text }) => text);
}

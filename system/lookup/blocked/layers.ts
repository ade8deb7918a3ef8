import { parseAddress } from "../../core/net/net.ts";
import type { PrefixGroup } from "../../core/kernel/blocked_ranges.ts";

/** A range of addresses, and the position of who blocks it. */
export type Owned = readonly [first: bigint, last: bigint, owner: number];

/** Owner of addresses that nobody may block. */
const RESERVED = -1;

/**
 * What is never blocked, whatever a list says: networks that are not on the Internet (RFC 6890), as the
 * LAN is, and of IPv6 all but global unicast (RFC 4291 2.4).
 */
const RESERVED_RANGES: Readonly<Record<4 | 6, readonly Owned[]>> = {
  4: [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "224.0.0.0/3",
  ].map((text) => [...spanOf(text)!, RESERVED]),
  6: [
    [0n, (0x2000n << 112n) - 1n, RESERVED],
    [0x4000n << 112n, (1n << 128n) - 1n, RESERVED],
  ],
};

/** First and last address of a prefix or an address; null: it is none. */
export function spanOf(text: string): readonly [bigint, bigint] | null {
  const [address, length, ...more] = text.split("/");
  const parsed = parseAddress(address ?? "");
  if (parsed === null || more.length > 0) return null;
  const bits = parsed.family === 4 ? 32 : 128;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return null;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return null;
  const size = 1n << BigInt(bits - prefix);
  const first = parsed.value / size * size;
  return [first, first + size - 1n];
}

/** Ranges in ascending order without overlaps: of two that overlap, the one that begins first keeps its part. */
export function disjoint(ranges: readonly Owned[]): readonly Owned[] {
  const sorted = [...ranges].sort(([a, , x], [b, , y]) => a < b ? -1 : a > b ? 1 : x - y);
  const result: Owned[] = [];
  let next = 0n;
  for (const [first, last, owner] of sorted) {
    const from = first < next ? next : first;
    if (last < from) continue;
    result.push([from, last, owner]);
    next = last + 1n;
  }
  return result;
}

/** Both layers, where the lower one has what it has; both are in order and without overlaps. */
function overlay(lower: readonly Owned[], upper: readonly Owned[]): readonly Owned[] {
  const result: Owned[] = [];
  let at = 0;
  for (const [first, last, owner] of upper) {
    let from = first;
    while (at < lower.length && lower[at]![1] < from) result.push(lower[at++]!);
    while (at < lower.length && lower[at]![0] <= last) {
      const [start, end] = lower[at]!;
      if (from < start) result.push([from, start - 1n, owner]);
      from = end + 1n;
      if (end > last) break;
      result.push(lower[at++]!);
    }
    if (from <= last) result.push([from, last, owner]);
  }
  result.push(...lower.slice(at));
  return result;
}

/**
 * The prefixes that hold exactly the addresses of these layers; where layers overlap, the first decides
 * whose an address is. Reserved addresses are left out.
 */
export function prefixGroups(
  family: 4 | 6,
  layers: readonly (readonly Owned[])[],
): readonly PrefixGroup[] {
  const all = layers.reduce(
    (lower, upper) => overlay(lower, upper),
    RESERVED_RANGES[family],
  );
  const bits = family === 4 ? 32 : 128;
  const byLength = new Map<number, { readonly addresses: bigint[]; readonly owners: number[] }>();
  for (const [first, last, owner] of all) {
    if (owner === RESERVED) continue;
    for (let from = first; from <= last;) {
      const length = bits - largestBlock(from, last, bits);
      let group = byLength.get(length);
      if (group === undefined) byLength.set(length, group = { addresses: [], owners: [] });
      group.addresses.push(from);
      group.owners.push(owner);
      from += 1n << BigInt(bits - length);
    }
  }
  return [...byLength].sort(([a], [b]) => a - b).map(([length, { addresses, owners }]) => ({
    family,
    length,
    addresses: wordsOf(family, addresses),
    owners: Uint16Array.from(owners),
  }));
}

/** Bits of the largest aligned block that begins at an address and ends by another. */
function largestBlock(from: bigint, last: bigint, bits: number): number {
  let size = 0;
  while (size < bits - 1) {
    const next = BigInt(size + 1);
    if ((from & (1n << next) - 1n) !== 0n || from + (1n << next) - 1n > last) break;
    size++;
  }
  return size;
}

function wordsOf(family: 4 | 6, addresses: readonly bigint[]): Uint32Array {
  if (family === 4) return Uint32Array.from(addresses, Number);
  const words = new Uint32Array(4 * addresses.length);
  addresses.forEach((value, index) => {
    for (let word = 0; word < 4; word++) {
      words[4 * index + word] = Number(value >> BigInt(96 - 32 * word) & 0xffffffffn);
    }
  });
  return words;
}

/**
 * Ranges of addresses that are blocked by country, network or list: prefixes by their length, each with
 * who blocks it. They are not part of the ruleset, since nothing that is compared at each change may be
 * as large; they are replaced as a whole.
 */
export interface BlockedRanges {
  readonly sources: readonly BlockSource[];
  readonly groups: readonly PrefixGroup[];
}

/** What blocks a range: a country code, the number of a network, or the number of a list. */
export interface BlockSource {
  readonly type: "country" | "asn" | "list";
  readonly key: string;
}

/** Prefixes of one length. */
export interface PrefixGroup {
  readonly family: 4 | 6;
  readonly length: number;
  /** Ascending: one word of 32 bits for IPv4, four for IPv6, high words first. */
  readonly addresses: Uint32Array;
  /** Position of each one's source. */
  readonly owners: Uint16Array;
}

/** Largest number of prefixes and of sources. */
const MAX_PREFIXES = 2_000_000;
const MAX_SOURCES = 65_535;

const MAGIC = 0x53424731;
const KEY = /^[A-Za-z0-9]{1,16}$/;

interface Header {
  readonly sources: readonly BlockSource[];
  readonly groups: readonly {
    readonly family: 4 | 6;
    readonly length: number;
    readonly count: number;
  }[];
}

/** Number of prefixes. */
export function countPrefixes({ groups }: BlockedRanges): number {
  return groups.reduce((sum, { owners }) => sum + owners.length, 0);
}

/** Ranges as bytes, as they go from process to process. */
export function encodeRanges({ sources, groups }: BlockedRanges): Uint8Array<ArrayBuffer> {
  const header: Header = {
    sources,
    groups: groups.map(({ family, length, owners }) => ({ family, length, count: owners.length })),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const size = groups.reduce(
    (sum, { addresses, owners }) => sum + addresses.byteLength + aligned(owners.byteLength),
    aligned(8 + text.length),
  );
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, text.length, true);
  bytes.set(text, 8);
  let at = aligned(8 + text.length);
  for (const { addresses, owners } of groups) {
    new Uint32Array(bytes.buffer, at, addresses.length).set(addresses);
    at += addresses.byteLength;
    new Uint16Array(bytes.buffer, at, owners.length).set(owners);
    at += aligned(owners.byteLength);
  }
  return bytes;
}

/** Reads {@link encodeRanges}. Throws RangeError for anything else: its sender is another process. */
export function decodeRanges(bytes: Uint8Array<ArrayBuffer>): BlockedRanges {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  if (whole.length < 8 || view.getUint32(0, true) !== MAGIC) throw malformed();
  const length = view.getUint32(4, true);
  if (8 + length > whole.length) throw malformed();
  const header = parseHeader(new TextDecoder().decode(whole.subarray(8, 8 + length)));
  let at = whole.byteOffset + aligned(8 + length);
  const end = whole.byteOffset + whole.byteLength;
  const groups = header.groups.map(({ family, length, count }): PrefixGroup => {
    const words = family === 4 ? count : 4 * count;
    if (at + 4 * words + aligned(2 * count) > end) throw malformed();
    const addresses = new Uint32Array(whole.buffer, at, words);
    const owners = new Uint16Array(whole.buffer, at + 4 * words, count);
    at += 4 * words + aligned(2 * count);
    if (owners.some((owner) => owner >= header.sources.length)) throw malformed();
    const group = { family, length, addresses, owners };
    if (!isMasked(group)) throw malformed();
    return group;
  });
  if (at !== end) throw malformed();
  return { sources: header.sources, groups };
}

function malformed(): RangeError {
  return new RangeError("These are no blocked ranges");
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function parseHeader(text: string): Header {
  const { sources, groups }: Header = JSON.parse(text);
  if (!Array.isArray(sources) || !Array.isArray(groups) || sources.length > MAX_SOURCES) {
    throw malformed();
  }
  const isSource = ({ type, key }: BlockSource): boolean =>
    ["country", "asn", "list"].includes(type) && KEY.test(key);
  let sum = 0;
  const isGroup = ({ family, length, count }: Header["groups"][number]): boolean => {
    const max = family === 4 ? 32 : family === 6 ? 128 : -1;
    sum += count;
    return Number.isInteger(length) && length >= 1 && length <= max && Number.isInteger(count) &&
      count >= 0 && sum <= MAX_PREFIXES;
  };
  if (!sources.every(isSource) || !groups.every(isGroup)) throw malformed();
  const names = new Set(groups.map(({ family, length }) => `${family} ${length}`));
  if (names.size !== groups.length) throw malformed();
  return { sources, groups };
}

/** The words of a mask of so many bits. */
export function maskWords(family: 4 | 6, length: number): readonly number[] {
  return Array.from({ length: family === 4 ? 1 : 4 }, (_, word) => {
    const bits = Math.min(32, Math.max(0, length - 32 * word));
    return bits === 0 ? 0 : 0xffffffff << (32 - bits) >>> 0;
  });
}

function isMasked({ family, length, addresses }: PrefixGroup): boolean {
  const mask = maskWords(family, length);
  return addresses.every((word, at) => (word & ~mask[at % mask.length]!) === 0);
}

/** What blocks an address; null: nothing. */
export function blockerOfAddress(
  ranges: BlockedRanges,
  { family, value }: { readonly family: 4 | 6; readonly value: bigint },
): BlockSource | null {
  const shifts = family === 4 ? [0n] : [96n, 64n, 32n, 0n];
  return blockerOf(ranges, family, shifts.map((shift) => Number(value >> shift & 0xffffffffn)));
}

/** What blocks an address, given as its words; null: nothing. */
export function blockerOf(
  { sources, groups }: BlockedRanges,
  family: 4 | 6,
  address: readonly number[],
): BlockSource | null {
  for (const group of groups) {
    if (group.family !== family) continue;
    const mask = maskWords(family, group.length);
    const index = find(group.addresses, address.map((word, at) => (word & mask[at]!) >>> 0));
    if (index >= 0) return sources[group.owners[index]!]!;
  }
  return null;
}

/** Position of an address in an ascending list; -1: not there. */
function find(addresses: Uint32Array, wanted: readonly number[]): number {
  const width = wanted.length;
  const order = (index: number): number => {
    for (let word = 0; word < width; word++) {
      const [a, b] = [addresses[index * width + word]!, wanted[word]!];
      if (a !== b) return a < b ? -1 : 1;
    }
    return 0;
  };
  let low = 0, high = addresses.length / width;
  while (low < high) {
    const middle = low + high >>> 1;
    if (order(middle) < 0) low = middle + 1;
    else high = middle;
  }
  return low < addresses.length / width && order(low) === 0 ? low : -1;
}

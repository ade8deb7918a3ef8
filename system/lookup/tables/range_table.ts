/**
 * Ranges of addresses that each have a number: a network (ASN), or a country. A row holds from its start
 * to before that of the next; 0 stands for addresses that nobody has.
 */
export interface RangeTable {
  /** First addresses in ascending order: one word of 32 bits for IPv4, four for IPv6, high words first. */
  readonly starts: Uint32Array;
  /** Number of each row. */
  readonly values: Uint32Array;
}

/** Number of an IPv4 address; 0: none. */
export function find4({ starts, values }: RangeTable, address: number): number {
  let low = 0, high = starts.length;
  while (low < high) {
    const middle = low + high >>> 1;
    if (starts[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : values[low - 1]!;
}

/** Number of an IPv6 address, given as four words of 32 bits, high words first; 0: none. */
export function find6({ starts, values }: RangeTable, address: Uint32Array): number {
  const [a, b, c, d] = [address[0]!, address[1]!, address[2]!, address[3]!];
  let low = 0, high = values.length;
  while (low < high) {
    const middle = low + high >>> 1;
    const at = 4 * middle;
    const first = starts[at]!;
    const isAfter = first !== a
      ? first > a
      : starts[at + 1] !== b
      ? starts[at + 1]! > b
      : starts[at + 2] !== c
      ? starts[at + 2]! > c
      : starts[at + 3]! > d;
    if (isAfter) high = middle;
    else low = middle + 1;
  }
  return low === 0 ? 0 : values[low - 1]!;
}

/** An IPv6 address as four words of 32 bits, high words first. */
export function words6(value: bigint): Uint32Array {
  return Uint32Array.of(
    Number(value >> 96n),
    Number(value >> 64n & 0xffffffffn),
    Number(value >> 32n & 0xffffffffn),
    Number(value & 0xffffffffn),
  );
}

/** The IPv6 address whose words begin at an index. */
function value6(words: Uint32Array, at: number): bigint {
  return BigInt(words[at]!) << 96n | BigInt(words[at + 1]!) << 64n |
    BigInt(words[at + 2]!) << 32n | BigInt(words[at + 3]!);
}

/** First and last address and number of each range whose number is one of these, in ascending order. */
export function* rangesOf(
  { starts, values }: RangeTable,
  width: 1 | 4,
  wanted: ReadonlySet<number>,
): Generator<readonly [first: bigint, last: bigint, value: number]> {
  const start = (row: number): bigint =>
    width === 1 ? BigInt(starts[row]!) : value6(starts, 4 * row);
  const end = width === 1 ? 1n << 32n : 1n << 128n;
  for (let row = 0; row < values.length; row++) {
    if (!wanted.has(values[row]!)) continue;
    yield [start(row), (row + 1 < values.length ? start(row + 1) : end) - 1n, values[row]!];
  }
}

/** Bytes of a key. */
export const KEY_BYTES = 8;

/** Labels of the longest name (RFC 1035: 255 bytes, each label at least two of them). */
export const MOST_LABELS = 127;

/** Words that {@link hashSuffixes} may write. */
export const SUFFIX_WORDS = 2 * (MOST_LABELS + 1);

/** Rounds for each word and at the end; Linux keys its tables with 1 and 3 (`siphash.c`). */
const COMPRESSION = 1, FINAL = 3;

/** Where each label of the name that is hashed begins. */
const starts = new Uint8Array(MOST_LABELS);

/** The state of a HalfSipHash (Aumasson and Bernstein, reference code `halfsiphash.c`). */
let v0 = 0, v1 = 0, v2 = 0, v3 = 0;

function rounds(count: number): void {
  let a = v0, b = v1, c = v2, d = v3;
  for (let i = 0; i < count; i++) {
    a = (a + b) | 0;
    b = (b << 5 | b >>> 27) ^ a;
    a = a << 16 | a >>> 16;
    c = (c + d) | 0;
    d = (d << 8 | d >>> 24) ^ c;
    a = (a + d) | 0;
    d = (d << 7 | d >>> 25) ^ a;
    c = (c + b) | 0;
    b = (b << 13 | b >>> 19) ^ c;
    c = c << 16 | c >>> 16;
  }
  v0 = a;
  v1 = b;
  v2 = c;
  v3 = d;
}

/**
 * Hashes a name and each of its parents, the root first: pair `i` of `out` is the 64-bit HalfSipHash
 * of the name's last `i` labels, which are taken as they stand on the wire, the last label first. So
 * a parent's hash is met on the way to that of its children. Answers how many labels the name has.
 * The name is on the wire, in lower case and without pointers, and begins at `start`.
 */
export function hashSuffixes(
  key: readonly [number, number],
  name: Uint8Array,
  out: Uint32Array,
  start = 0,
): number {
  let labels = 0;
  for (let at = start; name[at]! !== 0; at += name[at]! + 1) {
    if (labels === MOST_LABELS || at >= name.length) break;
    starts[labels++] = at - start;
  }
  v0 = key[0] | 0;
  v1 = key[1] ^ 0xee;
  v2 = 0x6c796765 ^ key[0];
  v3 = 0x74656462 ^ key[1];
  let word = 0, length = 0;
  finish(word, length, out, 0);
  for (let label = labels - 1; label >= 0; label--) {
    const first = start + starts[label]!;
    const last = first + name[first]!;
    for (let at = first; at <= last; at++) {
      word |= name[at]! << ((length & 3) << 3);
      if ((++length & 3) !== 0) continue;
      v3 ^= word;
      rounds(COMPRESSION);
      v0 ^= word;
      word = 0;
    }
    finish(word, length, out, 2 * (labels - label));
  }
  return labels;
}

/** Writes the hash of what was taken so far, and goes on from where it was. */
function finish(word: number, length: number, out: Uint32Array, at: number): void {
  const a = v0, b = v1, c = v2, d = v3;
  const last = word | length << 24;
  v3 ^= last;
  rounds(COMPRESSION);
  v0 ^= last;
  v2 ^= 0xee;
  rounds(FINAL);
  out[at] = v1 ^ v3;
  v1 ^= 0xdd;
  rounds(FINAL);
  out[at + 1] = v1 ^ v3;
  v0 = a;
  v1 = b;
  v2 = c;
  v3 = d;
}

/** Maximum number of labels in a name (RFC 1035: 255 bytes, at least two for each label). */
export const MAX_LABELS = 127;

/** Words that {@link hashSuffixes} may write. */
export const SUFFIX_WORDS = 2 * (MAX_LABELS + 1);

/** HalfSipHash-1-3, as Linux uses for its hash tables (`siphash.c`). */
const COMPRESSION_ROUNDS = 1, FINALIZATION_ROUNDS = 3;

/** Offset of each label of the current name. */
const starts = new Uint8Array(MAX_LABELS);

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
 * Hashes a name and each of its parent domains, the root first: pair `i` of `out` is the 64-bit
 * HalfSipHash of the name's last `i` labels in wire format, the last label first, so that a parent's
 * hash is an intermediate result of its children's. Returns the number of labels. The name is in wire
 * format and lower case, without pointers, and begins at `start`.
 */
export function hashSuffixes(
  key: readonly [number, number],
  name: Uint8Array,
  out: Uint32Array,
  start = 0,
): number {
  let labels = 0;
  for (let at = start; name[at]! !== 0; at += name[at]! + 1) {
    if (labels === MAX_LABELS || at >= name.length) break;
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
      rounds(COMPRESSION_ROUNDS);
      v0 ^= word;
      word = 0;
    }
    finish(word, length, out, 2 * (labels - label));
  }
  return labels;
}

/** Writes the hash of the input so far and restores the state. */
function finish(word: number, length: number, out: Uint32Array, at: number): void {
  const a = v0, b = v1, c = v2, d = v3;
  const last = word | length << 24;
  v3 ^= last;
  rounds(COMPRESSION_ROUNDS);
  v0 ^= last;
  v2 ^= 0xee;
  rounds(FINALIZATION_ROUNDS);
  out[at] = v1 ^ v3;
  v1 ^= 0xdd;
  rounds(FINALIZATION_ROUNDS);
  out[at + 1] = v1 ^ v3;
  v0 = a;
  v1 = b;
  v2 = c;
  v3 = d;
}

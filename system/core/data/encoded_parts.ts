/** Characters of a part: some tenths of a millisecond. */
const PART = 256 << 10;

const encoder = new TextEncoder();

/** A long text as UTF-8, part by part. Joined they are what it is as a whole. */
export function* encodedParts(text: string): Generator<Uint8Array<ArrayBuffer>, void> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PART, text.length);
    // Two code units of one character stay together.
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    yield encoder.encode(text.slice(from, to));
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Texts in one block of memory, by their position. */
export interface TextList {
  /** Where each text begins, and where the last one ends. */
  readonly offsets: Uint32Array;
  /** UTF-8. */
  readonly bytes: Uint8Array;
}

const decoder = new TextDecoder();

/** The text at a position; empty where there is none. */
export function textAt({ offsets, bytes }: TextList, index: number): string {
  const [from, to] = [offsets[index], offsets[index + 1]];
  return from === undefined || to === undefined ? "" : decoder.decode(bytes.subarray(from, to));
}

/** Puts texts into one block of memory. */
export function textList(texts: readonly string[]): TextList {
  const encoded = new TextEncoder().encode(texts.join(""));
  const offsets = new Uint32Array(texts.length + 1);
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(4096);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    offsets[index] = at;
    at += text.length * 3 <= scratch.length
      ? encoder.encodeInto(text, scratch).written
      : encoder.encode(text).length;
  }
  offsets[texts.length] = at;
  return { offsets, bytes: encoded };
}

/** Position of a number in an ascending list; -1: not there. */
export function indexOf(sorted: Uint32Array | Float64Array, wanted: number): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = low + high >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted ? low : -1;
}

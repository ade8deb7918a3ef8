/*
 * Whole numbers of 0 to 2⁵³−1 in as few bytes as they need: seven bits each, the lowest first, the
 * eighth set where more follow (LEB128).
 */

/** Writes numbers one after the other into bytes that grow. */
export class VarintWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  /** Throws RangeError for what is no such number. */
  put(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Cannot write ${value}`);
    if (this.#length + 8 > this.#bytes.length) {
      const more = new Uint8Array(this.#bytes.length * 2);
      more.set(this.#bytes);
      this.#bytes = more;
    }
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = rest % 0x80 | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** What was written, as bytes of its own. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Reads what a {@link VarintWriter} wrote. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** True where nothing is left. */
  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next number. Throws RangeError where the bytes end before it does. */
  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++];
    if (byte === undefined) throw new RangeError("The bytes end within a number");
    // Most are small: without multiplication while 28 bits suffice.
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.#at++];
      if (byte === undefined || shift > 49) throw new RangeError("The bytes end within a number");
      value = shift < 28 ? value | (byte & 0x7f) << shift : value + (byte & 0x7f) * 2 ** shift;
    }
    return value;
  }
}

/**
 * Passes each number to `take` with its position in its group of four: a {@link VarintReader} for
 * millions of numbers. Throws RangeError where the bytes end within a number.
 */
export function eachNumber(
  bytes: Uint8Array,
  take: (position: number, number: number) => void,
): void {
  let position = 0;
  for (let at = 0; at < bytes.length;) {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      if (at >= bytes.length) throw new RangeError("The bytes end within a number");
      byte = bytes[at++]!;
      value = shift < 28 ? value | (byte & 0x7f) << shift : value + (byte & 0x7f) * 2 ** shift;
    }
    take(position, value);
    position = position + 1 & 3;
  }
}

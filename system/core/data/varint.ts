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
    let at = this.#at;
    let value = bytes[at++] ?? outside();
    if (value >= 0x80) {
      value &= 0x7f;
      for (let shift = 7, byte = 0x80; byte >= 0x80; shift += 7) {
        byte = bytes[at++] ?? outside();
        if (shift > 49) outside();
        // Most are small: without multiplication while 28 bits suffice.
        value = shift < 28 ? value | (byte & 0x7f) << shift : value + (byte & 0x7f) * 2 ** shift;
      }
    }
    this.#at = at;
    return value;
  }
}

function outside(): never {
  throw new RangeError("The bytes end within a number");
}

import { uint16 } from "../codec/constants.ts";

/** Bytes that are drawn at once: each call of the generator costs more than many bytes do. */
const DRAWN = 2048;

/** Random numbers from a source that answers so many bytes at each call. */
export class Dice {
  readonly #random: (length: number) => Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random;
  }

  /** A number of 16 bits. */
  word(): number {
    this.#have(2);
    this.#at += 2;
    return uint16(this.#bytes, this.#at - 2);
  }

  /** So many bytes, at most {@link DRAWN}; nobody else gets them. */
  bytes(count: number): Uint8Array {
    this.#have(count);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  #have(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    this.#bytes = this.#random(DRAWN);
    this.#at = 0;
  }
}

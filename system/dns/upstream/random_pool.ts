import { uint16 } from "../codec/constants.ts";

/** Bytes that are drawn at once: a call of the generator costs more than many bytes do. */
const POOL_BYTES = 2048;

/** Random numbers, drawn in bulk from a generator of bytes. */
export class RandomPool {
  readonly #random: (length: number) => Uint8Array;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(random: (length: number) => Uint8Array) {
    this.#random = random;
  }

  /** A number of 16 bits. */
  uint16(): number {
    this.#ensure(2);
    this.#at += 2;
    return uint16(this.#bytes, this.#at - 2);
  }

  /** Bytes that are handed out only once, at most {@link POOL_BYTES}. */
  bytes(count: number): Uint8Array {
    this.#ensure(count);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  #ensure(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    this.#bytes = this.#random(POOL_BYTES);
    this.#at = 0;
  }
}

/**
 * A keyed hash of 53 bits for names and queries, by which they are looked up; without the key nobody
 * can craft a collision. What is found is still compared byte for byte.
 */
export class NameKey {
  readonly #a: number;
  readonly #b: number;

  /** Two secret 32-bit numbers. */
  constructor(a: number, b: number) {
    this.#a = a | 0;
    this.#b = b | 0;
  }

  /** The key of a wire-format name, which ends with its zero byte. */
  of(name: Uint8Array, length: number): number {
    let a = this.#a, b = this.#b;
    for (let i = 0; i < length; i++) {
      const byte = name[i]!;
      a = Math.imul(a ^ byte, 0x01000193);
      a ^= a >>> 15;
      b = Math.imul(b + byte, 0xcc9e2d51);
      b = b << 13 | b >>> 19;
    }
    return mixed(a, b);
  }

  /** The key of a name with a number, from the key of the name. */
  with(of: number, more: number): number {
    return mixed(
      this.#a ^ Math.imul((of / 0x200000 | 0) ^ more, 0xcc9e2d51),
      this.#b + Math.imul((of | 0) ^ Math.imul(more, 0x85ebca6b), 0x01000193) | 0,
    );
  }
}

function mixed(first: number, second: number): number {
  let a = first, b = second;
  a = Math.imul(a ^ b >>> 16, 0x85ebca6b);
  b = Math.imul(b ^ a >>> 13, 0xc2b2ae35);
  a ^= b >>> 15;
  return (a >>> 0) * 0x200000 + (b >>> 11);
}

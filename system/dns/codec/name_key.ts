/**
 * A keyed number of 53 bits for names and what is asked of them, by which they are looked up; who does
 * not know the key cannot make two that meet. What is found is compared byte for byte all the same.
 */
export class NameKey {
  readonly #a: number;
  readonly #b: number;

  /** Two secret 32-bit numbers. */
  constructor(a: number, b: number) {
    this.#a = a | 0;
    this.#b = b | 0;
  }

  /** The key of a name on the wire, which ends with its zero byte. */
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

  /** The key of a name and a number that goes with it, from the key of the name. */
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

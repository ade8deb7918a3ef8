/** Names that are remembered at most: a power of two, of 8 bytes each. */
const SLOTS = 8192;

/**
 * Names that no list holds and about which nobody decided, so that the next question for one need not
 * be looked up in the large table. Each has one place; who comes later takes it.
 */
export class UndecidedNames {
  readonly #keys: Float64Array<ArrayBuffer> = new Float64Array(SLOTS).fill(-1);

  /** `key`: the keyed number of a name, of 53 bits. */
  has(key: number): boolean {
    return this.#keys[key & SLOTS - 1] === key;
  }

  add(key: number): void {
    this.#keys[key & SLOTS - 1] = key;
  }
}

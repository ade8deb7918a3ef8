/** Number of cached names: a power of two, 8 bytes each. */
const SLOTS = 8192;

/**
 * Cache of names without a block list entry or override, so that the next query for one skips the
 * large table. Direct-mapped: a later name replaces an earlier one in the same slot.
 */
export class UnmatchedNames {
  readonly #keys: Float64Array<ArrayBuffer> = new Float64Array(SLOTS).fill(-1);

  /** `key`: the keyed hash of a name, 53 bits. */
  has(key: number): boolean {
    return this.#keys[key & SLOTS - 1] === key;
  }

  add(key: number): void {
    this.#keys[key & SLOTS - 1] = key;
  }
}

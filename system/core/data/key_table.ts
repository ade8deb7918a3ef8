/** Room that a table begins with; a power of two. */
const INITIAL_CAPACITY = 16;

/**
 * Values by whole numbers from 0 on, for what comes and goes by the thousand in a second. A Map would
 * do the same, but one that was outgrown leads to the next, and so an old one keeps from the collector
 * of garbage all that was in those after it.
 */
export class KeyTable<T> {
  #keys: Float64Array<ArrayBuffer> = new Float64Array(INITIAL_CAPACITY).fill(-1);
  #values: (T | undefined)[] = new Array(INITIAL_CAPACITY).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): T | undefined {
    return this.#values[this.#slotOf(key)];
  }

  has(key: number): boolean {
    return this.#keys[this.#slotOf(key)] === key;
  }

  set(key: number, value: T): void {
    let slot = this.#slotOf(key);
    if (this.#keys[slot] !== key) {
      if (2 * (this.#size + 1) > this.#keys.length) {
        this.#grow();
        slot = this.#slotOf(key);
      }
      this.#size++;
      this.#keys[slot] = key;
    }
    this.#values[slot] = value;
  }

  delete(key: number): boolean {
    let hole = this.#slotOf(key);
    const keys = this.#keys, values = this.#values, mask = keys.length - 1;
    if (keys[hole] !== key) return false;
    this.#size--;
    // What stands behind and would have stood here moves up, so that every search goes on to end well.
    for (let next = (hole + 1) & mask; keys[next] !== -1; next = (next + 1) & mask) {
      if (((next - this.#home(keys[next]!)) & mask) < ((next - hole) & mask)) continue;
      keys[hole] = keys[next]!;
      values[hole] = values[next];
      hole = next;
    }
    keys[hole] = -1;
    values[hole] = undefined;
    return true;
  }

  clear(): void {
    this.#keys.fill(-1);
    this.#values.fill(undefined);
    this.#size = 0;
  }

  /** What is in it now, in no order. */
  entries(): readonly (readonly [number, T])[] {
    const list: [number, T][] = [];
    this.#keys.forEach((key, slot) => {
      if (key !== -1) list.push([key, this.#values[slot]!]);
    });
    return list;
  }

  #home(key: number): number {
    const mixed = Math.imul((key | 0) ^ (key / 0x200000 | 0), 0x9e3779b1);
    return (mixed ^ mixed >>> 15) & (this.#keys.length - 1);
  }

  /** Where a key stands, or the free place that it would take. */
  #slotOf(key: number): number {
    const keys = this.#keys, mask = keys.length - 1;
    let slot = this.#home(key);
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.entries();
    const room = 2 * this.#keys.length;
    this.#keys = new Float64Array(room).fill(-1);
    this.#values = new Array(room).fill(undefined);
    for (const [key, value] of before) {
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#values[slot] = value;
    }
  }
}

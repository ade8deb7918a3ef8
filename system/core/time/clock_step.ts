/** The time by a monotonic clock, counted on from the last trusted time. All are milliseconds. */
export class MonotonicEstimate {
  #wall: number;
  #steady: number;

  constructor(wall: number, steady: number) {
    this.#wall = wall;
    this.#steady = steady;
  }

  /** Counts on from another trusted time. */
  set(wall: number, steady: number): void {
    this.#wall = wall;
    this.#steady = steady;
  }

  /** The estimated wall clock at a time of the monotonic one. */
  at(steady: number): number {
    return this.#wall + steady - this.#steady;
  }
}

/** For how long a wall clock that stepped has kept its distance from the monotonic one. */
export class OffsetHold {
  readonly #tolerance: number;
  #held: { readonly offset: number; readonly since: number } | null = null;

  /** `tolerance`: milliseconds by which the offset may change without starting anew. */
  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  /** Milliseconds for which the offset has held; 0 at first, and after another step. */
  observe(wall: number, steady: number): number {
    const offset = wall - steady;
    if (this.#held === null || Math.abs(offset - this.#held.offset) > this.#tolerance) {
      this.#held = { offset, since: steady };
    }
    return steady - this.#held.since;
  }

  /** Forgets the step. */
  reset(): void {
    this.#held = null;
  }
}

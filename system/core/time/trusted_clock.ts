/** The wall clock may run so far from what is counted before it was set: two minutes, in milliseconds. */
const TOLERANCE_MS = 2 * 60_000;
/** A clock that was set is believed once it has held for this part of what it was set by… */
const TRUST_FRACTION = 10;
/** …a day at most, in milliseconds. */
const MAX_TRUST_DELAY_MS = 24 * 3600_000;
/** Where no earlier run is known, the first clock counts once it has stood for an hour, in milliseconds. */
const FIRST_TRUST_DELAY_MS = 3600_000;

/** What a held clock is made of. All are milliseconds. */
export interface TrustedClockOptions {
  /** Wall clock, unix milliseconds. */
  readonly wall: () => number;
  /** A monotonic clock. */
  readonly steady: () => number;
  /** The last time that was believed, of an earlier run; null for none. */
  readonly last: number | null;
}

/**
 * The wall clock, believed only once it has held. A machine without a battery starts at a wrong time,
 * and a time server may be wrong for a while: what ends by date would end for good. So time goes on as
 * it did, until the clock has stood by what it was set to for a tenth of the difference, a day at most:
 * after a night without power for an hour, after a year for a day. A first start knows of no time at
 * all: until a clock has stood for an hour, whatever it is set to is believed.
 */
export class TrustedClock {
  readonly #wall: () => number;
  readonly #steady: () => number;
  readonly #estimate: MonotonicEstimate;
  readonly #hold = new OffsetHold(TOLERANCE_MS);
  /** On the steady clock; before it, whatever the clock is set to is believed. */
  #provenAt: number;
  /** The wall clock was believed once since the start, so that no time without power is missing. */
  #isSettled: boolean;

  constructor({ wall, steady, last }: TrustedClockOptions) {
    this.#wall = wall;
    this.#steady = steady;
    const started = steady();
    this.#estimate = new MonotonicEstimate(last ?? wall(), started);
    this.#provenAt = last === null ? started + FIRST_TRUST_DELAY_MS : -Infinity;
    this.#isSettled = last === null;
  }

  /** The best guess of the time, unix milliseconds: for what is written down. */
  readonly now = (): number => {
    const wall = this.#wall(), steady = this.#steady();
    const counted = this.#estimate.at(steady);
    const off = Math.abs(wall - counted);
    if (off > TOLERANCE_MS) {
      if (steady < this.#provenAt) this.#provenAt = steady + FIRST_TRUST_DELAY_MS;
      else {
        const needed = Math.min(off / TRUST_FRACTION, MAX_TRUST_DELAY_MS);
        if (this.#hold.observe(wall, steady) < needed) return counted;
      }
    }
    this.#hold.reset();
    this.#estimate.set(wall, steady);
    this.#isSettled = true;
    return wall;
  };

  /** The time that it is at least, unix milliseconds: for what ends or is thrown away by date. */
  readonly surely = (): number => Math.min(this.now(), this.#wall());

  /**
   * The times that it may be, unix milliseconds, the best guess first. A start does not know how long the
   * power was away: until the wall clock is believed for the first time, it may be right as well.
   */
  readonly possible = (): readonly number[] => {
    const now = this.now();
    return this.#isSettled ? [now] : [now, this.#wall()];
  };

  /** True when there is a time that another start may go on from. */
  get isProven(): boolean {
    return this.#steady() >= this.#provenAt;
  }
}

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

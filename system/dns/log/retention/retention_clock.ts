const HOUR = 3_600_000, DAY = 24 * HOUR;
/**
 * Milliseconds by which the router's clock may go back or ahead at once without being doubted, and ahead
 * after a start, since nobody knows for how long there was no power.
 */
const BACK = HOUR, AHEAD = HOUR, AHEAD_AT_START = DAY;
/** Milliseconds of running after which a clock that was doubted is believed. */
const PROVEN = DAY;

/** What is kept of it with the log, in unix milliseconds. */
export interface Belief {
  /** What time it was, as far as is believed. */
  readonly at: number;
  /** What time was believed to be when the clock began to be doubted; null while it is not. */
  readonly doubtedSince: number | null;
}

/** What time it is for what is written and what is too old. */
export interface Look {
  /** Unix milliseconds from which the days of what is kept are counted back. */
  readonly now: number;
  /** What was written from a time on was written so much later than was believed; null for nothing. */
  readonly shift: { readonly from: number; readonly by: number } | null;
  readonly doubted: boolean;
  readonly belief: Belief;
}

/** What the clock is made of. */
export interface RetentionClockOptions {
  /** The router's clock, in unix milliseconds; anybody may set it. */
  readonly wall: () => number;
  /** Milliseconds of running, which nobody sets. */
  readonly steady: () => number;
  /** What was believed last; null for nothing. */
  readonly belief: Belief | null;
}

interface Doubt {
  readonly since: number;
  /** How far the clock is from the time of running, and since when by that. */
  offset: number;
  held: number;
}

/**
 * The time by which old queries are forgotten. A clock that leaps, as that of a machine that keeps no
 * time, is doubted: until it has been so for a day of running
 * nothing is older than by the time that ran meanwhile, nor than by the clock itself.
 */
export class RetentionClock {
  readonly #wall: () => number;
  readonly #steady: () => number;
  #at: number;
  #ran: number;
  #doubt: Doubt | null;
  /** True once the clock was believed in this run. */
  #settled = false;

  constructor({ wall, steady, belief }: RetentionClockOptions) {
    this.#wall = wall;
    this.#steady = steady;
    this.#at = belief?.at ?? wall();
    this.#ran = steady();
    this.#doubt = belief === null || belief.doubtedSince === null
      ? null
      : { since: belief.doubtedSince, offset: wall() - this.#ran, held: this.#ran };
  }

  /** The time to write down with what is written now, in unix milliseconds. */
  get stamp(): number {
    const expected = this.#expected, wall = this.#wall();
    // What is written in a doubt is shifted when that ends, which a look alone can tell.
    const believed = this.#doubt === null && this.#isLikely(wall, expected);
    return Math.floor(believed ? wall : expected);
  }

  /** Looks at the clock, which may end or begin a doubt. */
  look(): Look {
    const expected = this.#expected, wall = this.#wall(), steady = this.#steady();
    const doubt = this.#doubt;
    if (this.#isLikely(wall, expected) || (doubt !== null && this.#isProven(doubt, wall, steady))) {
      this.#at = wall;
      this.#ran = steady;
      this.#doubt = null;
      this.#settled = true;
      const shift = doubt === null ? null : { from: doubt.since, by: Math.round(wall - expected) };
      return { now: wall, shift, doubted: false, belief: { at: wall, doubtedSince: null } };
    }
    this.#doubt ??= { since: Math.floor(expected), offset: wall - steady, held: steady };
    const belief = { at: Math.floor(expected), doubtedSince: this.#doubt.since };
    return { now: Math.min(wall, expected), shift: null, doubted: true, belief };
  }

  get #expected(): number {
    return this.#at + this.#steady() - this.#ran;
  }

  #isLikely(wall: number, expected: number): boolean {
    const ahead = this.#settled ? AHEAD : AHEAD_AT_START;
    return wall >= expected - BACK && wall <= expected + ahead;
  }

  /** True when the clock has been as it is for long enough; one that leaps again begins anew. */
  #isProven(doubt: Doubt, wall: number, steady: number): boolean {
    const offset = wall - steady;
    if (Math.abs(offset - doubt.offset) > BACK) {
      doubt.offset = offset;
      doubt.held = steady;
    }
    return steady - doubt.held >= PROVEN;
  }
}

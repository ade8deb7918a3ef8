import { MonotonicEstimate, OffsetHold } from "../../../core/time/trusted_clock.ts";

const HOUR_MS = 3_600_000, DAY_MS = 24 * HOUR_MS;
/**
 * Steps of the wall clock that are trusted at once. After a start it may be further ahead, since the
 * power may have been off for any time.
 */
const MAX_STEP_BACK_MS = HOUR_MS, MAX_STEP_AHEAD_MS = HOUR_MS, MAX_STEP_AHEAD_AT_START_MS = DAY_MS;
/** A stepped clock is trusted after it has held for this time. */
const TRUSTED_AFTER_MS = DAY_MS;

/** The state of the clock, saved with the log, in unix milliseconds. */
export interface ClockState {
  /** The trusted time. */
  readonly at: number;
  /** The trusted time at which the wall clock became suspect; null while it is trusted. */
  readonly suspectSince: number | null;
}

/** The time by which retention deletes queries. */
export interface ClockReading {
  /** Unix milliseconds that ages are counted back from. */
  readonly now: number;
  /** Correction of write times from `from` on, once a suspect clock is trusted; null for none. */
  readonly shift: { readonly from: number; readonly by: number } | null;
  readonly isSuspect: boolean;
  readonly state: ClockState;
}

/** Options of a {@link RetentionClock}. */
export interface RetentionClockOptions {
  /** Wall clock, unix milliseconds; anyone may set it. */
  readonly wall: () => number;
  /** Monotonic clock in milliseconds. */
  readonly steady: () => number;
  /** The state that was saved last; null for none. */
  readonly state: ClockState | null;
}

/**
 * The clock of retention. After a step, as on a machine without a battery, the wall clock is suspect
 * until it has held for a day of uptime: until then no query is older than by the uptime since, nor
 * than by the wall clock itself.
 *
 * Stricter than the trusted clock, which it shares {@link OffsetHold} with: a wrong step here deletes
 * the log, so how long the clock must hold does not depend on the step, and the suspicion survives a
 * restart together with what was written meanwhile.
 */
export class RetentionClock {
  readonly #wall: () => number;
  readonly #steady: () => number;
  readonly #estimate: MonotonicEstimate;
  readonly #hold = new OffsetHold(MAX_STEP_BACK_MS);
  #suspectSince: number | null;
  /** True once the wall clock was trusted in this run. */
  #wasTrusted = false;

  constructor({ wall, steady, state }: RetentionClockOptions) {
    this.#wall = wall;
    this.#steady = steady;
    const started = steady();
    this.#estimate = new MonotonicEstimate(state?.at ?? wall(), started);
    this.#suspectSince = state?.suspectSince ?? null;
    if (this.#suspectSince !== null) this.#hold.observe(wall(), started);
  }

  /** The time to store with what is written now, in unix milliseconds. */
  get stamp(): number {
    const expected = this.#estimate.at(this.#steady()), wall = this.#wall();
    // Only a reading may end a suspicion, since it shifts what was written meanwhile.
    const isTrusted = this.#suspectSince === null && this.#isLikely(wall, expected);
    return Math.floor(isTrusted ? wall : expected);
  }

  /** Reads the clock, which may start or end a suspicion. */
  read(): ClockReading {
    const wall = this.#wall(), steady = this.#steady();
    const expected = this.#estimate.at(steady), since = this.#suspectSince;
    if (this.#isLikely(wall, expected) || (since !== null && this.#hasHeld(wall, steady))) {
      this.#estimate.set(wall, steady);
      this.#hold.reset();
      this.#suspectSince = null;
      this.#wasTrusted = true;
      const shift = since === null ? null : { from: since, by: Math.round(wall - expected) };
      return { now: wall, shift, isSuspect: false, state: { at: wall, suspectSince: null } };
    }
    if (since === null) this.#hold.observe(wall, steady);
    this.#suspectSince ??= Math.floor(expected);
    const state = { at: Math.floor(expected), suspectSince: this.#suspectSince };
    return { now: Math.min(wall, expected), shift: null, isSuspect: true, state };
  }

  #isLikely(wall: number, expected: number): boolean {
    const ahead = this.#wasTrusted ? MAX_STEP_AHEAD_MS : MAX_STEP_AHEAD_AT_START_MS;
    return wall >= expected - MAX_STEP_BACK_MS && wall <= expected + ahead;
  }

  #hasHeld(wall: number, steady: number): boolean {
    return this.#hold.observe(wall, steady) >= TRUSTED_AFTER_MS;
  }
}

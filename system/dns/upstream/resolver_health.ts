/** Failures in a row after which a resolver counts as down. */
const FAILURES = 3;
/** Milliseconds until a resolver that is down is tried again: the first time, and at most. */
const FIRST_REST = 1000, LONGEST_REST = 60_000;
/** Weight of the latest latency (RFC 6298 2.3 takes 1/8; here few questions must tell). */
const WEIGHT = 0.25;
/** What is taken off the latency of a resolver that was not asked, so that it is tried now and then. */
const FADE = 0.98;

/** What is known of a resolver outside, for people and for the choice. */
export interface Health {
  /** `unknown`: not asked yet. */
  readonly state: "unknown" | "up" | "down";
  /** Milliseconds, smoothed; null before the first answer. */
  readonly latency: number | null;
  readonly asked: number;
  readonly failed: number;
  /** Failures since the last answer. */
  readonly failures: number;
  /** Why it failed last; null when it never did. */
  readonly lastError: string | null;
}

/** Keeps what answers and failures say of one resolver. */
export class ResolverHealth {
  #latency: number | null = null;
  #rank = 0;
  #asked = 0;
  #failed = 0;
  #failures = 0;
  #rests = -Infinity;
  #lastError: string | null = null;

  answered(milliseconds: number): void {
    this.#asked++;
    this.#failures = 0;
    this.#latency = this.#latency === null
      ? milliseconds
      : this.#latency * (1 - WEIGHT) + milliseconds * WEIGHT;
    this.#rank = this.#latency;
  }

  failed(now: number, error: unknown): void {
    this.#asked++;
    this.#failed++;
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#failures++;
    this.#rank = Math.min(5000, Math.max(50, this.#rank * 2));
    if (this.#failures < FAILURES) return;
    this.#rests = now + Math.min(LONGEST_REST, FIRST_REST * 2 ** (this.#failures - FAILURES));
  }

  /** Told when another was chosen. */
  passedOver(): void {
    this.#rank *= FADE;
  }

  get down(): boolean {
    return this.#failures >= FAILURES;
  }

  /** True for one that is down and has rested long enough to be tried again. */
  mayBeTried(now: number): boolean {
    return this.down && now >= this.#rests;
  }

  /** Says that it is tried now: nobody else does until it has failed again or rested. */
  tried(now: number): void {
    this.#rests = now + FIRST_REST;
  }

  /** The lower, the sooner it is asked. */
  get rank(): number {
    return this.#rank;
  }

  /** Milliseconds to wait for it before another is asked as well. */
  get patience(): number {
    return this.#latency === null ? 700 : Math.min(1500, Math.max(250, this.#latency * 3));
  }

  get snapshot(): Health {
    return {
      state: this.down ? "down" : this.#latency === null ? "unknown" : "up",
      latency: this.#latency === null ? null : Math.round(this.#latency * 10) / 10,
      asked: this.#asked,
      failed: this.#failed,
      failures: this.#failures,
      lastError: this.#lastError,
    };
  }
}

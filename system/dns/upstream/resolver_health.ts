/** Consecutive failures after which a resolver is down. */
const MAX_FAILURES = 3;
/** Delay until a resolver that is down is probed: the first time, and at most. */
const MIN_PROBE_DELAY_MS = 1000, MAX_PROBE_DELAY_MS = 60_000;
/** Weight of the latest latency (RFC 6298 2.3 has 1/8; here few queries must be enough). */
const LATENCY_WEIGHT = 0.25;
/** Lowers the rank of a resolver that was not used, so that it is tried now and then. */
const UNUSED_RANK_FACTOR = 0.98;

/** Health of an upstream resolver. */
export interface HealthSnapshot {
  /** `unknown`: not used yet. */
  readonly state: "unknown" | "up" | "down";
  /** Milliseconds, smoothed; null before the first response. */
  readonly latency: number | null;
  readonly queries: number;
  readonly failed: number;
  /** Failures since the last response. */
  readonly consecutiveFailures: number;
  /** The last error; null when there was none. */
  readonly lastError: string | null;
}

/** Tracks the health of one resolver from its responses and failures. */
export class ResolverHealth {
  #latency: number | null = null;
  #rank = 0;
  #queries = 0;
  #failed = 0;
  #consecutiveFailures = 0;
  #probeAt = -Infinity;
  #lastError: string | null = null;

  recordResponse(milliseconds: number): void {
    this.#queries++;
    this.#consecutiveFailures = 0;
    this.#latency = this.#latency === null
      ? milliseconds
      : this.#latency * (1 - LATENCY_WEIGHT) + milliseconds * LATENCY_WEIGHT;
    this.#rank = this.#latency;
  }

  recordFailure(now: number, error: unknown): void {
    this.#queries++;
    this.#failed++;
    this.#lastError = error instanceof Error ? error.message : String(error);
    this.#consecutiveFailures++;
    this.raiseRank();
    if (!this.isDown) return;
    const delay = MIN_PROBE_DELAY_MS * 2 ** (this.#consecutiveFailures - MAX_FAILURES);
    this.#probeAt = now + Math.min(MAX_PROBE_DELAY_MS, delay);
  }

  /** Called when it was of no use: others go first for a while. */
  raiseRank(): void {
    this.#rank = Math.min(5000, Math.max(50, this.#rank * 2));
  }

  /** Called when another resolver was used. */
  lowerRank(): void {
    this.#rank *= UNUSED_RANK_FACTOR;
  }

  get isDown(): boolean {
    return this.#consecutiveFailures >= MAX_FAILURES;
  }

  /** True for one that is down and due for a probe. */
  mayProbe(now: number): boolean {
    return this.isDown && now >= this.#probeAt;
  }

  /** Called when it is probed: there is no other probe until it has failed again or the delay is over. */
  markProbed(now: number): void {
    this.#probeAt = now + MIN_PROBE_DELAY_MS;
  }

  /** The resolver with the lowest rank is used first. */
  get rank(): number {
    return this.#rank;
  }

  /** Milliseconds to wait for a response before another resolver is queried as well. */
  get hedgeDelay(): number {
    return this.#latency === null ? 700 : Math.min(1500, Math.max(250, this.#latency * 3));
  }

  get snapshot(): HealthSnapshot {
    return {
      state: this.isDown ? "down" : this.#latency === null ? "unknown" : "up",
      latency: this.#latency === null ? null : Math.round(this.#latency * 10) / 10,
      queries: this.#queries,
      failed: this.#failed,
      consecutiveFailures: this.#consecutiveFailures,
      lastError: this.#lastError,
    };
  }
}

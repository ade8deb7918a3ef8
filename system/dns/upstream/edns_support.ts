import type { Clock } from "../../core/time/clock.ts";

/** How long a resolver is queried without EDNS after it failed with it (unbound's `infra-host-ttl`). */
const RETRY_DELAY_MS = 900_000;
/** How long a response to a query with EDNS vouches for it: silence is loss then. */
const TRUST_MS = 10_000;
/** How long a query with EDNS is waited for before its silence says something. */
const SILENCE_MS = 200;

/**
 * Whether a resolver supports EDNS. One that does not is tried with it again after a while: there may
 * be another behind the same address, or something in between.
 */
export class EdnsSupport {
  readonly #clock: Clock;
  #retryAt = -Infinity;
  #answeredAt = -Infinity;
  /** Whether a query with EDNS was sent since the last response to one. */
  #isWaiting = false;
  /** Without a response with EDNS since: true once there was one without it. */
  #isReachable = false;
  /** When the first query with EDNS was sent after that. */
  #sentAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when the next query may have EDNS. */
  get isSupported(): boolean {
    return this.#retryAt === -Infinity || this.#clock.now() >= this.#retryAt;
  }

  /**
   * True while queries with EDNS may be dropped, by the resolver or on the way: the next attempt of a
   * query that got no response goes without it.
   */
  get isDoubtful(): boolean {
    return this.#isWaiting && this.#clock.now() - this.#answeredAt > TRUST_MS;
  }

  /** Called when a query is sent with EDNS. */
  markSent(): void {
    this.#isWaiting = true;
    if (this.#isReachable && this.#sentAt === Infinity) this.#sentAt = this.#clock.now();
  }

  /** Called when a query with EDNS got a response. */
  markAnswered(): void {
    this.#forget();
    this.#answeredAt = this.#clock.now();
  }

  /**
   * Called when an attempt without EDNS got a response, after silence with it. The first time the
   * resolver may just have come within reach; it counts when queries with EDNS got no response since.
   */
  markAnsweredWithout(): void {
    if (!this.isDoubtful) return;
    if (this.#clock.now() - this.#sentAt >= SILENCE_MS) this.markUnsupported();
    else this.#isReachable = true;
  }

  /** Called when a query failed with EDNS and not without it. */
  markUnsupported(): void {
    this.#forget();
    this.#retryAt = this.#clock.now() + RETRY_DELAY_MS;
  }

  #forget(): void {
    this.#isWaiting = this.#isReachable = false;
    this.#sentAt = Infinity;
  }
}

import type { Clock } from "../../core/time/clock.ts";

/** How long a resolver is queried without EDNS after it failed with it (unbound's `infra-host-ttl`). */
const RETRY_DELAY_MS = 900_000;

/**
 * Whether a resolver supports EDNS. One that does not is tried with it again after a while: there may
 * be another behind the same address, or something in between.
 */
export class EdnsSupport {
  readonly #clock: Clock;
  #retryAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when the next query may have EDNS. */
  get isSupported(): boolean {
    return this.#retryAt === -Infinity || this.#clock.now() >= this.#retryAt;
  }

  /** Called when a query failed with EDNS and not without it. */
  markUnsupported(): void {
    this.#retryAt = this.#clock.now() + RETRY_DELAY_MS;
  }
}

import type { Clock } from "../../core/time/clock.ts";

/** Milliseconds for which a resolver is spoken to without EDNS (unbound's `infra-host-ttl`). */
const PLAIN_FOR = 900_000;

/**
 * Whether a resolver takes EDNS. One that did not is asked plainly for a while and then with EDNS
 * again: it may have been another behind the same address, or something in between.
 */
export class EdnsMemory {
  readonly #clock: Clock;
  #plainUntil = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when the next question may have EDNS. */
  get taken(): boolean {
    return this.#plainUntil === -Infinity || this.#clock.now() >= this.#plainUntil;
  }

  /** Told when a question was a fault to the resolver with EDNS, and none without. */
  refused(): void {
    this.#plainUntil = this.#clock.now() + PLAIN_FOR;
  }
}

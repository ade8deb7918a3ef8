import type { Clock } from "../../core/time/clock.ts";

/** How long what was found out about a resolver counts, as with EDNS. */
const RETRY_DELAY_MS = 900_000;

/**
 * Whether a resolver answers names in mixed letter case. Some refuse them: that a refusal is about the
 * case shows when the same query is answered in lower case, and is remembered either way.
 */
export class CaseSupport {
  readonly #clock: Clock;
  #until = -Infinity;
  #state: "unknown" | "supported" | "unsupported" = "unknown";

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False while queries go in lower case. */
  get isMixed(): boolean {
    return this.#current !== "unsupported";
  }

  /** True when a refusal may be about the case. */
  get isDoubtful(): boolean {
    return this.#current === "unknown";
  }

  /** Called with the outcome of a query that was refused in mixed case and sent again in lower case. */
  mark(isSupported: boolean): void {
    this.#state = isSupported ? "supported" : "unsupported";
    this.#until = this.#clock.now() + RETRY_DELAY_MS;
  }

  get #current(): "unknown" | "supported" | "unsupported" {
    return this.#clock.now() < this.#until ? this.#state : "unknown";
  }
}

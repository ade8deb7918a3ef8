import { Problem } from "../../core/errors/problem.ts";
import { sourceKey } from "../password/failures.ts";

/** Failed passkey ceremonies within `window` milliseconds that block a source. */
const LOGIN_RATE_LIMIT = { failures: 5, window: 60_000 } as const;

const MAX_SOURCES = 4096;

/** Limits the rate of failed passkey ceremonies per source. */
export class PasskeyRateLimiter {
  readonly #now: () => number;
  readonly #failed = new Map<string, readonly number[]>();

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws Problem 429 while this source is blocked. */
  check(source: string): void {
    const recent = this.#recent(sourceKey(source));
    if (recent.length < LOGIN_RATE_LIMIT.failures) return;
    const wait = Math.max(
      1,
      Math.ceil((recent[0]! + LOGIN_RATE_LIMIT.window - this.#now()) / 1000),
    );
    throw new Problem(429, `Too many passkeys failed from this address; try again in ${wait} s`, {
      headers: { "retry-after": String(wait) },
    });
  }

  fail(source: string): void {
    const key = sourceKey(source);
    const recent = [...this.#recent(key), this.#now()].slice(-LOGIN_RATE_LIMIT.failures);
    this.#failed.delete(key);
    this.#failed.set(key, recent);
    if (this.#failed.size > MAX_SOURCES) this.#failed.delete(this.#failed.keys().next().value!);
  }

  #recent(key: string): readonly number[] {
    const now = this.#now();
    return (this.#failed.get(key) ?? []).filter((at) =>
      Math.abs(now - at) < LOGIN_RATE_LIMIT.window
    );
  }
}

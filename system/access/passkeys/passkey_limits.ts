import type { Attempts } from "../attempts.ts";
import { sourceKey } from "../../core/net/net.ts";

/** Failed passkey ceremonies within `window` milliseconds that block a source. */
const LOGIN_RATE_LIMIT = { most: 5, window: 60_000 } as const;

/** Limits the rate of failed passkey ceremonies per source. */
export class PasskeyRateLimiter {
  readonly #attempts: Attempts;

  constructor(attempts: Attempts) {
    this.#attempts = attempts;
  }

  /** Throws Problem 429 while this source is blocked. */
  check(source: string): void {
    this.#attempts.check(
      keyOf(source),
      LOGIN_RATE_LIMIT,
      "Too many passkeys failed from this address; try again in {wait} s",
    );
  }

  /** Counts a failure, durably once this resolves. */
  async fail(source: string): Promise<void> {
    await this.#attempts.add(keyOf(source), LOGIN_RATE_LIMIT);
  }
}

function keyOf(source: string): string {
  return `passkey ${sourceKey(source)}`;
}

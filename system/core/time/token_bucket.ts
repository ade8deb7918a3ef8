/** A token bucket: so many per second, and so many at once after a pause. */
export class TokenBucket {
  readonly #rate: number;
  readonly #burst: number;
  readonly #clock: () => number;
  #level: number;
  #at: number;

  /** `rate` each second; `clock` in milliseconds. */
  constructor(rate: number, burst: number, clock: () => number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#clock = clock;
    this.#level = burst;
    this.#at = clock();
  }

  /** Takes a token; false when there is none. */
  take(): boolean {
    const now = this.#clock();
    this.#level = Math.min(this.#burst, this.#level + (now - this.#at) / 1000 * this.#rate);
    this.#at = now;
    if (this.#level < 1) return false;
    this.#level--;
    return true;
  }
}

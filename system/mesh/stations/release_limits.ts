import { TokenBucket } from "../../core/time/token_bucket.ts";

/** Releases of one station that the reports of one leaf router may start at once: it roams to and fro. */
const STATION_BURST = 5;
/** The same, each second. */
const STATION_RATE = 0.1;
/** Releases of all stations that the reports of one leaf router may start at once: many join when it starts. */
const LEAF_BURST = 64;
/** The same, each second. */
const LEAF_RATE = 1;
/** Limits that are kept; the one that was used longest ago makes room. */
const MAX_LIMITS = 4096;

/**
 * Limits how often the reports of a leaf router let others forget stations: one that reports stations which
 * it does not have would disconnect them again and again.
 */
export class ReleaseLimits {
  readonly #steady: () => number;
  readonly #buckets = new Map<string, TokenBucket>();

  /** `steady`: monotonic milliseconds. */
  constructor(steady: () => number) {
    this.#steady = steady;
  }

  /** True where the report of a router may start a release of a station; always for this router, "". */
  take(router: string, mac: string): boolean {
    if (router === "") return true;
    return this.#bucket(`${router} ${mac}`, STATION_RATE, STATION_BURST).take() &&
      this.#bucket(router, LEAF_RATE, LEAF_BURST).take();
  }

  #bucket(key: string, rate: number, burst: number): TokenBucket {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(rate, burst, this.#steady);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_LIMITS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}

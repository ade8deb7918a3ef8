import { fingerprint } from "./relay_plan.ts";
import type { Datagram } from "./datagram.ts";

/** Milliseconds within which a duplicate is not reflected. */
const DUPLICATE_WINDOW_MS = 1000;
/** Reflected datagrams per source: per second, and burst. */
const RATE = { second: 50, burst: 100 };
/** Maximum number of tracked datagrams, and of sources. */
const MAX_ENTRIES = 4096;

/**
 * Protects the reflector from loops and floods: suppresses duplicates within a second, and limits the
 * rate of each source. Memory is bounded.
 */
export class RelayLimits {
  /** Milliseconds; must not go back. */
  readonly #now: () => number;
  readonly #seen = new Map<string, number>();
  readonly #sources = new Map<number, { left: number; at: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** True when the datagram may be reflected; it then counts. */
  admit(datagram: Datagram): boolean {
    const now = this.#now();
    return this.#isNew(datagram, now) && this.#isWithinRate(datagram.source, now);
  }

  #isNew({ source, destination, sourcePort, port, payload }: Datagram, now: number): boolean {
    let text = "";
    for (const byte of payload) text += String.fromCharCode(byte);
    const key = `${source} ${destination} ${sourcePort} ${port} ${payload.length} ` +
      fingerprint(text);
    const before = this.#seen.get(key);
    if (before !== undefined && now - before < DUPLICATE_WINDOW_MS) return false;
    this.#seen.delete(key);
    this.#seen.set(key, now);
    trim(this.#seen);
    return true;
  }

  #isWithinRate(source: number, now: number): boolean {
    const bucket = this.#sources.get(source) ?? { left: RATE.burst, at: now };
    const left = Math.min(RATE.burst, bucket.left + (now - bucket.at) * RATE.second / 1000);
    this.#sources.delete(source);
    this.#sources.set(source, { left: left < 1 ? left : left - 1, at: now });
    trim(this.#sources);
    return left >= 1;
  }
}

/** Evicts the oldest. */
function trim<K>(map: Map<K, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= MAX_ENTRIES) return;
    map.delete(key);
  }
}

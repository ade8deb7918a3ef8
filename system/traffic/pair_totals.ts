import type { PairTraffic } from "../core/kernel/host.ts";

/** Pairs that are kept; those without traffic for the longest time give way. */
const MAX_PAIRS = 4096;
/** Milliseconds without traffic after which a pair is forgotten. */
export const PAIR_TIMEOUT_MS = 3_600_000;

/** Packets and bytes from one address to another. */
export interface DirectedTotal {
  readonly source: string;
  readonly destination: string;
  /** The router's address between them; "" where nothing is translated. */
  readonly via: string;
  readonly packets: number;
  readonly bytes: number;
  /** Monotonic milliseconds of the last traffic. */
  readonly at: number;
}

/** What addresses sent each other in the last hour and longer, while it did not pause. */
export class PairTotals {
  readonly #totals = new Map<string, DirectedTotal>();

  /** Adds traffic at `now`, monotonic milliseconds. */
  take(pairs: readonly PairTraffic[], now: number): void {
    for (const [source, destination, via, sent, sentBytes, received, receivedBytes] of pairs) {
      this.#add({ source, destination, via, packets: sent, bytes: sentBytes, at: now });
      this.#add({
        ...{ source: destination, destination: source, via },
        ...{ packets: received, bytes: receivedBytes, at: now },
      });
    }
    for (const [key, { at }] of this.#totals) {
      if (this.#totals.size <= MAX_PAIRS && now - at < PAIR_TIMEOUT_MS) break;
      this.#totals.delete(key);
    }
  }

  /** Those with the latest traffic last. */
  list(): readonly DirectedTotal[] {
    return [...this.#totals.values()];
  }

  #add(more: DirectedTotal): void {
    if (more.packets === 0) return;
    const key = `${more.source} ${more.destination} ${more.via}`;
    const before = this.#totals.get(key);
    this.#totals.delete(key);
    this.#totals.set(key, {
      ...more,
      packets: more.packets + (before?.packets ?? 0),
      bytes: more.bytes + (before?.bytes ?? 0),
    });
  }
}

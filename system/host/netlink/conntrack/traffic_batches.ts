import type { PairTraffic, TrafficBatch } from "../../../core/kernel/host.ts";

/**
 * Hands out traffic in batches, each again and again until its reader acknowledges it, so that a reader
 * that was killed neither loses one nor takes it twice.
 */
export class TrafficBatches {
  /** Tells the batches of this process from those of another. */
  readonly #epoch: string;
  #sequence = 0;
  #pending: TrafficBatch | null = null;

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /**
   * The batch that waits, or a new one of what `take` answers. `acknowledged`: the last batch that the
   * reader has stored; null for none.
   */
  async next(
    acknowledged: string | null,
    take: () => Promise<readonly PairTraffic[]>,
  ): Promise<TrafficBatch> {
    if (this.#pending !== null && this.#pending.id !== acknowledged) return this.#pending;
    this.#pending = null;
    const pairs = await take();
    return this.#pending = { id: `${this.#epoch}.${++this.#sequence}`, pairs };
  }
}

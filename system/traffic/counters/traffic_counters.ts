import type { Host } from "../../core/kernel/host.ts";
import { SharedWork } from "../../core/time/slices.ts";
import type { CounterSet } from "../../firewall/accounting.ts";
import type { CounterEntry, TrafficSnapshot } from "../schema.ts";
import { MAX_MINUTES, TrafficMinutes } from "./minutes.ts";
import { snapshotOf, TrafficTotals } from "./totals.ts";

const MINUTE_MS = 60_000;
/** Milliseconds between two readings without a request. */
const READ_INTERVAL_MS = 10_000;
/** Milliseconds for which a reading counts as of now. */
const MAX_AGE_MS = 250;
/** Addresses times minutes of a response, which bounds it to some megabytes. */
const MAX_CELLS = 50_000;

/** What {@link TrafficCounters} need from outside. */
export interface TrafficCountersOptions {
  readonly host: () => Pick<Host, "traffic">;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** Called with a reading that failed; the next one tries again. */
  readonly failed: (error: unknown) => void;
  /** False: it is read only on request, and minutes end only by {@link TrafficCounters.endMinute}. */
  readonly live: boolean;
}

/** What devices sent and received, by the kernel's counters. */
export class TrafficCounters {
  readonly #options: TrafficCountersOptions;
  readonly #totals = new TrafficTotals();
  readonly #minutes = new TrafficMinutes();
  readonly #reading = new SharedWork<void>();
  #readAt = -Infinity;
  #minuteAt: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: TrafficCountersOptions) {
    this.#options = options;
    this.#minuteAt = options.steady();
    if (!options.live) return;
    this.#timer = setInterval(() => void this.#tick().catch(options.failed), READ_INTERVAL_MS);
  }

  /** Addresses with traffic in a set. Throws Problem 502 where the kernel cannot be read. */
  async entries(set: CounterSet): Promise<readonly CounterEntry[]> {
    await this.#readSoon();
    return this.#totals.entries(set);
  }

  /** The bytes of every address until now. Throws Problem 502. */
  async now(): Promise<TrafficSnapshot> {
    await this.#readSoon();
    return snapshotOf(this.#totals.bytes());
  }

  /**
   * The bytes of every address at the end of each of the last minutes, the newest first: at most
   * `count`, and fewer where addresses are so many that the list would be too long.
   */
  snapshots(count: number): readonly TrafficSnapshot[] {
    const list: TrafficSnapshot[] = [];
    let cells = 0;
    for (const bytes of this.#minutes.snapshots(Math.min(count, MAX_MINUTES))) {
      cells += bytes.size;
      if (cells > MAX_CELLS) break;
      list.push(snapshotOf(bytes));
    }
    return list;
  }

  /** Reads the counters and ends a minute. Throws Problem 502. */
  async endMinute(): Promise<void> {
    await this.#read();
    for (const idle of this.#minutes.end(this.#totals.bytes())) this.#totals.forget(idle);
  }

  /** Stops reading. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** A minute is one of elapsed time: no clock that is set makes it longer or shorter. */
  async #tick(): Promise<void> {
    const now = this.#options.steady();
    if (now - this.#minuteAt < MINUTE_MS) return await this.#read();
    this.#minuteAt += Math.floor((now - this.#minuteAt) / MINUTE_MS) * MINUTE_MS;
    await this.endMinute();
  }

  async #readSoon(): Promise<void> {
    if (this.#options.steady() - this.#readAt >= MAX_AGE_MS) await this.#read();
  }

  #read(): Promise<void> {
    return this.#reading.run(this, "read", {
      work: async () => {
        this.#totals.take(await this.#options.host().traffic());
        this.#readAt = this.#options.steady();
      },
    });
  }
}

import type { Host, TrafficBatch } from "../../core/kernel/host.ts";
import type { AddressTraffic, CounterEntry, CounterSet, TrafficSnapshot } from "../schema.ts";
import { MAX_MINUTES, TrafficMinutes } from "./minutes.ts";
import { snapshotOf, trafficOf, TrafficTotals } from "./totals.ts";

const MINUTE_MS = 60_000;
/** Milliseconds between two readings without a request. */
const READ_INTERVAL_MS = 10_000;
/** Milliseconds for which a reading counts as of now, and one of connections. */
const MAX_AGE_MS = 250, MAX_FLOWS_AGE_MS = 10_000;
/** Addresses times minutes of a response, which bounds it to some megabytes. */
const MAX_CELLS = 50_000;

/** What {@link TrafficCounters} need from outside. */
export interface TrafficCountersOptions {
  readonly host: () => Pick<Host, "traffic">;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** Called with a reading that failed; the next one tries again. */
  readonly failed: (error: unknown) => void;
  /** Takes what connections counted, in the same readings. */
  readonly flows: {
    /** The last batch that is done with; undefined: connections are not to be read now. */
    acknowledged(): Promise<string | null | undefined>;
    take(batch: TrafficBatch): Promise<void>;
  };
  /** False: it is read only on request, and minutes end only by {@link TrafficCounters.endMinute}. */
  readonly live: boolean;
}

/** What devices sent and received, by the kernel's counters. */
export class TrafficCounters {
  readonly #options: TrafficCountersOptions;
  readonly #totals = new TrafficTotals();
  readonly #minutes = new TrafficMinutes();
  /** Readings one after the other: an older one must not come after a newer. */
  #turn: Promise<unknown> = Promise.resolve();
  #readAt = -Infinity;
  #flowsAt = -Infinity;
  #minuteAt: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: TrafficCountersOptions) {
    this.#options = options;
    this.#minuteAt = options.steady();
    if (!options.live) return;
    this.#timer = setInterval(() => void this.tick().catch(options.failed), READ_INTERVAL_MS);
  }

  /** Addresses with traffic in a set. Throws Problem 502 where the kernel cannot be read. */
  async entries(set: CounterSet): Promise<readonly CounterEntry[]> {
    await this.#read("counters");
    return this.#totals.entries(set);
  }

  /** The bytes of every address until now. Throws Problem 502. */
  async now(): Promise<TrafficSnapshot> {
    await this.#read("counters");
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

  /**
   * The bytes of one address, or of all together (null), in each of the last `count` minutes, oldest
   * first, with how many milliseconds ago the last one ended.
   */
  rates(count: number, address: string | null): {
    readonly minutes: readonly AddressTraffic[];
    readonly endedAgo: number;
  } {
    const newestFirst = [...this.#minutes.grown(Math.min(count, MAX_MINUTES), address)];
    return {
      minutes: newestFirst.reverse().map(trafficOf),
      endedAgo: Math.max(0, this.#options.steady() - this.#minuteAt),
    };
  }

  /** The bytes of one address, or of all together (null), until now. Throws Problem 502. */
  async total(address: string | null): Promise<AddressTraffic> {
    await this.#read("counters");
    return trafficOf(this.#totals.sum(address));
  }

  /** Takes what connections counted until now, or some seconds before. Throws Problem 502. */
  async readFlows(): Promise<void> {
    await this.#read("flows");
  }

  /** Reads the counters and ends a minute. Throws Problem 502. */
  async endMinute(): Promise<void> {
    await this.#read("minute");
    this.#endMinute();
  }

  /** Stops reading. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#turn;
  }

  /**
   * Does what is due, which is called every few seconds. A minute is one of elapsed time: no clock that is
   * set makes it longer or shorter. Minutes without a reading are there without traffic, so that those
   * before them stay at their time; what came in them counts in the last. Throws Problem 502.
   */
  async tick(): Promise<void> {
    const minutes = Math.floor((this.#options.steady() - this.#minuteAt) / MINUTE_MS);
    if (minutes === 0) return await this.#read("counters");
    await this.#read("minute");
    this.#minuteAt += minutes * MINUTE_MS;
    this.#minutes.skip(minutes - 1);
    this.#endMinute();
  }

  #endMinute(): void {
    for (const idle of this.#minutes.end(this.#totals.bytes())) this.#totals.forget(idle);
  }

  /** Reads what is not read already, by the time that it has its turn. */
  #read(what: "counters" | "flows" | "minute"): Promise<void> {
    const next = this.#turn.then(() => this.#now(what));
    this.#turn = next.catch(() => {});
    return next;
  }

  async #now(what: "counters" | "flows" | "minute"): Promise<void> {
    const { host, flows, steady } = this.#options;
    const now = steady();
    const isOld = what === "counters"
      ? now - this.#readAt >= MAX_AGE_MS
      : what === "minute" || now - this.#flowsAt >= MAX_FLOWS_AGE_MS;
    if (!isOld) return;
    const acknowledged = what === "counters" ? undefined : await flows.acknowledged();
    const reading = await host().traffic(acknowledged === undefined ? undefined : { acknowledged });
    this.#totals.take(reading);
    this.#readAt = steady();
    if (acknowledged === undefined) return;
    this.#flowsAt = this.#readAt;
    if (reading.flows !== null) await flows.take(reading.flows);
  }
}

import type { RecordSegment } from "../segments/record_segment.ts";
import { PrivacyFilter } from "../privacy_filter.ts";
import { hasLegacyRows, lastLegacyId, migrateLegacyRows } from "../segments/legacy_format.ts";
import { type FlushResult, SegmentCompactor } from "./segment_compactor.ts";
import { IDS_PER_MS } from "../segments/format.ts";
import { RecentQueries } from "../live/recent_queries.ts";
import { RetentionClock } from "../retention/retention_clock.ts";
import type { LogConfig } from "../schema.ts";
import type { EventBatch, QueryLogStatus } from "../search/request_schema.ts";
import { countVerdicts, sumOf } from "../search/count.ts";
import { type LogPage, type LogQuery, type SearchLimits, searchLog } from "../search/search.ts";
import type { SegmentTable } from "./segment_table.ts";
import {
  deleteQueries,
  MAX_UNTRIMMED_BYTES,
  type QueryMatcher,
  trim,
  trimToSize,
  type YieldTurn,
} from "../retention/trim.ts";

/** Size of the log, and the queries since a time by verdict. */
export type LogStatus = Omit<QueryLogStatus, "dropped">;

/** Options of a {@link QueryLog}. */
export interface QueryLogOptions {
  readonly config: LogConfig;
  /** Wall clock, unix milliseconds. */
  readonly now: () => number;
  /** Monotonic clock in milliseconds; default the runtime's. */
  readonly steady?: () => number;
  /** Called with the result of each write. */
  readonly onFlushed?: (result: FlushResult) => void;
  /** Limits of one search. */
  readonly searchLimits?: SearchLimits;
  /** Lets queries that arrive meanwhile be written in the middle of long work. */
  readonly yieldTurn?: YieldTurn;
}

/**
 * The query log: segments in the file, and the latest queries in memory for live readers. Runs in a
 * thread of its own.
 */
export class QueryLog {
  readonly #table: SegmentTable;
  readonly #compactor: SegmentCompactor;
  readonly #clock: RetentionClock;
  readonly #options: QueryLogOptions;
  readonly #recent = new RecentQueries();
  readonly #waiters = new Set<() => void>();
  #config: LogConfig;
  #last: number;
  #untrimmed = 0;
  /** True while there are legacy rows to migrate. */
  #hasLegacy: boolean;

  private constructor(
    table: SegmentTable,
    { compactor, clock, last, hasLegacy, options }: {
      readonly compactor: SegmentCompactor;
      readonly clock: RetentionClock;
      readonly last: number;
      readonly hasLegacy: boolean;
      readonly options: QueryLogOptions;
    },
  ) {
    this.#table = table;
    this.#compactor = compactor;
    this.#clock = clock;
    this.#last = last;
    this.#hasLegacy = hasLegacy;
    this.#options = options;
    this.#config = options.config;
  }

  static async open(table: SegmentTable, options: QueryLogOptions): Promise<QueryLog> {
    const hasLegacy = await hasLegacyRows(table);
    const known = Math.max(await table.lastId(), hasLegacy ? await lastLegacyId(table) : 0);
    const clock = new RetentionClock({
      wall: options.now,
      steady: options.steady ?? (() => performance.now()),
      // A log without a saved clock state was written by a clock that was trusted.
      state: await table.clockState() ??
        (known === 0 ? null : { at: known / IDS_PER_MS, suspectSince: null }),
    });
    const compactor = await SegmentCompactor.open(table, () => clock.stamp);
    const last = Math.max(known, options.now() * IDS_PER_MS);
    const queryLog = new QueryLog(table, { compactor, clock, last, hasLegacy, options });
    await queryLog.trim();
    return queryLog;
  }

  /** The highest id so far; new ids must be above it. */
  get last(): number {
    return this.#last;
  }

  /** True when queries are pending for the next {@link flush}. */
  get hasPending(): boolean {
    return this.#compactor.pending > 0;
  }

  /** Applies new settings; pending queries that they exclude are not written. */
  async configure(config: LogConfig): Promise<void> {
    this.#config = config;
    const filter = new PrivacyFilter(config);
    this.#removePending((segment, index) =>
      filter.hides(segment.client(index), segment.wireName(index))
    );
    await this.trim();
  }

  /** Accepts queries and wakes live readers. A full segment is written at once. */
  async write(segment: RecordSegment): Promise<void> {
    this.#last = Math.max(this.#last, segment.last);
    this.#recent.add(segment);
    for (const wake of [...this.#waiters]) wake();
    if (!this.#config.StoreLocalMemory) {
      this.#options.onFlushed?.({ written: segment.size, lost: 0, error: null });
      return;
    }
    this.#compactor.add(segment);
    if (this.#compactor.isFull) await this.flush();
  }

  /** Writes pending queries. */
  async flush(): Promise<void> {
    if (!this.hasPending) return;
    const { bytes, ...result } = await this.#compactor.flush();
    this.#options.onFlushed?.(result);
    this.#untrimmed += bytes;
    if (this.#untrimmed < MAX_UNTRIMMED_BYTES) return;
    this.#untrimmed = 0;
    await trimToSize(this.#table, this.#config);
  }

  /** Migrates some legacy rows; true while there are more. */
  async migrateLegacy(): Promise<boolean> {
    if (this.#hasLegacy) this.#hasLegacy = await migrateLegacyRows(this.#table);
    return this.#hasLegacy;
  }

  async trim(): Promise<void> {
    await this.#writeAll();
    this.#untrimmed = 0;
    await trim(this.#table, this.#config, this.#clock.read());
  }

  async search(query: LogQuery): Promise<LogPage> {
    await this.flush();
    return await searchLog(this.#table, query, this.#options.searchLimits);
  }

  /** Deletes all queries of a client; "" deletes everything. */
  async deleteQueries(client: string): Promise<void> {
    if (client !== "") return await this.#delete((address) => address === client);
    const { pending } = this.#compactor;
    this.#recent.remove(() => true);
    this.#compactor.clear();
    this.#hasLegacy = false;
    if (pending > 0) this.#options.onFlushed?.({ written: pending, lost: 0, error: null });
    await this.#table.clear();
  }

  /** Deletes the queries of all devices but these. */
  async retainDevices(identities: readonly string[]): Promise<void> {
    const known = new Set(identities);
    await this.#delete((_, identity) => identity !== "" && !known.has(identity));
  }

  /** Size and counts since a time (unix milliseconds), also by so many equal periods; 0 for none. */
  async status(client: string, since: number, periods = 0): Promise<LogStatus> {
    await this.flush();
    const first = await this.#table.firstId();
    const until = this.#options.now();
    const counts = await countVerdicts(this.#table, {
      client,
      since,
      until,
      periods: Math.max(1, periods),
    });
    return {
      bytes: (await this.#table.diskUsage()).totalBytes,
      oldest: first === null ? null : Math.floor(first / IDS_PER_MS),
      counts: sumOf(counts),
      series: periods === 0 ? [] : counts.map((one, index) => ({
        time: Math.round(since + index * (until - since) / periods),
        counts: one,
      })),
    };
  }

  /**
   * Events after the entry `after`; null starts now. Waits up to `wait` milliseconds for one. Returns
   * those of the latest `max` entries.
   */
  async events(
    after: number | null,
    { wait, max }: { readonly wait: number; readonly max: number },
  ): Promise<EventBatch> {
    if (after === null) return { items: [], last: this.#last, skipped: 0 };
    if (this.#last <= after) await this.#nextEvent(wait);
    return { ...this.#recent.after(after, max), last: Math.max(after, this.#last) };
  }

  /** Closes a corrupt file and moves it away; pending queries are lost. */
  async moveCorruptFile(): Promise<void> {
    for (const wake of [...this.#waiters]) wake();
    await this.flush();
    await this.#table.moveCorruptFile();
  }

  async close(): Promise<void> {
    for (const wake of [...this.#waiters]) wake();
    try {
      await this.flush();
    } finally {
      this.#table.close();
    }
  }

  async #nextEvent(wait: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, wait);
    this.#waiters.add(resolve);
    await promise;
    this.#waiters.delete(resolve);
    clearTimeout(timer);
  }

  /** Writes everything to the file, where it can be edited. */
  async #writeAll(): Promise<void> {
    await this.flush();
    await this.#compactor.mergePartial();
  }

  async #delete(matches: QueryMatcher): Promise<void> {
    this.#removePending((segment, index) =>
      matches(segment.client(index), segment.identity(index))
    );
    while (await this.migrateLegacy()) await this.#options.yieldTurn?.();
    await this.#writeAll();
    await deleteQueries(this.#table, matches, this.#options.yieldTurn ?? (() => Promise.resolve()));
  }

  /** Removes queries that are only in memory. */
  #removePending(matches: (segment: RecordSegment, index: number) => boolean): void {
    const before = this.#compactor.pending;
    this.#recent.remove(matches);
    this.#compactor.remove(matches);
    const dropped = before - this.#compactor.pending;
    if (dropped > 0) this.#options.onFlushed?.({ written: dropped, lost: 0, error: null });
  }
}

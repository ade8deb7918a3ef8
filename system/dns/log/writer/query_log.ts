import type { RecordBlock } from "../segments/record_segment.ts";
import { Discretion } from "../privacy_filter.ts";
import { hasEarlierForm, lastOfEarlierForm, takeOverSome } from "../segments/legacy_format.ts";
import type { LogEvent } from "../segments/entry.ts";
import { BlockKeeper, type Outcome } from "./segment_compactor.ts";
import { PER_MILLISECOND } from "../segments/format.ts";
import { RecentQueries } from "../live/recent_queries.ts";
import { RetentionClock } from "../retention/retention_clock.ts";
import type { LogConfig } from "../schema.ts";
import { counts, type LogPage, type LogQuery, type Looks, page } from "../search/search.ts";
import type { LogTable } from "./segment_table.ts";
import { type Between, forget, type Gone, trim, trimToRoom, UNTRIMMED } from "../retention/trim.ts";

/** What happened after a certain entry. */
export interface EventBatch {
  readonly items: readonly LogEvent[];
  /** Where to go on. */
  readonly last: number;
  /** Entries that were not told because they came too fast. */
  readonly skipped: number;
}

/** How much is in the log, and what became of the queries since a time. */
export interface LogStatus {
  readonly bytes: number;
  /** Unix milliseconds of the oldest entry; null for none. */
  readonly oldest: number | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** What a book is opened with. */
export interface BookOptions {
  readonly config: LogConfig;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of running, which nobody sets; default the runtime's. */
  readonly steady?: () => number;
  /** Hears what became of queries that were to be written down. */
  readonly settled?: (outcome: Outcome) => void;
  /** How much one question may look through. */
  readonly looks?: Looks;
  /** Lets what comes meanwhile be written down in the middle of long work. */
  readonly between?: Between;
}

/**
 * Everything that is known of what was asked: the table, and the latest entries in memory for those
 * who follow along. Lives in a thread of its own.
 */
export class LogBook {
  readonly #table: LogTable;
  readonly #keeper: BlockKeeper;
  readonly #clock: RetentionClock;
  readonly #options: BookOptions;
  readonly #recent = new RecentQueries();
  readonly #waiting = new Set<() => void>();
  #config: LogConfig;
  #last: number;
  #untrimmed = 0;
  /** True while rows of the earlier form are to be taken over. */
  #earlier: boolean;

  private constructor(
    table: LogTable,
    { keeper, clock, last, earlier, options }: {
      readonly keeper: BlockKeeper;
      readonly clock: RetentionClock;
      readonly last: number;
      readonly earlier: boolean;
      readonly options: BookOptions;
    },
  ) {
    this.#table = table;
    this.#keeper = keeper;
    this.#clock = clock;
    this.#last = last;
    this.#earlier = earlier;
    this.#options = options;
    this.#config = options.config;
  }

  static async open(table: LogTable, options: BookOptions): Promise<LogBook> {
    const earlier = await hasEarlierForm(table);
    const known = Math.max(await table.last(), earlier ? await lastOfEarlierForm(table) : 0);
    const clock = new RetentionClock({
      wall: options.now,
      steady: options.steady ?? (() => performance.now()),
      // A log of before there was a belief was written by a clock that nobody doubted.
      belief: await table.belief() ??
        (known === 0 ? null : { at: known / PER_MILLISECOND, doubtedSince: null }),
    });
    const keeper = await BlockKeeper.open(table, () => clock.stamp);
    const last = Math.max(known, options.now() * PER_MILLISECOND);
    const book = new LogBook(table, { keeper, clock, last, earlier, options });
    await book.trim();
    return book;
  }

  /** The highest id so far: those of what is written must be above it. */
  get last(): number {
    return this.#last;
  }

  /** True when queries wait to be written down with the next {@link flush}. */
  get hasPending(): boolean {
    return this.#keeper.pending > 0;
  }

  /** Follows new settings; what they hide and is not written down yet is not written down. */
  async configure(config: LogConfig): Promise<void> {
    this.#config = config;
    const discretion = new Discretion(config);
    this.#drop((block, place) => discretion.hides(block.client(place), block.wireName(place)));
    await this.trim();
  }

  /** Takes queries in and tells those who follow. They are written down at once when they are many. */
  async write(block: RecordBlock): Promise<void> {
    this.#last = Math.max(this.#last, block.last);
    this.#recent.add(block);
    for (const wake of [...this.#waiting]) wake();
    if (!this.#config.StoreLocalMemory) {
      this.#options.settled?.({ written: block.size, lost: 0, error: null });
      return;
    }
    this.#keeper.add(block);
    if (this.#keeper.isFull) await this.flush();
  }

  /** Writes down what waits. */
  async flush(): Promise<void> {
    if (!this.hasPending) return;
    const { bytes, ...outcome } = await this.#keeper.flush();
    this.#options.settled?.(outcome);
    this.#untrimmed += bytes;
    if (this.#untrimmed < UNTRIMMED) return;
    this.#untrimmed = 0;
    await trimToRoom(this.#table, this.#config);
  }

  /** Takes over some of what an earlier form of the log left; true while there is more. */
  async takeOver(): Promise<boolean> {
    if (this.#earlier) this.#earlier = await takeOverSome(this.#table);
    return this.#earlier;
  }

  async trim(): Promise<void> {
    await this.#settle();
    this.#untrimmed = 0;
    await trim(this.#table, this.#config, this.#clock.look());
  }

  async page(query: LogQuery): Promise<LogPage> {
    await this.flush();
    return await page(this.#table, query, this.#options.looks);
  }

  /** Forgets all that an address asked; "" for everything of all. */
  async forget(client: string): Promise<void> {
    if (client !== "") return await this.#forget((asker) => asker === client);
    const { pending } = this.#keeper;
    this.#recent.forget(() => true);
    this.#keeper.clear();
    this.#earlier = false;
    if (pending > 0) this.#options.settled?.({ written: pending, lost: 0, error: null });
    await this.#table.clear();
  }

  /** Forgets what devices asked that are not among these. */
  async keepOnly(identities: readonly string[]): Promise<void> {
    const known = new Set(identities);
    await this.#forget((_, identity) => identity !== "" && !known.has(identity));
  }

  async status(client: string, since: number): Promise<LogStatus> {
    await this.flush();
    const first = await this.#table.first();
    return {
      bytes: (await this.#table.room()).all,
      oldest: first === null ? null : Math.floor(first / PER_MILLISECOND),
      counts: await counts(this.#table, client, since),
    };
  }

  /**
   * What happened after the entry `after`; null begins now. Waits up to `wait` milliseconds for
   * something. At most `most` entries are told, the latest.
   */
  async events(
    after: number | null,
    { wait, most }: { readonly wait: number; readonly most: number },
  ): Promise<EventBatch> {
    if (after === null) return { items: [], last: this.#last, skipped: 0 };
    if (this.#last <= after) await this.#news(wait);
    return { ...this.#recent.after(after, most), last: Math.max(after, this.#last) };
  }

  /** Closes a file that is broken, and puts it out of the way; what waits is lost. */
  async putAside(): Promise<void> {
    for (const wake of [...this.#waiting]) wake();
    await this.flush();
    await this.#table.putAside();
  }

  async close(): Promise<void> {
    for (const wake of [...this.#waiting]) wake();
    try {
      await this.flush();
    } finally {
      this.#table.close();
    }
  }

  async #news(wait: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, wait);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
  }

  /** Brings everything into blocks of the file that are edited there. */
  async #settle(): Promise<void> {
    await this.flush();
    await this.#keeper.pack();
  }

  async #forget(gone: Gone): Promise<void> {
    this.#drop((block, place) => gone(block.client(place), block.identity(place)));
    while (await this.takeOver()) await this.#options.between?.();
    await this.#settle();
    await forget(this.#table, gone, this.#options.between ?? (() => Promise.resolve()));
  }

  /** Leaves out what is in memory alone. */
  #drop(gone: (block: RecordBlock, place: number) => boolean): void {
    const before = this.#keeper.pending;
    this.#recent.forget(gone);
    this.#keeper.drop(gone);
    const dropped = before - this.#keeper.pending;
    if (dropped > 0) this.#options.settled?.({ written: dropped, lost: 0, error: null });
  }
}

import { entryOf, eventsOf, type LogEvent } from "./entry.ts";
import type { LogConfig, LogEntry } from "./schema.ts";
import type { QueryRecord } from "./sink.ts";
import {
  type LogPage,
  type LogQuery,
  type LogSize,
  type LogTable,
  PER_MILLISECOND,
  UNTRIMMED,
} from "./table.ts";

/** Entries that are told late readers of the events. */
const REMEMBERED = 2000;

/** Entries that one transaction writes. */
const BATCH = 500;

/** What happened after a certain entry. */
export interface EventBatch {
  readonly items: readonly LogEvent[];
  /** Where to go on. */
  readonly last: number;
  /** Entries that were not told because they came too fast. */
  readonly skipped: number;
}

/** How much is in the log, and what became of the queries since a time. */
export interface LogStatus extends LogSize {
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Everything that is known of what was asked: the table, and the latest entries in memory for those
 * who follow along. Lives in a thread of its own.
 */
export class LogBook {
  readonly #table: LogTable;
  readonly #now: () => number;
  readonly #recent: { readonly entry: LogEntry; readonly events: readonly LogEvent[] }[] = [];
  readonly #waiting = new Set<() => void>();
  #config: LogConfig;
  #last = 0;
  #untrimmed = 0;

  private constructor(
    table: LogTable,
    { config, now }: { readonly config: LogConfig; readonly now: () => number },
  ) {
    this.#table = table;
    this.#config = config;
    this.#now = now;
  }

  static async open(
    table: LogTable,
    options: { readonly config: LogConfig; readonly now: () => number },
  ): Promise<LogBook> {
    const book = new LogBook(table, options);
    book.#last = Math.max(await table.last(), options.now() * PER_MILLISECOND);
    await table.trim(options.config, options.now());
    return book;
  }

  async configure(config: LogConfig): Promise<void> {
    this.#config = config;
    await this.trim();
  }

  /** Writes queries down and tells those who follow. Throws when the disk does not take them. */
  async write(queries: readonly QueryRecord[]): Promise<void> {
    const entries: LogEntry[] = [];
    for (const query of queries) {
      this.#last = Math.max(this.#last + 1, Math.floor(query.at) * PER_MILLISECOND);
      const entry = entryOf(query, this.#last);
      entries.push(entry);
      this.#recent.push({ entry, events: eventsOf(entry, query.rebound) });
    }
    if (this.#recent.length > REMEMBERED) this.#recent.splice(0, this.#recent.length - REMEMBERED);
    for (const wake of [...this.#waiting]) wake();
    if (!this.#config.StoreLocalMemory) return;
    for (let i = 0; i < entries.length; i += BATCH) {
      this.#untrimmed += await this.#table.add(entries.slice(i, i + BATCH));
      if (this.#untrimmed >= UNTRIMMED) await this.trim();
    }
  }

  async trim(): Promise<void> {
    this.#untrimmed = 0;
    await this.#table.trim(this.#config, this.#now());
  }

  page(query: LogQuery): Promise<LogPage> {
    return this.#table.page(query);
  }

  async forget(client: string): Promise<void> {
    this.#forgetRecent(({ entry }) => client === "" || startsWith(entry, client));
    await this.#table.forget(client);
  }

  async keepOnly(identities: readonly string[]): Promise<void> {
    const known = new Set(identities);
    this.#forgetRecent(({ entry }) => entry.identity !== "" && !known.has(entry.identity));
    await this.#table.keepOnly(known);
  }

  async status(client: string, since: number): Promise<LogStatus> {
    return { ...await this.#table.size(), counts: await this.#table.counts(client, since) };
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
    const later = this.#recent.filter(({ entry }) => entry.id > after);
    const told = later.slice(-most);
    return {
      items: told.flatMap(({ events }) => events),
      last: Math.max(after, this.#last),
      skipped: later.length - told.length,
    };
  }

  close(): void {
    for (const wake of [...this.#waiting]) wake();
    this.#table.close();
  }

  async #news(wait: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, wait);
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
  }

  #forgetRecent(gone: (one: { readonly entry: LogEntry }) => boolean): void {
    const kept = this.#recent.filter((one) => !gone(one));
    this.#recent.splice(0, this.#recent.length, ...kept);
  }
}

function startsWith({ Remote }: LogEntry, client: string): boolean {
  return Remote.startsWith(`${client}:`) || Remote.startsWith(`[${client}]:`);
}

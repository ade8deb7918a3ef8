import type { Log } from "../../../core/log/log.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { LogStatus } from "./query_log.ts";
import type { EventBatch } from "../search/request_schema.ts";
import { PrivacyFilter } from "../privacy_filter.ts";
import { recordCount } from "../segments/format.ts";
import { type Flushed, type ThreadEvent, ThreadLink } from "./thread_link.ts";
import type { LogConfig } from "../schema.ts";
import type { LogPage, LogQuery } from "../search/search.ts";
import type { QueryRecord, QuerySink } from "./sink.ts";
import { QueryQueue } from "./query_queue.ts";
import type { ThreadRequest } from "./thread_messages.ts";

/** Bytes of queries that are queued, about two hundred thousand queries; more are dropped. */
const MAX_QUEUED_BYTES = 24 << 20;
/** Segments that may be sent to the thread before it accepts one. */
const MAX_SEGMENTS_IN_FLIGHT = 4;
/** The same before a request that must see every recorded query. */
const MAX_SEGMENTS_FOR_REQUEST = 32;
/** Milliseconds after which queued queries are sent to the thread. */
const SEND_DELAY_MS = 200;
/** Milliseconds between two warnings about failed writes. */
const WARNING_INTERVAL_MS = 60_000;
const TRIM_INTERVAL_MS = 10 * 60_000;
/** Milliseconds until a dead thread is restarted, at first and at most. */
const RESTART_DELAY_MS = 1000, MAX_RESTART_DELAY_MS = 60_000;
/** Milliseconds after which a thread counts as stable, so that its restart is not delayed longer. */
const STABLE_AFTER_MS = 60_000;

/** Milliseconds that writing the queue may take when the log is closed. */
const CLOSE_TIMEOUT_MS = 3000;

/** Options of a {@link LogStore}. */
export interface LogStoreOptions {
  /** File of the log, created when missing. */
  readonly path: string;
  readonly config: LogConfig;
  readonly log: Pick<Log, "warn">;
  /** Module of the thread; default `thread.ts`. */
  readonly module?: URL;
  /** Milliseconds until a dead thread is restarted; doubled each time that it dies soon. */
  readonly restartDelayMs?: number;
  readonly pingIntervalMs?: number;
}

/**
 * The resolver's side of the query log: recording a query costs a copy of its response, everything else
 * happens in a thread of its own. Queries that arrive faster than they can be written are dropped and
 * counted. A dead thread is restarted; queries are queued meanwhile.
 */
export class LogStore implements QuerySink {
  readonly #options: LogStoreOptions;
  readonly #queue = new QueryQueue(MAX_QUEUED_BYTES);
  readonly #trimTimer: ReturnType<typeof setInterval>;
  #link: ThreadLink | null = null;
  #config: LogConfig;
  #filter: PrivacyFilter;
  /** Segments that the thread has not accepted yet. */
  #inFlight = 0;
  /** Queries that were sent to the thread and not reported as written or lost yet. */
  #unflushed = 0;
  #sendTimer: ReturnType<typeof setTimeout> | undefined;
  #restartTimer: ReturnType<typeof setTimeout> | undefined;
  #restartDelayMs: number;
  #isOpen = false;
  /** When the thread opened the log, by the monotonic clock; Infinity while it is closed. */
  #openedAt = Infinity;
  #dropped = 0;
  #warnedAt = -Infinity;
  #closed = false;

  private constructor(options: LogStoreOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#filter = new PrivacyFilter(options.config);
    this.#restartDelayMs = options.restartDelayMs ?? RESTART_DELAY_MS;
    this.#trimTimer = setInterval(() => {
      this.#request({ type: "trim" }).catch((error) =>
        options.log.warn("query_log.trim_failed", "The query log could not be trimmed", { error })
      );
    }, TRIM_INTERVAL_MS);
  }

  /** Opens the log. Throws when its file can be neither used nor replaced. */
  static async open(options: LogStoreOptions): Promise<LogStore> {
    const store = new LogStore(options);
    try {
      // A thread that moved a corrupt file away cannot create the new one; the next one can.
      await store.#start().catch(() => store.#start());
      return store;
    } catch (error) {
      store.#end();
      throw error;
    }
  }

  get dropped(): number {
    return this.#dropped;
  }

  get config(): LogConfig {
    return this.#config;
  }

  record(query: QueryRecord): void {
    if (this.#closed || this.#filter.hides(query.client, query.name)) return;
    if (!this.#queue.add(query)) {
      this.#dropped++;
      return;
    }
    if (this.#queue.hasFull) this.#send();
    else this.#sendTimer ??= setTimeout(() => this.#send(), SEND_DELAY_MS);
  }

  /** Applies new settings from the next query on. */
  async configure(config: LogConfig): Promise<void> {
    if (JSON.stringify(config) === JSON.stringify(this.#config)) return;
    this.#config = config;
    const filter = this.#filter = new PrivacyFilter(config);
    this.#queue.remove((segment, index) =>
      filter.hides(segment.client(index), segment.wireName(index))
    );
    // A restarted thread is opened with the current settings.
    if (this.#isOpen) await this.#request({ type: "configure", config });
  }

  async search(query: LogQuery): Promise<LogPage> {
    return await this.#requestAfterSend({ type: "search", query }) as LogPage;
  }

  async status(client: string, since: number, periods = 0): Promise<LogStatus> {
    return await this.#requestAfterSend({ type: "status", client, since, periods }) as LogStatus;
  }

  /** Deletes all queries of a client; "" deletes everything. */
  async deleteQueries(client: string): Promise<void> {
    this.#queue.remove((segment, index) => client === "" || segment.client(index) === client);
    await this.#request({ type: "deleteQueries", client });
  }

  /** Deletes the queries of all devices but these. */
  async retainDevices(identities: readonly string[]): Promise<void> {
    const known = new Set(identities);
    this.#queue.remove((segment, index) => {
      const identity = segment.identity(index);
      return identity !== "" && !known.has(identity);
    });
    await this.#request({ type: "retainDevices", identities });
  }

  /** Events after an entry; see {@link QueryLog.events}. */
  async events(
    after: number | null,
    options: { readonly wait: number; readonly max: number },
  ): Promise<EventBatch> {
    return await this.#request({ type: "events", after, ...options }) as EventBatch;
  }

  /** Writes the queue and ends the thread. */
  async close(): Promise<void> {
    if (this.#closed) return;
    // A shutdown must not wait for a disk that hangs.
    const timeout = setTimeout(
      () => this.#link?.end("It took too long to close"),
      CLOSE_TIMEOUT_MS,
    );
    try {
      this.#send(Infinity);
      await this.#request({ type: "close" });
    } catch (error) {
      this.#options.log.warn("query_log.close_failed", "The query log did not close cleanly", {
        error,
      });
    }
    clearTimeout(timeout);
    this.#end();
  }

  async #start(): Promise<void> {
    clearTimeout(this.#restartTimer);
    this.#link?.end();
    const link = this.#link = new ThreadLink({
      module: this.#options.module ?? new URL("./thread.ts", import.meta.url),
      pingIntervalMs: this.#options.pingIntervalMs,
      onEvent: (event) => this.#onEvent(event),
      onDeath: (reason) => this.#onDeath(reason),
    });
    const config = this.#config;
    // Queued queries have their ids already; new ids must be above all of the file.
    const last = await link.request({ type: "open", path: this.#options.path, config });
    this.#queue.continueAfter(Number(last));
    if (this.#config !== config) await link.request({ type: "configure", config: this.#config });
    this.#isOpen = true;
    this.#openedAt = performance.now();
    this.#send();
  }

  #onDeath(reason: string): void {
    const lost = this.#unflushed;
    this.#dropped += lost;
    this.#unflushed = this.#inFlight = 0;
    this.#link = null;
    this.#isOpen = false;
    if (performance.now() - this.#openedAt > STABLE_AFTER_MS) {
      this.#restartDelayMs = this.#options.restartDelayMs ?? RESTART_DELAY_MS;
    }
    this.#openedAt = Infinity;
    this.#options.log.warn(
      "query_log.restarted",
      "The query log thread died and will be restarted",
      { reason, lost },
    );
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    if (this.#closed) return;
    clearTimeout(this.#restartTimer);
    this.#restartTimer = setTimeout(() => {
      this.#start().catch((error) => {
        // The death of the thread has scheduled a restart already.
        if (this.#link === null) return;
        this.#link.end();
        this.#link = null;
        this.#options.log.warn("query_log.reopen_failed", "The query log could not be reopened", {
          error,
        });
        this.#scheduleRestart();
      });
    }, this.#restartDelayMs);
    this.#restartDelayMs = Math.min(2 * this.#restartDelayMs, MAX_RESTART_DELAY_MS);
  }

  /** Sends queued segments to the thread, as many as may be in flight. */
  #send(max = MAX_SEGMENTS_IN_FLIGHT): void {
    clearTimeout(this.#sendTimer);
    this.#sendTimer = undefined;
    while (this.#inFlight < max && this.#sendOne());
  }

  #sendOne(): boolean {
    const link = this.#link;
    const segment = this.#isOpen && link !== null ? this.#queue.take() : null;
    if (segment === null) return false;
    this.#inFlight++;
    this.#unflushed += recordCount(segment);
    link!.write(segment);
    return true;
  }

  #onEvent(event: ThreadEvent): void {
    if (event.kind === "flushed") {
      this.#unflushed -= event.written + event.lost;
      this.#dropped += event.lost;
      if (event.reason !== "") this.#warn(event);
      return;
    }
    this.#inFlight--;
    if (this.#queue.hasFull) this.#send();
    else if (!this.#queue.isEmpty) {
      this.#sendTimer ??= setTimeout(() => this.#send(), SEND_DELAY_MS);
    }
  }

  #warn({ lost, reason }: Flushed): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARNING_INTERVAL_MS) return;
    this.#warnedAt = now;
    const { log } = this.#options;
    if (lost === 0) {
      log.warn("query_log.maintenance_failed", "The query log could not be trimmed", { reason });
    } else {log.warn("query_log.queries_dropped", "Queries could not be logged", {
        dropped: this.#dropped,
        reason,
      });}
  }

  /** Sends a request after everything that was recorded until now. */
  #requestAfterSend(request: ThreadRequest): Promise<unknown> {
    this.#send(MAX_SEGMENTS_FOR_REQUEST);
    return this.#request(request);
  }

  #request(request: ThreadRequest): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Problem(503, "The query log is closed"));
    if (this.#link === null || !this.#isOpen) {
      return Promise.reject(new Problem(503, "The query log is being restarted"));
    }
    return this.#link.request(request);
  }

  #end(): void {
    this.#closed = true;
    clearInterval(this.#trimTimer);
    clearTimeout(this.#sendTimer);
    clearTimeout(this.#restartTimer);
    this.#link?.end();
    this.#link = null;
  }
}

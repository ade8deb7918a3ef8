import type { Log } from "../../../core/log/log.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { EventBatch, LogStatus } from "./query_log.ts";
import { Discretion } from "../privacy_filter.ts";
import { sizeOf } from "../segments/format.ts";
import { type Said, type Settled, ThreadLink } from "./thread_link.ts";
import type { LogConfig } from "../schema.ts";
import type { LogPage, LogQuery } from "../search/search.ts";
import type { QueryLog, QueryRecord } from "./sink.ts";
import { WaitingQueries } from "./query_queue.ts";
import type { Ask } from "./thread_messages.ts";

/** Bytes of queries that wait to be written, some two hundred thousand of them; more are dropped. */
const MOST_WAITING = 24 << 20;
/** Blocks that the thread may have before it. */
const MOST_BLOCKS = 4;
/** The same while someone asks for what was recorded until now. */
const ASKED_BLOCKS = 32;
/** Milliseconds after which what waits is handed over. */
const GATHER = 200;
/** Milliseconds between two complaints about a disk that does not take what is written. */
const COMPLAIN = 60_000;
/** Milliseconds between looks for what is too old. */
const TRIM = 10 * 60_000;
/** Milliseconds until a thread that died is begun anew, at first and at most. */
const AGAIN = 1000, AGAIN_MOST = 60_000;
/** Milliseconds after which a thread counts as one that lives. */
const PROVEN = 60_000;

/** Milliseconds that what waits may take to be written when the log is closed. */
const LAST = 3000;

/** What the query log is opened with. */
export interface LogStoreOptions {
  /** Its file, made when missing. */
  readonly path: string;
  readonly config: LogConfig;
  readonly log: Pick<Log, "warn">;
  /** The module of its thread; default the one beside this. */
  readonly module?: URL;
  /** Milliseconds until a thread that died is begun anew; doubled each time that it dies soon. */
  readonly again?: number;
  /** Milliseconds between two looks whether the thread lives. */
  readonly look?: number;
}

/**
 * The query log as the resolver has it: taking a query in costs a copy of its answer, everything else
 * happens in a thread of its own. What comes faster than it can be written is dropped and counted. A
 * thread that dies is begun anew; what comes meanwhile waits.
 */
export class LogStore implements QueryLog {
  readonly #options: LogStoreOptions;
  readonly #waiting = new WaitingQueries(MOST_WAITING);
  readonly #trimmer: ReturnType<typeof setInterval>;
  #link: ThreadLink | null = null;
  #config: LogConfig;
  #discretion: Discretion;
  /** Blocks that the thread has before it. */
  #blocks = 0;
  /** Queries that were handed over, of which it is not known whether they are written down. */
  #unsettled = 0;
  #gather: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #pause: number;
  #isOpen = false;
  /** When the thread was open; Infinity while it is not. */
  #begun = Infinity;
  #dropped = 0;
  #complained = -Infinity;
  #closed = false;

  private constructor(options: LogStoreOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#discretion = new Discretion(options.config);
    this.#pause = options.again ?? AGAIN;
    this.#trimmer = setInterval(() => {
      this.#ask({ do: "trim" }).catch((error) =>
        options.log.warn("query_log.trim_failed", "The query log could not be trimmed", { error })
      );
    }, TRIM);
  }

  /** Opens the log; what it had stays. Throws when its file can be neither used nor replaced. */
  static async open(options: LogStoreOptions): Promise<LogStore> {
    const store = new LogStore(options);
    try {
      // A file that was broken was put aside by the first, which then may not begin another.
      await store.#begin().catch(() => store.#begin());
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
    if (this.#closed || this.#discretion.hides(query.client, query.name)) return;
    if (!this.#waiting.add(query)) {
      this.#dropped++;
      return;
    }
    if (this.#waiting.hasFull) this.#hand();
    else this.#gather ??= setTimeout(() => this.#hand(), GATHER);
  }

  /** Follows new settings: what they hide is hidden from the next query on. */
  async configure(config: LogConfig): Promise<void> {
    if (JSON.stringify(config) === JSON.stringify(this.#config)) return;
    this.#config = config;
    const discretion = this.#discretion = new Discretion(config);
    this.#waiting.drop((block, place) =>
      discretion.hides(block.client(place), block.wireName(place))
    );
    // A thread that is begun anew begins with what holds then.
    if (this.#isOpen) await this.#ask({ do: "configure", config });
  }

  async page(query: LogQuery): Promise<LogPage> {
    return await this.#told({ do: "page", query }) as LogPage;
  }

  async status(client: string, since: number): Promise<LogStatus> {
    return await this.#told({ do: "status", client, since }) as LogStatus;
  }

  /** Forgets all that an address asked; "" forgets everything. */
  async forget(client: string): Promise<void> {
    this.#waiting.drop((block, place) => client === "" || block.client(place) === client);
    await this.#ask({ do: "forget", client });
  }

  /** Forgets what devices asked that are not among these. */
  async keepOnly(identities: readonly string[]): Promise<void> {
    const known = new Set(identities);
    this.#waiting.drop((block, place) => {
      const identity = block.identity(place);
      return identity !== "" && !known.has(identity);
    });
    await this.#ask({ do: "keepOnly", identities });
  }

  /** What happened after an entry; see the book of the log. */
  async events(
    after: number | null,
    options: { readonly wait: number; readonly most: number },
  ): Promise<EventBatch> {
    return await this.#ask({ do: "events", after, ...options }) as EventBatch;
  }

  /** Writes what waits, and ends the thread. */
  async close(): Promise<void> {
    if (this.#closed) return;
    // Whoever ends the program does not wait for a disk that has stopped.
    const late = setTimeout(() => this.#link?.end("It took too long to close"), LAST);
    try {
      this.#hand(Infinity);
      await this.#ask({ do: "close" });
    } catch (error) {
      this.#options.log.warn("query_log.close_failed", "The query log did not close as it should", {
        error,
      });
    }
    clearTimeout(late);
    this.#end();
  }

  async #begin(): Promise<void> {
    clearTimeout(this.#again);
    this.#link?.end();
    const link = this.#link = new ThreadLink({
      module: this.#options.module ?? new URL("./thread.ts", import.meta.url),
      look: this.#options.look,
      heard: (said) => this.#hear(said),
      died: (why) => this.#died(why),
    });
    const config = this.#config;
    // What waits is numbered already; what comes from now on must be above all that is there.
    const last = await link.ask({ do: "open", path: this.#options.path, config });
    this.#waiting.goOn(Number(last));
    if (this.#config !== config) await link.ask({ do: "configure", config: this.#config });
    this.#isOpen = true;
    this.#begun = performance.now();
    this.#hand();
  }

  #died(why: string): void {
    const lost = this.#unsettled;
    this.#dropped += lost;
    this.#unsettled = this.#blocks = 0;
    this.#link = null;
    this.#isOpen = false;
    if (performance.now() - this.#begun > PROVEN) this.#pause = this.#options.again ?? AGAIN;
    this.#begun = Infinity;
    this.#options.log.warn("query_log.restarted", "The query log stopped, and is opened again", {
      why,
      lost,
    });
    this.#openAgain();
  }

  #openAgain(): void {
    if (this.#closed) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      this.#begin().catch((error) => {
        // A thread that died has brought itself to mind.
        if (this.#link === null) return;
        this.#link.end();
        this.#link = null;
        this.#options.log.warn(
          "query_log.reopen_failed",
          "The query log cannot be opened again yet",
          { error },
        );
        this.#openAgain();
      });
    }, this.#pause);
    this.#pause = Math.min(2 * this.#pause, AGAIN_MOST);
  }

  /** Hands what waits to the thread, unless that has enough before it. */
  #hand(most = MOST_BLOCKS): void {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    while (this.#blocks < most && this.#handOne());
  }

  #handOne(): boolean {
    const link = this.#link;
    const block = this.#isOpen && link !== null ? this.#waiting.take() : null;
    if (block === null) return false;
    this.#blocks++;
    this.#unsettled += sizeOf(block);
    link!.write(block);
    return true;
  }

  #hear(said: Said): void {
    if (said.kind === "settled") {
      this.#unsettled -= said.written + said.lost;
      this.#dropped += said.lost;
      if (said.why !== "") this.#complain(said);
      return;
    }
    this.#blocks--;
    if (this.#waiting.hasFull) this.#hand();
    else if (!this.#waiting.isEmpty) this.#gather ??= setTimeout(() => this.#hand(), GATHER);
  }

  #complain({ lost, why }: Settled): void {
    const now = performance.now();
    if (now - this.#complained < COMPLAIN) return;
    this.#complained = now;
    const { log } = this.#options;
    if (lost === 0) {
      log.warn("query_log.maintenance_failed", "The query log could not be tidied", { why });
    } else {log.warn("query_log.queries_dropped", "Queries could not be written down", {
        dropped: this.#dropped,
        why,
      });}
  }

  /** Asks about everything that was recorded until now. */
  #told(ask: Ask): Promise<unknown> {
    this.#hand(ASKED_BLOCKS);
    return this.#ask(ask);
  }

  #ask(ask: Ask): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Problem(503, "The query log is closed"));
    if (this.#link === null || !this.#isOpen) {
      return Promise.reject(new Problem(503, "The query log stopped, and is opened again soon"));
    }
    return this.#link.ask(ask);
  }

  #end(): void {
    this.#closed = true;
    clearInterval(this.#trimmer);
    clearTimeout(this.#gather);
    clearTimeout(this.#again);
    this.#link?.end();
    this.#link = null;
  }
}

import type { Log } from "../../core/log.ts";
import { Problem } from "../../core/problem.ts";
import { QueryBatch } from "./batch.ts";
import type { EventBatch, LogStatus } from "./book.ts";
import { Discretion } from "./discretion.ts";
import type { LogConfig } from "./schema.ts";
import type { QueryLog, QueryRecord } from "./sink.ts";
import type { LogPage, LogQuery } from "./table.ts";
import type { Ask, FromThread, ToThread } from "./work.ts";

/** Queries that wait to be written, and bytes of their answers; more are dropped. */
const MOST_WAITING = 8192, MOST_BYTES = 16 << 20;
/** Batches that the thread may have before it. */
const MOST_BATCHES = 2;
/** Milliseconds after which what waits is handed over. */
const GATHER = 200;
/** Milliseconds between two complaints about a disk that does not take what is written. */
const COMPLAIN = 60_000;
/** Milliseconds between looks for what is too old. */
const TRIM = 10 * 60_000;

/** What the query log is opened with. */
export interface LogStoreOptions {
  /** Its file, made when missing. */
  readonly path: string;
  readonly config: LogConfig;
  readonly log: Pick<Log, "warn">;
}

/**
 * The query log as the resolver has it: taking a query in costs a copy of its answer, everything else
 * happens in a thread of its own. What comes faster than it can be written is dropped and counted.
 */
export class LogStore implements QueryLog {
  readonly #thread: Worker;
  readonly #log: LogStoreOptions["log"];
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #trimmer: ReturnType<typeof setInterval>;
  #config: LogConfig;
  #discretion: Discretion;
  readonly #waiting: QueryBatch = new QueryBatch();
  #batches = 0;
  #gather: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;
  #dropped = 0;
  #complained = -Infinity;
  #closed = false;

  private constructor({ config, log }: LogStoreOptions) {
    this.#log = log;
    this.#config = config;
    this.#discretion = new Discretion(config);
    this.#thread = new Worker(new URL("./thread.ts", import.meta.url).href, {
      type: "module",
      name: "query log",
    });
    this.#thread.onmessage = ({ data }: MessageEvent<FromThread>) => this.#hear(data);
    this.#thread.onerror = (event) => {
      event.preventDefault();
      this.#end(event.message);
    };
    this.#trimmer = setInterval(() => {
      this.#ask({ do: "trim" }).catch((error) =>
        log.warn("The query log could not be trimmed", { error })
      );
    }, TRIM);
  }

  /** Opens the log; what it had stays. Throws when its file can be neither used nor replaced. */
  static async open(options: LogStoreOptions): Promise<LogStore> {
    const store = new LogStore(options);
    try {
      await store.#ask({ do: "open", path: options.path, config: options.config });
      return store;
    } catch (error) {
      store.#end("closed");
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
    if (this.#waiting.size >= MOST_WAITING || this.#waiting.bytes >= MOST_BYTES) {
      this.#dropped++;
      return;
    }
    this.#waiting.add(query);
    this.#gather ??= setTimeout(() => this.#hand(), GATHER);
  }

  /** Follows new settings: what they hide is hidden from the next query on. */
  async configure(config: LogConfig): Promise<void> {
    if (JSON.stringify(config) === JSON.stringify(this.#config)) return;
    this.#config = config;
    this.#discretion = new Discretion(config);
    this.#waiting.drop(({ client, name }) => this.#discretion.hides(client, name));
    await this.#ask({ do: "configure", config });
  }

  page(query: LogQuery): Promise<LogPage> {
    this.#hand();
    return this.#ask({ do: "page", query }) as Promise<LogPage>;
  }

  status(client: string, since: number): Promise<LogStatus> {
    this.#hand();
    return this.#ask({ do: "status", client, since }) as Promise<LogStatus>;
  }

  /** Forgets all that an address asked; "" forgets everything. */
  async forget(client: string): Promise<void> {
    this.#waiting.drop((query) => client === "" || query.client === client);
    await this.#ask({ do: "forget", client });
  }

  /** Forgets what devices asked that are not among these. */
  async keepOnly(identities: readonly string[]): Promise<void> {
    this.#hand();
    await this.#ask({ do: "keepOnly", identities });
  }

  /** What happened after an entry; see the book of the log. */
  events(
    after: number | null,
    options: { readonly wait: number; readonly most: number },
  ): Promise<EventBatch> {
    return this.#ask({ do: "events", after, ...options }) as Promise<EventBatch>;
  }

  /** Writes what waits, and ends the thread. */
  async close(): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#gather);
    this.#batches = 0;
    this.#hand();
    await this.#ask({ do: "close" }).catch((error) =>
      this.#log.warn("The query log did not close as it should", { error })
    );
    this.#end("closed");
  }

  /** Hands what waits to the thread, unless that has enough before it. */
  #hand(): void {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    if (this.#waiting.size === 0 || this.#closed) return;
    if (this.#batches >= MOST_BATCHES) return;
    this.#batches++;
    this.#send({ kind: "write", batch: this.#waiting.take() });
  }

  #hear(data: FromThread): void {
    if (data.kind === "written") {
      this.#batches = Math.max(0, this.#batches - 1);
      if (data.lost > 0) this.#complain(data);
      if (this.#waiting.size > 0) this.#gather ??= setTimeout(() => this.#hand(), GATHER);
      return;
    }
    const asked = this.#asked.get(data.id);
    this.#asked.delete(data.id);
    if (data.kind === "told") asked?.resolve(data.value);
    else asked?.reject(new Problem(502, `The query log: ${data.why}`));
  }

  #complain({ lost, why }: { readonly lost: number; readonly why: string }): void {
    this.#dropped += lost;
    const now = performance.now();
    if (now - this.#complained < COMPLAIN) return;
    this.#complained = now;
    this.#log.warn("Queries could not be written down", { dropped: this.#dropped, why });
  }

  #ask(ask: Ask): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Problem(503, "The query log is closed"));
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(++this.#lastId, asked);
    this.#send({ kind: "ask", id: this.#lastId, ask });
    return asked.promise;
  }

  #send(message: ToThread): void {
    const transfer = message.kind === "write" ? [message.batch.bytes.buffer] : [];
    this.#thread.postMessage(message, transfer);
  }

  #end(why: string): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#trimmer);
    clearTimeout(this.#gather);
    this.#thread.terminate();
    for (const { reject } of this.#asked.values()) {
      reject(new Problem(503, `The query log: ${why}`));
    }
    this.#asked.clear();
    if (why !== "closed") this.#log.warn("The query log stopped", { why });
  }
}

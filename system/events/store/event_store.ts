import type { Config } from "../../config.ts";
import { isRecord } from "../../core/config/json.ts";
import type { Bus, BusEvent } from "../../core/events/bus.ts";
import { errorText } from "../../core/errors/error_text.ts";
import { type EventStoreSettings, keeps } from "../settings_schema.ts";
import { type ItemTime, parseItemTime } from "./item_time.ts";
import type { Answers, EventRow, Request, Retention, StoredEvent } from "./messages.ts";
import type { StoreLink } from "./store_link.ts";

/** Milliseconds that events are gathered, and how many are not waited for. */
const GATHER_MS = 200, ROWS_PER_BATCH = 500;
/** Events and characters that may wait to be written; beyond that the oldest give way. */
const MAX_WAITING = 20_000, MAX_WAITING_CHARACTERS = 32 << 20;
const RETRY_DELAY_MS = 2000;
/** Characters of one payload; a larger one is stored without its content. */
const MAX_PAYLOAD = 256 << 10;

/** What an {@link EventStore} needs from outside. */
export interface EventStoreOptions {
  readonly path: string;
  readonly bus: Pick<Bus, "subscribe" | "continueAfter">;
  /** Its settings: which topics are stored, and for how long. */
  readonly engine: { readonly config: Pick<Config, "eventStore"> };
  readonly link: (died: (reason: string) => void) => StoreLink;
  /** Called with what was lost, and of failures, for the log. */
  readonly failed: (detail: string) => void;
}

/** Writes the events of a bus to the event store, in batches, and asks it. */
export class EventStore {
  readonly #options: EventStoreOptions;
  readonly #stops: readonly (() => void)[];
  #waiting: EventRow[] = [];
  #characters = 0;
  #link: StoreLink;
  #opened: Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | null = null;
  #lost = 0;
  #isClosed = false;

  /** Opens it in the background: events wait until it is. */
  constructor(options: EventStoreOptions) {
    this.#options = options;
    [this.#link, this.#opened] = this.#open();
    const { bus } = options;
    this.#stops = [
      bus.subscribe((event) => this.#take(event)),
      bus.subscribe(() => this.#configure(), ["events"]),
    ];
  }

  #open(): [StoreLink, Promise<void>] {
    const { path, bus, failed } = this.#options;
    const link = this.#options.link((reason) => {
      failed(`It ended: ${reason}`);
      this.#reopenLater();
    });
    const opened = link.ask({ type: "open", path, retention: this.#retention() }).then((answer) => {
      bus.continueAfter(answer.last);
      if (answer.loss !== null) failed(`It begins anew: ${answer.loss}`);
    });
    opened.catch((error) => {
      failed(errorText(error));
      this.#reopenLater();
    });
    return [link, opened];
  }

  #retention(): Retention {
    return retentionOf(this.#options.engine.config.eventStore);
  }

  /** Passes changed settings on; where the store is away it gets them when it is opened again. */
  #configure(): void {
    this.ask({ type: "configure", retention: this.#retention() }).catch(() => {});
  }

  #reopenLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => this.#reopen(), RETRY_DELAY_MS);
  }

  #reopen(): void {
    if (this.#isClosed) return;
    this.#link.end();
    [this.#link, this.#opened] = this.#open();
    this.#opened.then(() => this.#soon(), () => {});
  }

  #take(event: BusEvent): void {
    if (event.delivery?.store === false) return;
    if (!keeps(this.#options.engine.config.eventStore, event.topic)) return;
    const { id, topic } = event;
    const text = JSON.stringify(event.data) ?? "null";
    const isWhole = text.length <= MAX_PAYLOAD;
    const data = isWhole ? text : JSON.stringify({ truncated: true, length: text.length });
    const time = eventTime(isWhole ? event : { ...event, data: null });
    this.#waiting.push({ id, topic, ...time, key: null, data, published: true });
    this.#characters += data.length;
    while (this.#waiting.length > MAX_WAITING || this.#characters > MAX_WAITING_CHARACTERS) {
      this.#characters -= this.#waiting.shift()!.data.length;
      this.#lost++;
    }
    this.#soon();
  }

  #soon(): void {
    if (this.#waiting.length >= ROWS_PER_BATCH) void this.#write();
    else this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS);
  }

  /** Writes what waits, a batch after the other. Never rejects. */
  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#writing ??= this.#writeAll().finally(() => this.#writing = null);
  }

  async #writeAll(): Promise<void> {
    try {
      await this.#opened;
      while (this.#waiting.length > 0) {
        const rows = this.#waiting.slice(0, ROWS_PER_BATCH);
        await this.#link.ask({ type: "append", rows });
        // Some may have given way meanwhile.
        const last = rows.at(-1)!.id;
        while (this.#waiting.length > 0 && this.#waiting[0]!.id <= last) {
          this.#characters -= this.#waiting.shift()!.data.length;
        }
      }
      if (this.#lost > 0) {
        this.#options.failed(`${this.#lost} events came faster than they could be stored`);
        this.#lost = 0;
      }
    } catch (error) {
      this.#options.failed(errorText(error));
      if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.#write(), RETRY_DELAY_MS);
    }
  }

  /** Resolves when everything that was published is stored, or cannot be now. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.length > 0) await this.#write();
  }

  /** Asks the store, after what was published is in it. Rejects with Problem 503. */
  async ask<R extends Request>(request: R): Promise<Answers[R["type"]]> {
    await this.#opened;
    await this.flush();
    return await this.#link.ask(request);
  }

  /** Stored events after `id`, oldest first; null where some of them were deleted. */
  since(after: number, limit: number): Promise<readonly StoredEvent[] | null> {
    return this.ask({ type: "since", after, limit });
  }

  /** Writes what waits and ends. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#isClosed = true;
    await this.#opened.catch(() => {});
    await this.flush();
    clearTimeout(this.#timer);
    clearTimeout(this.#reopening);
    await this.#link.ask({ type: "close" }).catch(() => {});
    this.#link.end();
  }
}

function retentionOf({ Days, MaxSize, TopicLimits }: EventStoreSettings): Retention {
  return {
    days: Days,
    bytes: MaxSize,
    topics: TopicLimits.map(({ Name, Size }) => ({ name: Name, bytes: Size })),
  };
}

/** The time that a value says of itself; null where it says none. */
function ownTime(value: unknown): ItemTime | null {
  const time = isRecord(value) ? value["time"] : null;
  return typeof time === "string" ? parseItemTime(time) : null;
}

/** The time of an event's key: its own, or when it was published; made unique by its id. */
function eventTime({ id, at, data }: Pick<BusEvent, "id" | "at" | "data">): ItemTime {
  return ownTime(data) ?? { at, nanos: id % 1_000_000 };
}

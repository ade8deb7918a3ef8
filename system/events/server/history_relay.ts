import { errorText } from "../../core/errors/error_text.ts";
import type { EventStore } from "../store/event_store.ts";
import type { HistoryServer } from "./history_server.ts";

/** What the relay works on. */
export interface HistoryRelayOptions {
  readonly store: Pick<EventStore, "ask">;
  readonly server: Pick<HistoryServer, "append" | "correct">;
  /** Names the server among those that the history was ever sent to. */
  readonly name: string;
  /** Called with what went wrong, once until it works again, and with what was lost. */
  readonly failed: (detail: string) => void;
  /** Milliseconds between two looks; doubled with each failure up to `longest`. */
  readonly interval?: number;
  readonly longest?: number;
}

/** How the sending stands. Times are unix milliseconds, 0 for never. */
export interface RelayState {
  /** When the server last took something, or had all of it. */
  readonly sentAt: number;
  readonly failedAt: number;
  /** What went wrong the last time; empty while it works. */
  readonly problem: string;
}

/** Rows and characters of one request; a single row may be longer. */
const ROWS_PER_REQUEST = 500, CHARACTERS_PER_REQUEST = 1 << 20;
/** Changed or deleted events of one request, each of up to 256 KiB. */
const CORRECTIONS_PER_REQUEST = 50;
const INTERVAL_MS = 2000, LONGEST_INTERVAL_MS = 60_000;

/**
 * Sends the event store to a server, in the order of ids. How far it came is kept in the store: what
 * could not be sent waits there, within its size and age, and goes on after a restart.
 */
export class HistoryRelay {
  readonly #options: HistoryRelayOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | null = null;
  #failures = 0;
  #isClosed = false;
  #state: RelayState = { sentAt: 0, failedAt: 0, problem: "" };

  constructor(options: HistoryRelayOptions) {
    this.#options = options;
    this.#later(0);
  }

  get state(): RelayState {
    return this.#state;
  }

  /** Sends nothing more; resolves when a request that runs has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #later(milliseconds: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#send().finally(() => this.#running = null);
    }, milliseconds);
  }

  async #send(): Promise<void> {
    const { store, server, name, failed, interval = INTERVAL_MS } = this.#options;
    const { longest = LONGEST_INTERVAL_MS } = this.#options;
    try {
      const { rows, missed } = await store.ask({
        type: "unsent",
        server: name,
        rows: ROWS_PER_REQUEST,
        characters: CHARACTERS_PER_REQUEST,
      });
      if (missed) failed("Events were deleted, by size or age, before the server took them");
      const last = rows.at(-1);
      if (last !== undefined) {
        await server.append(rows);
        await store.ask({ type: "sent", server: name, id: last.id });
      }
      const isDone = last === undefined && !await this.#correct();
      this.#failures = 0;
      this.#state = { ...this.#state, sentAt: Date.now(), problem: "" };
      this.#later(isDone ? interval : 0);
    } catch (error) {
      const problem = errorText(error);
      this.#state = { ...this.#state, failedAt: Date.now(), problem };
      if (this.#failures === 0) failed(problem);
      this.#failures++;
      this.#later(Math.min(interval * 2 ** this.#failures, longest));
    }
  }

  /** Sends what was changed or deleted of sent events; false where there is nothing. */
  async #correct(): Promise<boolean> {
    const { store, server } = this.#options;
    const rows = await store.ask({ type: "corrections", rows: CORRECTIONS_PER_REQUEST });
    const last = rows.at(-1);
    if (last === undefined) return false;
    await server.correct(rows);
    await store.ask({ type: "corrected", id: last.id });
    return true;
  }
}

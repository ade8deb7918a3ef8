import { errorText } from "../../core/errors/error_text.ts";
import type { EventStore } from "../store/event_store.ts";
import type { HistoryServer } from "./history_server.ts";

/** What the relay works on. */
export interface HistoryRelayOptions {
  readonly store: Pick<EventStore, "ask">;
  readonly server: Pick<HistoryServer, "append">;
  /** Names the server among those that the history was ever sent to. */
  readonly name: string;
  /** Called with what went wrong, once until it works again, and with what was lost. */
  readonly failed: (detail: string) => void;
  /** Milliseconds between two looks; doubled with each failure up to `longest`. */
  readonly interval?: number;
  readonly longest?: number;
}

/** Rows and characters of one request; a single row may be longer. */
const ROWS_PER_REQUEST = 500, CHARACTERS_PER_REQUEST = 1 << 20;
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

  constructor(options: HistoryRelayOptions) {
    this.#options = options;
    this.#later(0);
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
      this.#failures = 0;
      this.#later(last === undefined ? interval : 0);
    } catch (error) {
      if (this.#failures === 0) failed(errorText(error));
      this.#failures++;
      this.#later(Math.min(interval * 2 ** this.#failures, longest));
    }
  }
}

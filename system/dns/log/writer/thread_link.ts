import { Problem } from "../../../core/errors/problem.ts";
import type { FromThread, ThreadRequest, ToThread } from "./thread_messages.ts";

const PING_INTERVAL_MS = 15_000, MAX_MISSED_PINGS = 4;

/** A message that the thread sends unasked. */
export type ThreadEvent = Extract<FromThread, { readonly kind: "accepted" | "flushed" }>;

/** The result of queries that were sent to the thread. */
export type Flushed = Extract<FromThread, { readonly kind: "flushed" }>;

/** Options of a {@link ThreadLink}. */
export interface ThreadLinkOptions {
  /** Module of the thread. */
  readonly module: URL;
  readonly pingIntervalMs?: number | undefined;
  readonly onEvent: (event: ThreadEvent) => void;
  /** Called once when the thread died, except by {@link ThreadLink.end}. */
  readonly onDeath: (reason: string) => void;
}

/** The connection to one thread of the query log, for the life of that thread. */
export class ThreadLink {
  readonly #thread: Worker;
  readonly #options: ThreadLinkOptions;
  readonly #requests = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #pingTimer: ReturnType<typeof setInterval>;
  #missedPings = 0;
  #lastId = 0;
  #ended = false;

  constructor(options: ThreadLinkOptions) {
    this.#options = options;
    this.#thread = new Worker(options.module.href, { type: "module", name: "query log" });
    this.#thread.onmessage = ({ data }: MessageEvent<FromThread>) => this.#receive(data);
    this.#thread.onerror = (event) => {
      event.preventDefault();
      this.#die(event.message);
    };
    this.#pingTimer = setInterval(() => this.#ping(), options.pingIntervalMs ?? PING_INTERVAL_MS);
  }

  /** Rejects with Problem 502 when the request fails, 503 when the thread ends. */
  request(request: ThreadRequest): Promise<unknown> {
    const pending = Promise.withResolvers<unknown>();
    this.#requests.set(++this.#lastId, pending);
    this.#send({ kind: "request", id: this.#lastId, request });
    return pending.promise;
  }

  /** Sends a segment and transfers its memory. */
  write(segment: Uint8Array<ArrayBuffer>): void {
    this.#send({ kind: "write", segment }, [segment.buffer]);
  }

  end(reason = "It is closed"): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#pingTimer);
    this.#thread.terminate();
    for (const { reject } of this.#requests.values()) {
      reject(new Problem(503, `The query log: ${reason}`));
    }
    this.#requests.clear();
  }

  #send(message: ToThread, transfer: Transferable[] = []): void {
    this.#thread.postMessage(message, transfer);
  }

  #receive(data: FromThread): void {
    if (this.#ended) return;
    this.#missedPings = 0;
    if (data.kind === "accepted" || data.kind === "flushed") return this.#options.onEvent(data);
    const pending = this.#requests.get(data.id);
    this.#requests.delete(data.id);
    if (data.kind === "result") pending?.resolve(data.value);
    else pending?.reject(new Problem(502, `The query log: ${data.reason}`));
  }

  /** Finds out that a thread ended without an error. */
  #ping(): void {
    if (this.#missedPings++ === MAX_MISSED_PINGS) return this.#die("It does not answer");
    this.request({ type: "ping" }).catch(() => {});
  }

  #die(reason: string): void {
    if (this.#ended) return;
    this.end(reason);
    this.#options.onDeath(reason);
  }
}

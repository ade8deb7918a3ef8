import { Problem } from "../../../core/errors/problem.ts";
import type { Ask, FromThread, ToThread } from "./thread_messages.ts";

/** Milliseconds between two looks whether the thread lives, and looks that it may be silent for. */
const LOOK = 15_000, SILENT = 4;

/** What a thread says that nobody asked for. */
export type Said = Extract<FromThread, { readonly kind: "taken" | "settled" }>;

/** What became of queries that were handed over. */
export type Settled = Extract<FromThread, { readonly kind: "settled" }>;

/** What a link to the thread is made with. */
export interface LinkOptions {
  /** The thread's module. */
  readonly module: URL;
  /** Milliseconds between two looks whether it lives. */
  readonly look?: number | undefined;
  readonly heard: (said: Said) => void;
  /** Called once when the thread is dead, for whatever reason but {@link ThreadLink.end}. */
  readonly died: (why: string) => void;
}

/** One thread of the query log, while it lives. */
export class ThreadLink {
  readonly #thread: Worker;
  readonly #options: LinkOptions;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #looking: ReturnType<typeof setInterval>;
  #silent = 0;
  #lastId = 0;
  #ended = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#thread = new Worker(options.module.href, { type: "module", name: "query log" });
    this.#thread.onmessage = ({ data }: MessageEvent<FromThread>) => this.#hear(data);
    this.#thread.onerror = (event) => {
      event.preventDefault();
      this.#die(event.message);
    };
    this.#looking = setInterval(() => this.#look(), options.look ?? LOOK);
  }

  /** Rejects with Problem 502 when it cannot be done, 503 when the thread ends. */
  ask(ask: Ask): Promise<unknown> {
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(++this.#lastId, asked);
    this.#send({ kind: "ask", id: this.#lastId, ask });
    return asked.promise;
  }

  /** Hands a block over with its memory. */
  write(block: Uint8Array<ArrayBuffer>): void {
    this.#send({ kind: "write", block }, [block.buffer]);
  }

  end(why = "It is closed"): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#looking);
    this.#thread.terminate();
    for (const { reject } of this.#asked.values()) {
      reject(new Problem(503, `The query log: ${why}`));
    }
    this.#asked.clear();
  }

  #send(message: ToThread, transfer: Transferable[] = []): void {
    this.#thread.postMessage(message, transfer);
  }

  #hear(data: FromThread): void {
    if (this.#ended) return;
    this.#silent = 0;
    if (data.kind === "taken" || data.kind === "settled") return this.#options.heard(data);
    const asked = this.#asked.get(data.id);
    this.#asked.delete(data.id);
    if (data.kind === "told") asked?.resolve(data.value);
    else asked?.reject(new Problem(502, `The query log: ${data.why}`));
  }

  /** A thread that ended without a word answers nothing. */
  #look(): void {
    if (this.#silent++ === SILENT) return this.#die("It does not answer");
    this.ask({ do: "ping" }).catch(() => {});
  }

  #die(why: string): void {
    if (this.#ended) return;
    this.end(why);
    this.#options.died(why);
  }
}

import { readReply, type Reply } from "../response.ts";
import { LONGEST_MESSAGE, putWord, word } from "../wire.ts";
import type { ByteStream, Clock } from "./outside.ts";
import { fits, type Question, questionMessage } from "./question.ts";

/** Questions that wait on one connection before another is opened, and connections at most. */
const BUSY = 64, MOST_CONNECTIONS = 2;
/** Milliseconds without a byte, while questions wait, after which another connection is opened beside it. */
const QUIET = 700;
/** Questions that wait on one connection at most: ids are far more, memory is not. */
const MOST_WAITING = 1000;
/** Milliseconds without a byte, while questions wait, after which a connection counts as dead. */
const SILENCE = 3000;
/** How often a question is put again because its connection ended. */
const MOST_AGAIN = 2;

/** What a channel needs. */
export interface StreamChannelOptions {
  readonly open: () => Promise<ByteStream>;
  readonly clock: Clock;
  /** Fills with random bytes. */
  readonly random: (length: number) => Uint8Array;
  readonly padded: boolean;
}

interface Waiting {
  readonly question: Question;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  again: number;
  done: boolean;
}

/**
 * Questions over connections that stay open (RFC 7766, RFC 7858): many at once on each, answers in
 * any order. When a connection ends, what waits on it is put again on another.
 */
export class StreamChannel {
  readonly #options: StreamChannelOptions;
  readonly #connections = new Set<Connection>();
  #closed = false;

  constructor(options: StreamChannelOptions) {
    this.#options = options;
  }

  /** Asks; throws when no connection can be had or it is closed. The signal takes the question back. */
  ask(question: Question, signal: AbortSignal): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { question, resolve, reject, again: 0, done: false };
      signal.addEventListener("abort", () => {
        waiting.done = true;
        reject(signal.reason);
        for (const one of this.#connections) one.prune();
      }, { once: true });
      this.#put(waiting);
    });
  }

  /** Connections that are open or being opened. */
  get connections(): number {
    return this.#connections.size;
  }

  close(): void {
    this.#closed = true;
    for (const one of this.#connections) one.close();
  }

  #put(waiting: Waiting): void {
    if (waiting.done) return;
    if (this.#closed) return waiting.reject(new Error("The resolver is no longer used"));
    const lively = [...this.#connections].filter((one) => !one.isQuiet);
    let best = leastLoaded(lively);
    if (
      (best === null || best.load >= BUSY) && this.#connections.size < MOST_CONNECTIONS
    ) best = this.#open();
    best ??= leastLoaded([...this.#connections])!;
    if (best.load >= MOST_WAITING) return waiting.reject(new Error("Too many questions wait"));
    best.take(waiting);
  }

  #open(): Connection {
    const connection = new Connection(this.#options, (left, error) => {
      this.#connections.delete(connection);
      for (const waiting of left) {
        // A server may close at any time; a connection that never was is another matter.
        if (error === null && waiting.again++ < MOST_AGAIN) this.#put(waiting);
        else waiting.reject(error ?? new Error("The connection ends again and again"));
      }
    });
    this.#connections.add(connection);
    void connection.run();
    return connection;
  }
}

function leastLoaded(connections: readonly Connection[]): Connection | null {
  return connections.reduce<Connection | null>(
    (best, one) => best === null || one.load < best.load ? one : best,
    null,
  );
}

class Connection {
  readonly #options: StreamChannelOptions;
  readonly #ended: (left: readonly Waiting[], error: unknown) => void;
  readonly #sent = new Map<number, { readonly bytes: Uint8Array; readonly waiting: Waiting }>();
  #queue: Waiting[] = [];
  #stream: ByteStream | null = null;
  #writing = false;
  #over = false;
  /** When a byte came last, or the first of those that wait was put. */
  #heard = 0;
  #watch: (() => void) | null = null;

  constructor(
    options: StreamChannelOptions,
    ended: (left: readonly Waiting[], error: unknown) => void,
  ) {
    this.#options = options;
    this.#ended = ended;
  }

  get load(): number {
    return this.#queue.length + this.#sent.size;
  }

  /** It may be that its other side is gone, as after a change of the way there. */
  get isQuiet(): boolean {
    return this.#sent.size > 0 && this.#options.clock.now() - this.#heard >= QUIET;
  }

  take(waiting: Waiting): void {
    this.#queue.push(waiting);
    void this.#write();
  }

  /**
   * Forgets questions that were taken back before they were sent. Those that were sent stay until
   * something is heard: only so is a silent connection noticed.
   */
  prune(): void {
    this.#queue = this.#queue.filter(({ done }) => !done);
    if (this.#sent.size < MOST_WAITING / 2) return;
    for (const [id, { waiting }] of this.#sent) if (waiting.done) this.#sent.delete(id);
  }

  close(): void {
    this.#end(new Error("The resolver is no longer used"));
  }

  /** Lives from opening to the end. */
  async run(): Promise<void> {
    try {
      const stream = await this.#options.open();
      if (this.#over) return stream.close();
      this.#stream = stream;
    } catch (error) {
      return this.#end(error ?? new Error("No connection"));
    }
    void this.#write();
    try {
      await this.#read(this.#stream);
    } catch {
      // The other side broke off: what waits is put again.
    }
    this.#end(null);
  }

  async #read(stream: ByteStream): Promise<void> {
    let buffer = new Uint8Array(4096);
    let filled = 0;
    for (;;) {
      const size = filled >= 2 ? word(buffer, 0) : 0;
      if (filled >= 2 && filled >= size + 2) {
        this.#answer(buffer.slice(2, size + 2));
        buffer.copyWithin(0, size + 2, filled);
        filled -= size + 2;
        continue;
      }
      if (buffer.length < size + 2) {
        const larger = new Uint8Array(LONGEST_MESSAGE + 2);
        larger.set(buffer.subarray(0, filled));
        buffer = larger;
      }
      const count = await stream.read(buffer.subarray(filled));
      if (count === null || this.#over) return;
      filled += count;
      this.#heard = this.#options.clock.now();
    }
  }

  #answer(bytes: Uint8Array): void {
    const sent = this.#sent.get(word(bytes, 0));
    if (sent === undefined) return;
    const { waiting } = sent;
    if (fits(bytes, sent.bytes, waiting.question.name.length) === "other") return;
    this.#sent.delete(word(bytes, 0));
    const reply = readReply(bytes);
    waiting.done = true;
    if (reply === null) waiting.reject(new Error("The answer is malformed"));
    else waiting.resolve(reply);
  }

  async #write(): Promise<void> {
    if (this.#writing || this.#stream === null) return;
    this.#writing = true;
    try {
      while (this.#queue.length > 0 && !this.#over) {
        await this.#stream.write(this.#batch());
        this.#beWatched();
      }
    } catch {
      this.#end(null);
    } finally {
      this.#writing = false;
    }
  }

  /** Everything that waits to be sent, each message behind its length (RFC 1035 4.2.2). */
  #batch(): Uint8Array {
    const messages: Uint8Array[] = [];
    let size = 0;
    for (const waiting of this.#queue.splice(0)) {
      if (waiting.done) continue;
      const id = this.#freeId();
      const bytes = questionMessage(waiting.question, {
        id,
        cases: null,
        edns: true,
        padded: this.#options.padded,
      });
      if (this.#sent.size === 0) this.#heard = this.#options.clock.now();
      this.#sent.set(id, { bytes, waiting });
      messages.push(bytes);
      size += bytes.length + 2;
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const bytes of messages) {
      putWord(all, at, bytes.length);
      all.set(bytes, at + 2);
      at += bytes.length + 2;
    }
    return all;
  }

  #freeId(): number {
    for (;;) {
      const id = word(this.#options.random(2), 0);
      if (!this.#sent.has(id)) return id;
    }
  }

  /** A connection whose other side is gone says nothing for ever: it is given up. */
  #beWatched(): void {
    if (this.#watch !== null || this.#over) return;
    this.#watch = this.#options.clock.after(SILENCE, () => {
      this.#watch = null;
      if (this.#sent.size === 0) return;
      if (this.#options.clock.now() - this.#heard >= SILENCE) this.#end(null);
      else this.#beWatched();
    });
  }

  /** `error` null: it was open, so what waits may be put again. */
  #end(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch?.();
    this.#stream?.close();
    const left = [...[...this.#sent.values()].map(({ waiting }) => waiting), ...this.#queue]
      .filter(({ done }) => !done);
    this.#sent.clear();
    this.#queue = [];
    this.#ended(left, error);
  }
}

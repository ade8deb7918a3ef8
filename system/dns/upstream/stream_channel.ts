import { KeyTable } from "../key_table.ts";
import { readReply, type Reply } from "../response.ts";
import { LONGEST_MESSAGE, putWord, word } from "../wire.ts";
import { Dice } from "./dice.ts";
import type { ByteStream, Clock } from "./outside.ts";
import { fits, type Question, questionMessage, type TakeBack, type Told } from "./question.ts";

/** Questions that wait on one connection before another is opened, and connections at most. */
const BUSY = 64, MOST_CONNECTIONS = 2;
/** Milliseconds without a byte, while questions wait, after which another connection is opened beside it. */
const QUIET = 700;
/** Questions that wait on one connection at most: ids are far more, memory is not. */
const MOST_WAITING = 1000;
/** Milliseconds without a byte, while questions wait, after which a connection counts as dead. */
const SILENCE = 3000;
/** Bytes that are read at once. */
const READ = 16_384;
/** How often a question is put again because its connection ended. */
const MOST_AGAIN = 2;

/** What a channel needs. */
export interface StreamChannelOptions {
  readonly open: () => Promise<ByteStream>;
  readonly clock: Clock;
  /** Fills with random bytes. */
  readonly random: (length: number) => Uint8Array;
  /** Over TLS: questions are padded, and it is believed that signatures were checked (RFC 4035 4.9.3). */
  readonly secure: boolean;
}

interface Waiting {
  readonly question: Question;
  readonly told: Told;
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

  /** Asks once. `told` may be called before it returns. */
  ask(question: Question, told: Told): TakeBack {
    const waiting: Waiting = { question, told, again: 0, done: false };
    this.#put(waiting);
    return () => {
      waiting.done = true;
      for (const one of this.#connections) one.prune();
    };
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
    if (this.#closed) return fail(waiting, new Error("The resolver is no longer used"));
    const lively = [...this.#connections].filter((one) => !one.isQuiet);
    let best = leastLoaded(lively);
    if (
      (best === null || best.load >= BUSY) && this.#connections.size < MOST_CONNECTIONS
    ) best = this.#open();
    best ??= leastLoaded([...this.#connections])!;
    if (best.load >= MOST_WAITING) return fail(waiting, new Error("Too many questions wait"));
    best.take(waiting);
  }

  #open(): Connection {
    const connection = new Connection(this.#options, (left, error) => {
      this.#connections.delete(connection);
      for (const waiting of left) {
        // A server may close at any time; a connection that never was is another matter.
        if (error === null && waiting.again++ < MOST_AGAIN) this.#put(waiting);
        else fail(waiting, error ?? new Error("The connection ends again and again"));
      }
    });
    this.#connections.add(connection);
    void connection.run();
    return connection;
  }
}

function fail(waiting: Waiting, error: unknown): void {
  tell(waiting, null, error);
}

/** Tells the end of a question, unless it was taken back. */
function tell(waiting: Waiting, reply: Reply | null, error?: unknown): void {
  if (waiting.done) return;
  waiting.done = true;
  try {
    waiting.told(reply, error);
  } catch (fault) {
    // It is no fault of the connection, on which others wait.
    reportError(fault);
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
  readonly #sent = new KeyTable<{ readonly bytes: Uint8Array; readonly waiting: Waiting }>();
  readonly #dice: Dice;
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
    this.#dice = new Dice(options.random);
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
    for (const [id, { waiting }] of this.#sent.entries()) {
      if (waiting.done) this.#sent.delete(id);
    }
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
    let buffer = new Uint8Array(READ);
    let start = 0, end = 0;
    for (;;) {
      const size = end - start >= 2 ? word(buffer, start) : 0;
      if (end - start >= 2 && end - start >= size + 2) {
        this.#answer(buffer.subarray(start + 2, start + 2 + size));
        start += size + 2;
        continue;
      }
      // What is begun moves to the front, where there is room for the rest of it.
      const larger = buffer.length < size + 2 ? new Uint8Array(LONGEST_MESSAGE + 2) : buffer;
      larger.set(buffer.subarray(start, end));
      buffer = larger;
      end -= start;
      start = 0;
      const count = await stream.read(buffer.subarray(end));
      if (count === null || this.#over) return;
      end += count;
      this.#heard = this.#options.clock.now();
    }
  }

  /** Bytes are lent. */
  #answer(bytes: Uint8Array): void {
    const sent = this.#sent.get(word(bytes, 0));
    if (sent === undefined) return;
    const { waiting } = sent;
    if (fits(bytes, sent.bytes, waiting.question.name.length) === "other") return;
    this.#sent.delete(word(bytes, 0));
    const reply = readReply(bytes, this.#options.secure);
    if (reply === null) return fail(waiting, new Error("The answer is malformed"));
    tell(waiting, reply);
  }

  async #write(): Promise<void> {
    if (this.#writing || this.#stream === null) return;
    this.#writing = true;
    try {
      // All that is asked in this turn goes out in one piece.
      await null;
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
        padded: this.#options.secure,
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
      const id = this.#dice.word();
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
    const left = [...this.#sent.entries().map(([, { waiting }]) => waiting), ...this.#queue]
      .filter(({ done }) => !done);
    this.#sent.clear();
    this.#queue = [];
    this.#ended(left, error);
  }
}

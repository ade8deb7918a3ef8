import { KeyTable } from "../../core/data/key_table.ts";
import { type ParsedResponse, parseResponse } from "../codec/response_parser.ts";
import { MAX_MESSAGE_BYTES, putUint16, RCODE, uint16 } from "../codec/constants.ts";
import { Dice } from "./random_pool.ts";
import type { EdnsMemory } from "./edns_support.ts";
import type { ByteStream } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import {
  fits,
  keepAliveOf,
  type Question,
  questionMessage,
  type TakeBack,
  type Told,
} from "./upstream_query.ts";

/** Questions that wait on one connection before another is opened, and connections at most. */
const BUSY = 64, MOST_CONNECTIONS = 2;
/** Connections at most with those that the server wants closed after what waits on them. */
const MOST_WITH_LEAVING = 8;
/** Part of the time that the server allows after which an unused connection is closed, lest both do it at once. */
const UNUSED_PART = 0.9;
/** Milliseconds without a byte, while questions wait, after which another connection is opened beside it. */
const QUIET = 700;
/** What is no id of a question. */
const UNASKED = -1, ASKED = -2;
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
  /** What is known of the resolver. */
  readonly edns: EdnsMemory;
}

interface Waiting {
  readonly question: Question;
  readonly told: Told;
  again: number;
  done: boolean;
  /** It is put with EDNS the next time; it was put with it before. */
  edns: boolean;
  fell: boolean;
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
    const edns = this.#options.edns.taken;
    const waiting: Waiting = { question, told, again: 0, done: false, edns, fell: false };
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
    let best: Connection | null = null, staying = 0;
    for (const one of this.#connections) {
      if (one.isLeaving) continue;
      staying++;
      if (!one.isQuiet && (best === null || one.load < best.load)) best = one;
    }
    const mayOpen = staying < MOST_CONNECTIONS && this.#connections.size < MOST_WITH_LEAVING;
    if ((best === null || best.load >= BUSY) && mayOpen) best = this.#open();
    best ??= leastLoaded(this.#connections);
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
function tell(waiting: Waiting, reply: ParsedResponse | null, error?: unknown): void {
  if (waiting.done) return;
  waiting.done = true;
  try {
    waiting.told(reply, error);
  } catch (fault) {
    // It is no fault of the connection, on which others wait.
    reportError(fault);
  }
}

function leastLoaded(connections: Iterable<Connection>): Connection {
  return [...connections].reduce((best, one) => one.load < best.load ? one : best);
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
  /** Id of the question that asks how long the connection may stay open; before and after it no id. */
  #asksKeep: number = UNASKED;
  /** Milliseconds for which it may be unused; null as long as the server keeps it. */
  #keptFor: number | null = null;
  #unused: (() => void) | null = null;

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

  /** The server wants it closed as soon as nothing waits on it (RFC 7828 3.4). */
  get isLeaving(): boolean {
    return this.#keptFor === 0;
  }

  take(waiting: Waiting): void {
    this.#unused?.();
    this.#unused = null;
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
      const size = end - start >= 2 ? uint16(buffer, start) : 0;
      if (end - start >= 2 && end - start >= size + 2) {
        this.#answer(buffer.subarray(start + 2, start + 2 + size));
        start += size + 2;
        continue;
      }
      // What is begun moves to the front, where there is room for the rest of it.
      const larger = buffer.length < size + 2 ? new Uint8Array(MAX_MESSAGE_BYTES + 2) : buffer;
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
    const sent = this.#sent.get(uint16(bytes, 0));
    if (sent === undefined) return;
    const { waiting } = sent;
    if (fits(bytes, sent.bytes, waiting.question.name.length) === "other") return;
    const id = uint16(bytes, 0);
    this.#sent.delete(id);
    const reply = parseResponse(bytes, this.#options.secure);
    if (reply === null) fail(waiting, new Error("The answer is malformed"));
    else {
      if (id === this.#asksKeep) {
        this.#asksKeep = ASKED;
        this.#keptFor = keepAliveOf(bytes);
      }
      this.#tellOf(waiting, reply);
    }
    if (this.#keptFor !== null && this.load === 0) this.#beUnused(this.#keptFor);
  }

  #tellOf(waiting: Waiting, reply: ParsedResponse): void {
    if (reply.code === RCODE.FORMERR && waiting.edns) {
      // A resolver of before EDNS (RFC 6891 7), if it takes the same question plainly.
      waiting.edns = false;
      waiting.fell = true;
      return this.take(waiting);
    }
    if (waiting.fell && reply.code !== RCODE.FORMERR) this.#options.edns.refused();
    tell(waiting, reply);
  }

  #beUnused(milliseconds: number): void {
    this.#unused?.();
    const wait = milliseconds * UNUSED_PART;
    this.#unused = this.#options.clock.after(wait, () => this.#end(null));
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
        edns: waiting.edns,
        keepAlive: this.#asksKeep === UNASKED,
        padded: this.#options.secure,
      });
      if (this.#asksKeep === UNASKED && waiting.edns) this.#asksKeep = id;
      if (this.#sent.size === 0) this.#heard = this.#options.clock.now();
      this.#sent.set(id, { bytes, waiting });
      messages.push(bytes);
      size += bytes.length + 2;
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const bytes of messages) {
      putUint16(all, at, bytes.length);
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
    this.#unused?.();
    this.#stream?.close();
    const left = [...this.#sent.entries().map(([, { waiting }]) => waiting), ...this.#queue]
      .filter(({ done }) => !done);
    this.#sent.clear();
    this.#queue = [];
    this.#ended(left, error);
  }
}

import type { ReplyChannel } from "./pending_queries.ts";
import type { Sender } from "../../core/net/transport.ts";
import type { ByteStream } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import { MAX_MESSAGE_BYTES, putUint16, uint16 } from "../codec/constants.ts";

/** Connections at once in all, and of one client. */
const MAX_CONNECTIONS = 200, MAX_PER_CLIENT = 20;
/** Questions of one connection that may wait for an answer. */
const MAX_PENDING = 50;
/** Milliseconds without a whole question, or with an answer that is not taken (RFC 7766 6.2.3). */
const IDLE_TIMEOUT_MS = 10_000;
/** Longest question that is read: a name, EDNS and its options. */
const MAX_QUERY_BYTES = 4096;

/** Takes one query; answers the length of what is written to `out`, 0 when it is said later. */
export type QueryHandler = (
  query: Uint8Array,
  out: Uint8Array,
  from: Sender,
  way: ReplyChannel,
) => number;

/**
 * Questions over TCP (RFC 7766): many on one connection, answers in any order, each behind its length.
 * What is slow, silent or too much is closed.
 */
export class StreamServer {
  readonly #take: QueryHandler;
  readonly #clock: Clock;
  readonly #of = new Map<string, number>();
  readonly #open = new Set<Connection>();
  /** Lent to each call of {@link QueryHandler}, which does not wait. */
  readonly #out = new Uint8Array(MAX_MESSAGE_BYTES);

  constructor(take: QueryHandler, clock: Clock) {
    this.#take = take;
    this.#clock = clock;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Serves a connection to its end. Never throws. */
  async serve(stream: ByteStream, from: Sender): Promise<void> {
    const count = this.#of.get(from.address) ?? 0;
    if (this.#open.size >= MAX_CONNECTIONS || count >= MAX_PER_CLIENT) return stream.close();
    this.#of.set(from.address, count + 1);
    const connection = new Connection(stream, this.#clock);
    this.#open.add(connection);
    try {
      await connection.run((query, way) => {
        const length = this.#take(query, this.#out, from, way);
        return this.#out.subarray(0, length);
      });
    } catch {
      // Whoever asked is gone.
    } finally {
      connection.close();
      this.#open.delete(connection);
      const left = (this.#of.get(from.address) ?? 1) - 1;
      if (left > 0) this.#of.set(from.address, left);
      else this.#of.delete(from.address);
    }
  }

  close(): void {
    for (const connection of this.#open) connection.close();
  }
}

class Connection implements ReplyChannel {
  readonly stream = true;
  readonly #stream: ByteStream;
  readonly #clock: Clock;
  #waiting = 0;
  #roomAgain = Promise.withResolvers<void>();
  #queue: Uint8Array[] = [];
  #writing = false;
  #closed = false;
  #cancelIdle = (): void => {};

  constructor(stream: ByteStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    this.#rest();
  }

  limit(): number {
    return MAX_MESSAGE_BYTES;
  }

  send(bytes: Uint8Array | null): void {
    this.#waiting--;
    this.#roomAgain.resolve();
    // Nothing will be said: over TCP who asks would wait for ever.
    if (bytes === null) this.close();
    else this.#say(bytes);
  }

  async run(take: (query: Uint8Array, way: ReplyChannel) => Uint8Array): Promise<void> {
    const buffer = new Uint8Array(MAX_QUERY_BYTES + 2);
    let filled = 0;
    while (!this.#closed) {
      const size = filled >= 2 ? uint16(buffer, 0) : 0;
      if (size > MAX_QUERY_BYTES) return;
      if (filled < 2 || filled < size + 2) {
        const count = await this.#stream.read(buffer.subarray(filled));
        if (count === null) break;
        filled += count;
        continue;
      }
      this.#rest();
      const answer = this.#taken(take, buffer.subarray(2, size + 2));
      if (answer.length > 0) this.#say(answer);
      buffer.copyWithin(0, size + 2, filled);
      filled -= size + 2;
      // A question without answer, as one that is none: whoever sends that is not listened to.
      if (answer.length === 0 && this.#waiting === 0) return;
      while ((this.#waiting >= MAX_PENDING || this.#queue.length > 0) && !this.#closed) {
        this.#roomAgain = Promise.withResolvers();
        await this.#roomAgain.promise;
      }
    }
    // The other side says no more, but may still wait for answers.
    while ((this.#waiting > 0 || this.#queue.length > 0) && !this.#closed) {
      this.#roomAgain = Promise.withResolvers();
      await this.#roomAgain.promise;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelIdle();
    this.#roomAgain.resolve();
    this.#stream.close();
  }

  #taken(
    take: (query: Uint8Array, way: ReplyChannel) => Uint8Array,
    query: Uint8Array,
  ): Uint8Array {
    this.#waiting++;
    try {
      const answer = take(query, this);
      if (answer.length > 0) this.#waiting--;
      return answer;
    } catch (error) {
      // It ends this connection, of which nothing else is told.
      reportError(error);
      throw error;
    }
  }

  #say(bytes: Uint8Array): void {
    if (this.#closed) return;
    const framed = new Uint8Array(bytes.length + 2);
    putUint16(framed, 0, bytes.length);
    framed.set(bytes, 2);
    this.#queue.push(framed);
    void this.#write();
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    try {
      while (this.#queue.length > 0 && !this.#closed) {
        await this.#stream.write(this.#queue[0]!);
        this.#queue.shift();
        this.#rest();
      }
    } catch {
      this.close();
    } finally {
      this.#writing = false;
      this.#roomAgain.resolve();
    }
  }

  /** Counts the time without anything whole from now on. */
  #rest(): void {
    this.#cancelIdle();
    if (!this.#closed) this.#cancelIdle = this.#clock.after(IDLE_TIMEOUT_MS, () => this.close());
  }
}

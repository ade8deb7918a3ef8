import type { Way } from "./pending_queries.ts";
import type { Sender } from "../../core/net/transport.ts";
import type { ByteStream } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import { LONGEST_MESSAGE, putWord, word } from "../codec/constants.ts";

/** Connections at once in all, and of one client. */
const MOST_CONNECTIONS = 200, MOST_OF_CLIENT = 20;
/** Questions of one connection that may wait for an answer. */
const MOST_WAITING = 50;
/** Milliseconds without a whole question, or with an answer that is not taken (RFC 7766 6.2.3). */
const IDLE = 10_000;
/** Longest question that is read: a name, EDNS and its options. */
const LONGEST_QUESTION = 4096;

/** Takes one query; answers the length of what is written to `out`, 0 when it is said later. */
export type TakeQuery = (query: Uint8Array, out: Uint8Array, from: Sender, way: Way) => number;

/**
 * Questions over TCP (RFC 7766): many on one connection, answers in any order, each behind its length.
 * What is slow, silent or too much is closed.
 */
export class StreamServer {
  readonly #take: TakeQuery;
  readonly #clock: Clock;
  readonly #of = new Map<string, number>();
  readonly #open = new Set<Connection>();
  /** Lent to each call of {@link TakeQuery}, which does not wait. */
  readonly #out = new Uint8Array(LONGEST_MESSAGE);

  constructor(take: TakeQuery, clock: Clock) {
    this.#take = take;
    this.#clock = clock;
  }

  get connections(): number {
    return this.#open.size;
  }

  /** Serves a connection to its end. Never throws. */
  async serve(stream: ByteStream, from: Sender): Promise<void> {
    const count = this.#of.get(from.address) ?? 0;
    if (this.#open.size >= MOST_CONNECTIONS || count >= MOST_OF_CLIENT) return stream.close();
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

class Connection implements Way {
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
    return LONGEST_MESSAGE;
  }

  later(bytes: Uint8Array | null): void {
    this.#waiting--;
    this.#roomAgain.resolve();
    // Nothing will be said: over TCP who asks would wait for ever.
    if (bytes === null) this.close();
    else this.#say(bytes);
  }

  async run(take: (query: Uint8Array, way: Way) => Uint8Array): Promise<void> {
    const buffer = new Uint8Array(LONGEST_QUESTION + 2);
    let filled = 0;
    while (!this.#closed) {
      const size = filled >= 2 ? word(buffer, 0) : 0;
      if (size > LONGEST_QUESTION) return;
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
      while ((this.#waiting >= MOST_WAITING || this.#queue.length > 0) && !this.#closed) {
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

  #taken(take: (query: Uint8Array, way: Way) => Uint8Array, query: Uint8Array): Uint8Array {
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
    putWord(framed, 0, bytes.length);
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
    if (!this.#closed) this.#cancelIdle = this.#clock.after(IDLE, () => this.close());
  }
}

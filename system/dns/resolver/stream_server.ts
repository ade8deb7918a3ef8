import type { ReplyChannel } from "./pending_queries.ts";
import type { Sender } from "../../core/net/transport.ts";
import type { ByteStream } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import { MAX_MESSAGE_BYTES, putUint16, uint16 } from "../codec/constants.ts";

/** Connections in all, and of one client. */
const MAX_CONNECTIONS = 200, MAX_PER_CLIENT = 20;
/** Pending queries of one connection. */
const MAX_PENDING = 50;
/** Time without a complete query, or with a response that is not read (RFC 7766 6.2.3). */
const IDLE_TIMEOUT_MS = 10_000;
/** Longest query: a name, EDNS and its options. */
const MAX_QUERY_BYTES = 4096;

/** Handles one query; returns the length of the response in `out`, 0 when it is sent later. */
export type QueryHandler = (
  query: Uint8Array,
  out: Uint8Array,
  from: Sender,
  channel: ReplyChannel,
) => number;

/**
 * DNS over TCP (RFC 7766): many queries on one connection, responses in any order, each behind its
 * length. Slow, idle and excess connections are closed.
 */
export class StreamServer {
  readonly #handle: QueryHandler;
  readonly #clock: Clock;
  readonly #countByClient = new Map<string, number>();
  readonly #connections = new Set<Connection>();
  /** Lent to each call of {@link QueryHandler}, which does not wait. */
  readonly #out = new Uint8Array(MAX_MESSAGE_BYTES);

  constructor(handle: QueryHandler, clock: Clock) {
    this.#handle = handle;
    this.#clock = clock;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Serves a connection to its end. Never throws. */
  async serve(stream: ByteStream, from: Sender): Promise<void> {
    const count = this.#countByClient.get(from.address) ?? 0;
    if (this.#connections.size >= MAX_CONNECTIONS || count >= MAX_PER_CLIENT) return stream.close();
    this.#countByClient.set(from.address, count + 1);
    const connection = new Connection(stream, this.#clock);
    this.#connections.add(connection);
    try {
      await connection.run((query, channel) => {
        const length = this.#handle(query, this.#out, from, channel);
        return this.#out.subarray(0, length);
      });
    } catch {
      // The client is gone.
    } finally {
      connection.close();
      this.#connections.delete(connection);
      const left = (this.#countByClient.get(from.address) ?? 1) - 1;
      if (left > 0) this.#countByClient.set(from.address, left);
      else this.#countByClient.delete(from.address);
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

class Connection implements ReplyChannel {
  readonly stream = true;
  readonly #stream: ByteStream;
  readonly #clock: Clock;
  #pending = 0;
  #progress = Promise.withResolvers<void>();
  #queue: Uint8Array[] = [];
  #writing = false;
  #closed = false;
  #cancelIdle = (): void => {};

  constructor(stream: ByteStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    this.#restartIdleTimer();
  }

  limit(): number {
    return MAX_MESSAGE_BYTES;
  }

  send(bytes: Uint8Array | null): void {
    this.#pending--;
    this.#progress.resolve();
    // There will be no response: over TCP the client would wait for ever.
    if (bytes === null) this.close();
    else this.#queueResponse(bytes);
  }

  async run(handle: (query: Uint8Array, channel: ReplyChannel) => Uint8Array): Promise<void> {
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
      this.#restartIdleTimer();
      const response = this.#respond(handle, buffer.subarray(2, size + 2));
      if (response.length > 0) this.#queueResponse(response);
      buffer.copyWithin(0, size + 2, filled);
      filled -= size + 2;
      // A query without a response, such as an invalid one, ends the connection.
      if (response.length === 0 && this.#pending === 0) return;
      while ((this.#pending >= MAX_PENDING || this.#queue.length > 0) && !this.#closed) {
        this.#progress = Promise.withResolvers();
        await this.#progress.promise;
      }
    }
    // The client closed its side, but may still wait for responses.
    while ((this.#pending > 0 || this.#queue.length > 0) && !this.#closed) {
      this.#progress = Promise.withResolvers();
      await this.#progress.promise;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelIdle();
    this.#progress.resolve();
    this.#stream.close();
  }

  #respond(
    handle: (query: Uint8Array, channel: ReplyChannel) => Uint8Array,
    query: Uint8Array,
  ): Uint8Array {
    this.#pending++;
    try {
      const response = handle(query, this);
      if (response.length > 0) this.#pending--;
      return response;
    } catch (error) {
      // It ends this connection, and is reported nowhere else.
      reportError(error);
      throw error;
    }
  }

  #queueResponse(bytes: Uint8Array): void {
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
        this.#restartIdleTimer();
      }
    } catch {
      this.close();
    } finally {
      this.#writing = false;
      this.#progress.resolve();
    }
  }

  #restartIdleTimer(): void {
    this.#cancelIdle();
    if (!this.#closed) this.#cancelIdle = this.#clock.after(IDLE_TIMEOUT_MS, () => this.close());
  }
}

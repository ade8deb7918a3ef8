import { KeyTable } from "../../core/data/key_table.ts";
import type { ParsedResponse } from "../codec/response_parser.ts";
import { MAX_MESSAGE_BYTES, putUint16, uint16 } from "../codec/constants.ts";
import { RandomPool } from "./random_pool.ts";
import { mayLackEdns, readResponse } from "./read_response.ts";
import type { EdnsSupport } from "./edns_support.ts";
import type { ByteStream } from "../../core/net/transport.ts";
import type { Clock } from "../../core/time/clock.ts";
import {
  type CancelQuery,
  encodeQuery,
  keepAliveTimeout,
  type ResponseCallback,
  type UpstreamQuery,
} from "./upstream_query.ts";

/** Pending queries of one connection before another is opened, and connections at once. */
const MAX_LOAD = 64, MAX_CONNECTIONS = 2;
/** Connections with those that the server wants closed after their pending queries. */
const MAX_WITH_CLOSING = 8;
/** Part of the server's idle timeout after which we close the connection, lest both do it at once. */
const IDLE_TIMEOUT_PART = 0.9;
/** Time without a byte, with pending queries, after which another connection is opened beside it. */
const STALL_TIMEOUT_MS = 700;
/** States of the keepalive request where no query's id carries it. */
const NOT_REQUESTED = -1, RECEIVED = -2;
/** Pending queries of one connection: there are more ids, but memory is limited. */
const MAX_PENDING = 1000;
/** Time without a byte, with pending queries, after which a connection counts as dead. */
const SILENCE_TIMEOUT_MS = 3000;
const READ_BYTES = 16_384;
/** How often a query is sent again because its connection ended. */
const MAX_RESENDS = 2;

/** What a channel needs. */
export interface StreamChannelOptions {
  readonly open: () => Promise<ByteStream>;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** Over TLS: queries are padded, and the AD flag is trusted (RFC 4035 4.9.3). */
  readonly secure: boolean;
  readonly edns: EdnsSupport;
}

interface PendingQuery {
  readonly query: UpstreamQuery;
  readonly callback: ResponseCallback;
  resends: number;
  isDone: boolean;
  /** Whether it is sent with EDNS the next time. */
  edns: boolean;
  retriedWithoutEdns: boolean;
}

/**
 * Queries over persistent connections (RFC 7766, RFC 7858): many at once on each, responses in any
 * order. When a connection ends, its pending queries are sent again on another.
 */
export class StreamChannel {
  readonly #options: StreamChannelOptions;
  readonly #connections = new Set<Connection>();
  #isClosed = false;

  constructor(options: StreamChannelOptions) {
    this.#options = options;
  }

  /** Sends a query. `callback` may be called before it returns. `edns`: whether it may have EDNS. */
  query(query: UpstreamQuery, callback: ResponseCallback, edns = true): CancelQuery {
    const pending: PendingQuery = {
      query,
      callback,
      resends: 0,
      isDone: false,
      edns: edns && this.#options.edns.isSupported,
      retriedWithoutEdns: false,
    };
    this.#send(pending);
    return () => {
      pending.isDone = true;
      for (const connection of this.#connections) connection.prune();
    };
  }

  /** Nothing drops queries with EDNS inside a connection. */
  readonly mayDropEdns = false;

  /** Connections that are open or being opened. */
  get connections(): number {
    return this.#connections.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close();
  }

  #send(pending: PendingQuery): void {
    if (pending.isDone) return;
    if (this.#isClosed) return fail(pending, new Error("The resolver is no longer used"));
    let best: Connection | null = null, staying = 0;
    for (const connection of this.#connections) {
      if (connection.isClosing) continue;
      staying++;
      const isBetter = best === null || connection.load < best.load;
      if (!connection.isStalled && isBetter) best = connection;
    }
    const mayOpen = staying < MAX_CONNECTIONS && this.#connections.size < MAX_WITH_CLOSING;
    if ((best === null || best.load >= MAX_LOAD) && mayOpen) best = this.#open();
    best ??= leastLoaded(this.#connections);
    if (best.load >= MAX_PENDING) return fail(pending, new Error("Too many queries are pending"));
    best.send(pending);
  }

  #open(): Connection {
    const connection = new Connection(this.#options, (unanswered, error) => {
      this.#connections.delete(connection);
      for (const pending of unanswered) {
        // A server may close at any time; a connection that never opened is another matter.
        if (error === null && pending.resends++ < MAX_RESENDS) this.#send(pending);
        else fail(pending, error ?? new Error("The server keeps closing the connection"));
      }
    });
    this.#connections.add(connection);
    void connection.run();
    return connection;
  }
}

function fail(pending: PendingQuery, error: unknown): void {
  complete(pending, null, error);
}

/** Calls a query back, unless it was cancelled. */
function complete(pending: PendingQuery, response: ParsedResponse | null, error?: unknown): void {
  if (pending.isDone) return;
  pending.isDone = true;
  try {
    pending.callback(response, error);
  } catch (thrown) {
    // It must not end the connection, which has other queries.
    reportError(thrown);
  }
}

function leastLoaded(connections: Iterable<Connection>): Connection {
  return [...connections].reduce((best, other) => other.load < best.load ? other : best);
}

class Connection {
  readonly #options: StreamChannelOptions;
  readonly #onEnd: (unanswered: readonly PendingQuery[], error: unknown) => void;
  readonly #sent = new KeyTable<{ readonly bytes: Uint8Array; readonly pending: PendingQuery }>();
  readonly #randomPool: RandomPool;
  #queue: PendingQuery[] = [];
  #stream: ByteStream | null = null;
  #isWriting = false;
  #isEnded = false;
  /** When the last byte arrived, or the first of the pending queries was sent. */
  #activeAt = 0;
  #cancelSilenceTimer: (() => void) | null = null;
  /** Id of the query that requests the keepalive timeout; before and after it no id. */
  #keepAliveId: number = NOT_REQUESTED;
  /** Milliseconds for which it may be idle; null as long as the server keeps it. */
  #idleTimeout: number | null = null;
  #cancelIdleTimer: (() => void) | null = null;

  constructor(
    options: StreamChannelOptions,
    onEnd: (unanswered: readonly PendingQuery[], error: unknown) => void,
  ) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#randomPool = new RandomPool(options.random);
  }

  get load(): number {
    return this.#queue.length + this.#sent.size;
  }

  /** The other end may be gone, as after a change of the uplink. */
  get isStalled(): boolean {
    return this.#sent.size > 0 && this.#options.clock.now() - this.#activeAt >= STALL_TIMEOUT_MS;
  }

  /** The server wants it closed once nothing is pending (RFC 7828 3.4). */
  get isClosing(): boolean {
    return this.#idleTimeout === 0;
  }

  send(pending: PendingQuery): void {
    this.#cancelIdleTimer?.();
    this.#cancelIdleTimer = null;
    this.#queue.push(pending);
    void this.#write();
  }

  /**
   * Drops queries that were cancelled before they were sent. Those that were sent stay until bytes
   * arrive: only so is a silent connection noticed.
   */
  prune(): void {
    this.#queue = this.#queue.filter(({ isDone }) => !isDone);
    if (this.#sent.size < MAX_PENDING / 2) return;
    for (const [id, { pending }] of this.#sent.entries()) {
      if (pending.isDone) this.#sent.delete(id);
    }
  }

  close(): void {
    this.#end(new Error("The resolver is no longer used"));
  }

  /** Runs from opening to the end. */
  async run(): Promise<void> {
    try {
      const stream = await this.#options.open();
      if (this.#isEnded) return stream.close();
      this.#stream = stream;
    } catch (error) {
      return this.#end(error ?? new Error("No connection"));
    }
    void this.#write();
    try {
      await this.#read(this.#stream);
    } catch {
      // The server ended the connection: pending queries are sent again.
    }
    this.#end(null);
  }

  async #read(stream: ByteStream): Promise<void> {
    let buffer = new Uint8Array(READ_BYTES);
    let start = 0, end = 0;
    for (;;) {
      const size = end - start >= 2 ? uint16(buffer, start) : 0;
      if (end - start >= 2 && end - start >= size + 2) {
        this.#receive(buffer.subarray(start + 2, start + 2 + size));
        start += size + 2;
        continue;
      }
      // A partial message moves to the front, where there is room for the rest of it.
      const larger = buffer.length < size + 2 ? new Uint8Array(MAX_MESSAGE_BYTES + 2) : buffer;
      larger.set(buffer.subarray(start, end));
      buffer = larger;
      end -= start;
      start = 0;
      const count = await stream.read(buffer.subarray(end));
      if (count === null || this.#isEnded) return;
      end += count;
      this.#activeAt = this.#options.clock.now();
    }
  }

  /** Bytes are lent. */
  #receive(bytes: Uint8Array): void {
    const sent = this.#sent.get(uint16(bytes, 0));
    if (sent === undefined) return;
    const { pending } = sent;
    const id = uint16(bytes, 0);
    const reading = readResponse(bytes, sent.bytes, {
      nameLength: pending.query.name.length,
      isTrusted: this.#options.secure,
      isStream: true,
    });
    if (reading.kind === "none") return;
    this.#sent.delete(id);
    if (reading.kind !== "whole" && reading.kind !== "short") {
      fail(pending, new Error("The response is malformed"));
    } else {
      if (id === this.#keepAliveId) {
        this.#keepAliveId = RECEIVED;
        this.#idleTimeout = reading.kind === "whole" ? keepAliveTimeout(bytes) : null;
      }
      this.#handle(pending, reading.response, reading.code);
    }
    if (this.#idleTimeout !== null && this.load === 0) this.#startIdleTimer(this.#idleTimeout);
  }

  #handle(pending: PendingQuery, response: ParsedResponse, code: number): void {
    if (mayLackEdns(code) && pending.edns) {
      // A resolver without EDNS (RFC 6891 7), if it accepts the same query without it.
      pending.edns = false;
      pending.retriedWithoutEdns = true;
      return this.send(pending);
    }
    if (pending.retriedWithoutEdns && !mayLackEdns(code)) {
      this.#options.edns.markUnsupported();
    }
    complete(pending, response);
  }

  #startIdleTimer(milliseconds: number): void {
    this.#cancelIdleTimer?.();
    const delay = milliseconds * IDLE_TIMEOUT_PART;
    this.#cancelIdleTimer = this.#options.clock.after(delay, () => this.#end(null));
  }

  async #write(): Promise<void> {
    if (this.#isWriting || this.#stream === null) return;
    this.#isWriting = true;
    try {
      // All queries of this turn go out in one write.
      await null;
      while (this.#queue.length > 0 && !this.#isEnded) {
        await this.#stream.write(this.#batch());
        this.#startSilenceTimer();
      }
    } catch {
      this.#end(null);
    } finally {
      this.#isWriting = false;
    }
  }

  /** All queued queries, each message behind its length (RFC 1035 4.2.2). */
  #batch(): Uint8Array {
    const messages: Uint8Array[] = [];
    let size = 0;
    for (const pending of this.#queue.splice(0)) {
      if (pending.isDone) continue;
      const id = this.#freeId();
      const bytes = encodeQuery(pending.query, {
        id,
        caseBits: null,
        edns: pending.edns,
        keepAlive: this.#keepAliveId === NOT_REQUESTED,
        padded: this.#options.secure,
      });
      if (this.#keepAliveId === NOT_REQUESTED && pending.edns) this.#keepAliveId = id;
      if (this.#sent.size === 0) this.#activeAt = this.#options.clock.now();
      this.#sent.set(id, { bytes, pending });
      messages.push(bytes);
      size += bytes.length + 2;
    }
    const batch = new Uint8Array(size);
    let at = 0;
    for (const bytes of messages) {
      putUint16(batch, at, bytes.length);
      batch.set(bytes, at + 2);
      at += bytes.length + 2;
    }
    return batch;
  }

  #freeId(): number {
    for (;;) {
      const id = this.#randomPool.uint16();
      if (!this.#sent.has(id)) return id;
    }
  }

  /** Ends a connection whose other end is gone, which would stay silent for ever. */
  #startSilenceTimer(): void {
    if (this.#cancelSilenceTimer !== null || this.#isEnded) return;
    this.#cancelSilenceTimer = this.#options.clock.after(SILENCE_TIMEOUT_MS, () => {
      this.#cancelSilenceTimer = null;
      if (this.#sent.size === 0) return;
      if (this.#options.clock.now() - this.#activeAt >= SILENCE_TIMEOUT_MS) this.#end(null);
      else this.#startSilenceTimer();
    });
  }

  /** `error` null: it was open, so pending queries may be sent again. */
  #end(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelSilenceTimer?.();
    this.#cancelIdleTimer?.();
    this.#stream?.close();
    const unanswered = [...this.#sent.entries().map(([, { pending }]) => pending), ...this.#queue]
      .filter(({ isDone }) => !isDone);
    this.#sent.clear();
    this.#queue = [];
    this.#onEnd(unanswered, error);
  }
}

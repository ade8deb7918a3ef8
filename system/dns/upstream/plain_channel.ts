import { type ParsedResponse, parseResponse } from "../codec/response_parser.ts";
import { RCODE } from "../codec/constants.ts";
import { RandomPool } from "./random_pool.ts";
import { EdnsSupport } from "./edns_support.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { QuerySender, SentQuery, UpstreamNetwork } from "../../core/net/transport.ts";
import {
  type CancelQuery,
  CASE_BITS_BYTES,
  encodeQuery,
  matchResponse,
  type ResponseCallback,
  type UpstreamQuery,
} from "./upstream_query.ts";
import { StreamChannel } from "./stream_channel.ts";

/** Datagrams that are checked for one query, lest a flood of forged ones keeps us busy. */
const MAX_CHECKED_RESPONSES = 50;

/** What a plain channel needs. */
export interface PlainChannelOptions {
  readonly network: UpstreamNetwork;
  readonly address: string;
  readonly port: number;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Queries over UDP, each with a random source port, id and letter case (RFC 5452 9), so that an attacker
 * who does not see them cannot forge a response. What is truncated, or has another letter case, is
 * queried again over TCP.
 */
export class PlainChannel {
  readonly tcp: StreamChannel;
  readonly sender: QuerySender;
  readonly randomPool: RandomPool;
  readonly edns: EdnsSupport;
  readonly #pending: PlainQuery[] = [];
  #isClosed = false;

  constructor({ network, address, port, clock, random }: PlainChannelOptions) {
    this.sender = network.udp(address, port);
    this.randomPool = new RandomPool(random);
    this.edns = new EdnsSupport(clock);
    this.tcp = new StreamChannel({
      open: () => network.connect(address, port, null),
      clock,
      random,
      secure: false,
      edns: this.edns,
    });
  }

  get connections(): number {
    return this.tcp.connections;
  }

  /** Sends a query. `done` may be called before it returns. */
  query(query: UpstreamQuery, done: ResponseCallback): CancelQuery {
    if (this.#isClosed) {
      done(null, new Error("The resolver is no longer used"));
      return () => {};
    }
    const pending = new PlainQuery(this, query, done);
    pending.index = this.#pending.push(pending) - 1;
    pending.send(this.edns.isSupported);
    return () => pending.end();
  }

  /** Called by a query that is over. */
  remove({ index }: PlainQuery): void {
    const last = this.#pending.pop()!;
    if (index === this.#pending.length) return;
    this.#pending[index] = last;
    last.index = index;
  }

  close(): void {
    this.#isClosed = true;
    for (const query of [...this.#pending]) {
      query.fail(new Error("The resolver is no longer used"));
    }
    this.tcp.close();
  }
}

/** One pending query, over UDP and then over TCP where needed. */
class PlainQuery {
  /** Its index among the pending queries of its channel. */
  index = 0;
  readonly #channel: PlainChannel;
  readonly #query: UpstreamQuery;
  readonly #done: ResponseCallback;
  #message = new Uint8Array(0);
  #edns = true;
  /** It failed with EDNS; whether EDNS is unsupported shows without it. */
  #retriedWithoutEdns = false;
  #checked = 0;
  #sent: SentQuery | null = null;
  #cancelTcp: CancelQuery | null = null;
  #isDone = false;

  constructor(channel: PlainChannel, query: UpstreamQuery, done: ResponseCallback) {
    this.#channel = channel;
    this.#query = query;
    this.#done = done;
  }

  send(edns: boolean): void {
    const { randomPool, sender } = this.#channel;
    this.#edns = edns;
    this.#checked = 0;
    this.#message = encodeQuery(this.#query, {
      id: randomPool.uint16(),
      caseBits: randomPool.bytes(CASE_BITS_BYTES),
      edns,
      keepAlive: false,
      padded: false,
    });
    try {
      this.#sent = sender.send(this.#message, (bytes) => this.#receive(bytes));
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.#isDone) return;
    this.end();
    this.#done(null, error);
  }

  end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#channel.remove(this);
    this.#sent?.cancel();
    this.#cancelTcp?.();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isDone) return;
    const match = matchResponse(bytes, this.#message, this.#query.name.length);
    if (match === "case") return this.#queryOverTcp();
    const response = match === "none" ? null : parseResponse(bytes, false);
    if (response !== null) return this.#handle(response);
    if (++this.#checked >= MAX_CHECKED_RESPONSES) {
      this.fail(new Error("No response matched the query"));
    }
  }

  #handle(response: ParsedResponse): void {
    // FORMERR: a resolver without EDNS (RFC 6891 7), if it accepts the same query without it.
    if (response.code === RCODE.FORMERR && this.#edns) {
      this.#sent?.cancel();
      this.#retriedWithoutEdns = true;
      return this.send(false);
    }
    if (this.#retriedWithoutEdns && response.code !== RCODE.FORMERR) {
      this.#channel.edns.markUnsupported();
    }
    if (response.truncated) return this.#queryOverTcp();
    this.end();
    this.#done(response);
  }

  #queryOverTcp(): void {
    this.#sent?.cancel();
    this.#sent = null;
    this.#cancelTcp = this.#channel.tcp.query(this.#query, (response, error) => {
      if (this.#isDone) return;
      this.end();
      this.#done(response, error);
    });
  }
}

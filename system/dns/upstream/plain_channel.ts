import type { ParsedResponse } from "../codec/response_parser.ts";
import { RCODE } from "../codec/constants.ts";
import { RandomPool } from "./random_pool.ts";
import { mayLackEdns, readResponse } from "./read_response.ts";
import { EdnsSupport } from "./edns_support.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { QuerySender, SentQuery, UpstreamNetwork } from "../../core/net/transport.ts";
import {
  type CancelQuery,
  CASE_BITS_BYTES,
  encodeQuery,
  type ResponseCallback,
  type UpstreamQuery,
} from "./upstream_query.ts";
import { StreamChannel } from "./stream_channel.ts";

/** Datagrams that are checked for one query, lest a flood of forged ones keeps us busy. */
const MAX_CHECKED_RESPONSES = 50;
/** How long a second way of asking may take where the first has brought a response already. */
const RETRY_TIMEOUT_MS = 700;

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
 * who does not see them cannot forge a response. What is truncated or broken, or has another letter case,
 * is queried again over TCP; what is refused in mixed case once in lower case.
 */
export class PlainChannel {
  readonly tcp: StreamChannel;
  readonly sender: QuerySender;
  readonly randomPool: RandomPool;
  readonly edns: EdnsSupport;
  readonly letterCase: CaseSupport;
  readonly clock: Clock;
  readonly #pending: PlainQuery[] = [];
  #isClosed = false;

  constructor({ network, address, port, clock, random }: PlainChannelOptions) {
    this.sender = network.udp(address, port);
    this.randomPool = new RandomPool(random);
    this.clock = clock;
    this.edns = new EdnsSupport(clock);
    this.letterCase = new CaseSupport(clock);
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

  /** True when silence may be about EDNS. */
  get mayDropEdns(): boolean {
    return this.edns.isDoubtful;
  }

  /**
   * Sends a query. `done` may be called before it returns. `withoutEdns`: there was no response to it
   * with EDNS.
   */
  query(query: UpstreamQuery, done: ResponseCallback, withoutEdns = false): CancelQuery {
    if (this.#isClosed) {
      done(null, new Error("The resolver is no longer used"));
      return () => {};
    }
    const pending = new PlainQuery(this, query, done);
    pending.index = this.#pending.push(pending) - 1;
    pending.start(withoutEdns);
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
  #isMixed = true;
  /** Why it goes without EDNS: the resolver failed with it, or did not respond at all. */
  #withoutEdns: "failed" | "silent" | null = null;
  /** What mixed letter case led to; it is sent in lower case then. */
  #caseProblem: "refused" | "changed" | null = null;
  /** A response that counts if there is no better one. */
  #known: ParsedResponse | null = null;
  #checked = 0;
  #sent: SentQuery | null = null;
  #cancelTcp: CancelQuery | null = null;
  #cancelTimer: (() => void) | null = null;
  #isDone = false;

  constructor(channel: PlainChannel, query: UpstreamQuery, done: ResponseCallback) {
    this.#channel = channel;
    this.#query = query;
    this.#done = done;
  }

  /** `withoutEdns`: there was no response to it with EDNS. */
  start(withoutEdns: boolean): void {
    const { edns, letterCase } = this.#channel;
    if (withoutEdns) this.#withoutEdns = "silent";
    this.#send(!withoutEdns && edns.isSupported, letterCase.isMixed);
  }

  fail(error: unknown): void {
    this.#finish(null, error);
  }

  end(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#channel.remove(this);
    this.#stop();
  }

  #stop(): void {
    this.#sent?.cancel();
    this.#sent = null;
    this.#cancelTcp?.();
    this.#cancelTcp = null;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #finish(response: ParsedResponse | null, error?: unknown): void {
    if (this.#isDone) return;
    this.end();
    this.#done(response, error);
  }

  #send(edns: boolean, isMixed: boolean): void {
    const { randomPool, sender } = this.#channel;
    this.#stop();
    this.#edns = edns;
    this.#isMixed = isMixed;
    this.#checked = 0;
    this.#message = encodeQuery(this.#query, {
      id: randomPool.uint16(),
      caseBits: isMixed ? randomPool.bytes(CASE_BITS_BYTES) : null,
      edns,
      keepAlive: false,
      padded: false,
    });
    if (edns) this.#channel.edns.markSent();
    try {
      this.#sent = sender.send(this.#message, (bytes) => this.#receive(bytes));
    } catch (error) {
      return this.fail(error);
    }
    if (this.#known !== null) this.#startTimer(() => this.#finish(this.#known));
  }

  #startTimer(run: () => void): void {
    this.#cancelTimer = this.#channel.clock.after(RETRY_TIMEOUT_MS, run);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isDone) return;
    const reading = readResponse(bytes, this.#message, {
      nameLength: this.#query.name.length,
      isTrusted: false,
      isStream: false,
    });
    if (reading.kind === "none") {
      if (++this.#checked < MAX_CHECKED_RESPONSES) return;
      return this.fail(new Error("No response matched the query"));
    }
    if (this.#edns) this.#channel.edns.markAnswered();
    switch (reading.kind) {
      case "case":
        if (this.#isMixed) this.#caseProblem = "changed";
        return this.#queryOverTcp();
      case "short":
        this.#known = reading.response;
        return this.#queryOverTcp();
      case "whole":
        return this.#handle(reading.response, reading.code);
      default:
        return this.#queryOverTcp();
    }
  }

  #handle(response: ParsedResponse, code: number): void {
    const { edns, letterCase } = this.#channel;
    if (this.#edns && mayLackEdns(code)) {
      this.#known = response;
      this.#withoutEdns = "failed";
      return this.#send(false, this.#isMixed);
    }
    if (this.#withoutEdns === "silent") edns.markAnsweredWithout();
    else if (this.#withoutEdns === "failed" && !mayLackEdns(code)) edns.markUnsupported();
    const isRefused = code === RCODE.REFUSED;
    if (this.#caseProblem !== null) {
      letterCase.mark(isRefused);
    } else if (isRefused && this.#isMixed && letterCase.isDoubtful) {
      this.#known = response;
      this.#caseProblem = "refused";
      return this.#queryOverTcp();
    }
    this.#finish(response);
  }

  /** Over TCP, where nothing is truncated and the name is in lower case. */
  #queryOverTcp(): void {
    this.#stop();
    if (this.#caseProblem !== null) this.#startTimer(() => this.#handleNoTcp(null));
    const cancel = this.#channel.tcp.query(this.#query, (response, error) => {
      if (this.#isDone) return;
      if (response === null) return this.#handleNoTcp(error);
      if (this.#caseProblem === "refused") {
        this.#channel.letterCase.mark(response.code === RCODE.REFUSED);
      }
      this.#finish(response);
    }, this.#edns);
    if (this.#isDone) cancel();
    else this.#cancelTcp = cancel;
  }

  /** Without TCP, what mixed case was to blame for is sent in lower case, as from now on. */
  #handleNoTcp(error: unknown): void {
    if (this.#isMixed && this.#caseProblem !== null) return this.#send(this.#edns, false);
    this.#finish(this.#known, error);
  }
}

/** How long what was found out about a resolver counts, as with EDNS. */
const RETRY_DELAY_MS = 900_000;

/**
 * Whether a resolver answers names in mixed letter case. Some refuse them: that a refusal is about the
 * case shows when the same query is answered in lower case, and is remembered either way.
 */
class CaseSupport {
  readonly #clock: Clock;
  #until = -Infinity;
  #state: "unknown" | "supported" | "unsupported" = "unknown";

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False while queries go in lower case. */
  get isMixed(): boolean {
    return this.#current !== "unsupported";
  }

  /** True when a refusal may be about the case. */
  get isDoubtful(): boolean {
    return this.#current === "unknown";
  }

  /** Called with the outcome of a query that was refused in mixed case and sent again in lower case. */
  mark(isSupported: boolean): void {
    this.#state = isSupported ? "supported" : "unsupported";
    this.#until = this.#clock.now() + RETRY_DELAY_MS;
  }

  get #current(): "unknown" | "supported" | "unsupported" {
    return this.#clock.now() < this.#until ? this.#state : "unknown";
  }
}

import type { ParsedResponse } from "../codec/response_parser.ts";
import { RCODE } from "../codec/constants.ts";
import { EdnsSupport } from "./edns_support.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { UpstreamNetwork } from "../../core/net/transport.ts";
import { PlainChannel } from "./plain_channel.ts";
import type { CancelQuery, UpstreamQuery } from "./upstream_query.ts";
import { type HealthSnapshot, ResolverHealth } from "./resolver_health.ts";
import { StreamChannel } from "./stream_channel.ts";

/** An upstream resolver. */
export interface UpstreamResolver {
  readonly address: string;
  /** Name in its certificate; null: it is queried without TLS. */
  readonly tlsHost: string | null;
  /** Default 853 with TLS (RFC 7858 3.1), 53 without. */
  readonly port?: number;
}

const QUERY_TIMEOUT_MS = 5000, ATTEMPT_TIMEOUT_MS = 3000;
/** Attempts of one query. */
const MAX_ATTEMPTS = 4;

/** What a group needs. */
export interface UpstreamGroupOptions {
  readonly resolvers: readonly UpstreamResolver[];
  /** Additional CA certificates (PEM). */
  readonly trusted: readonly string[];
  readonly network: UpstreamNetwork;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
}

/** A response, and the address of the resolver that sent it. */
export interface UpstreamResponse {
  readonly response: ParsedResponse;
  readonly upstream: string;
  readonly uncacheable?: boolean;
}

/** A resolver of a group, for the status. */
export interface UpstreamState extends HealthSnapshot {
  readonly address: string;
  readonly tlsHost: string | null;
  readonly connections: number;
}

/** Called once: with a response, or with null and the error. */
export type UpstreamCallback = (result: UpstreamResponse | null, error?: unknown) => void;

/** What {@link GroupQuery} needs. */
interface GroupQueryOptions {
  readonly order: readonly Member[];
  readonly clock: Clock;
  readonly done: UpstreamCallback;
}

interface Member {
  readonly resolver: UpstreamResolver;
  readonly channel: StreamChannel | PlainChannel;
  readonly health: ResolverHealth;
}

/**
 * Resolvers of which any may respond. The fastest is queried; when it takes longer than usual, or
 * fails, the next is queried as well, and the first good response is used. One that is down is skipped,
 * and probed beside the others from time to time.
 */
export class UpstreamGroup {
  readonly #members: readonly Member[];
  readonly #clock: Clock;

  constructor(options: UpstreamGroupOptions) {
    this.#clock = options.clock;
    this.#members = options.resolvers.map((resolver) => ({
      resolver,
      channel: channelOf(resolver, options),
      health: new ResolverHealth(),
    }));
  }

  get state(): readonly UpstreamState[] {
    return this.#members.map(({ resolver, channel, health }) => ({
      address: resolver.address,
      tlsHost: resolver.tlsHost,
      connections: channel.connections,
      ...health.snapshot,
    }));
  }

  close(): void {
    for (const { channel } of this.#members) channel.close();
  }

  /** True while all of them are down. */
  get isDown(): boolean {
    return this.#members.every(({ health }) => health.isDown);
  }

  /** Queries those that are down and due for a probe; the response is not used. */
  probe(query: UpstreamQuery): void {
    this.#probe([], query);
  }

  /**
   * Calls back with the first good response; else with the last that reports a failure; null when
   * none arrives in time. It may call back before it returns.
   */
  query(query: UpstreamQuery, done: UpstreamCallback): void {
    const order = this.#order();
    new GroupQuery(query, { order, clock: this.#clock, done }).next();
    if (order.length < this.#members.length) this.#probe(order, query);
  }

  /** Those that are up, the fastest first; all when none is. */
  #order(): readonly Member[] {
    if (this.#members.length < 2) return this.#members;
    const up = this.#members.filter(({ health }) => !health.isDown);
    const order = (up.length > 0 ? up : [...this.#members])
      .sort((a, b) => a.health.rank - b.health.rank);
    for (const { health } of order.slice(1)) health.lowerRank();
    return order;
  }

  /** Probes members that are not in `order`. */
  #probe(order: readonly Member[], query: UpstreamQuery): void {
    const now = this.#clock.now();
    for (const member of this.#members) {
      if (order.includes(member) || !member.health.mayProbe(now)) continue;
      member.health.markProbed(now);
      new QueryAttempt(member, query, { clock: this.#clock, done: noop }).start();
    }
  }
}

/** What {@link QueryAttempt} needs. */
interface AttemptOptions {
  readonly clock: Clock;
  readonly done: (response: ParsedResponse | null, error: unknown, member: Member) => void;
  /** There was no response with EDNS. */
  readonly withoutEdns?: boolean;
}

/** One query to one resolver, whose health it records. */
class QueryAttempt {
  readonly #member: Member;
  readonly #query: UpstreamQuery;
  readonly #options: AttemptOptions;
  readonly #startedAt: number;
  readonly #cancelTimeout: () => void;
  #cancelQuery: CancelQuery | null = null;
  #isDone = false;

  constructor(member: Member, query: UpstreamQuery, options: AttemptOptions) {
    this.#member = member;
    this.#query = query;
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#cancelTimeout = options.clock.after(ATTEMPT_TIMEOUT_MS, () => this.#timeOut());
  }

  start(): void {
    const { channel } = this.#member;
    this.#cancelQuery = channel.query(
      this.#query,
      (response, error) => this.#finish(response, error),
      this.#options.withoutEdns,
    );
  }

  #timeOut(): void {
    this.#cancelQuery?.();
    this.#finish(null, new Error("No response in time"));
  }

  #finish(response: ParsedResponse | null, error: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#cancelTimeout();
    const { health } = this.#member;
    const now = this.#options.clock.now();
    if (response === null) health.recordFailure(now, error);
    else health.recordResponse(now - this.#startedAt);
    // Any code is a sign of life; but another resolver may know more than one that refuses.
    if (response?.code === RCODE.REFUSED || response?.code === RCODE.NOTIMP) health.raiseRank();
    this.#options.done(response, error, this.#member);
  }
}

/** A query that tries the resolvers of a group one after the other. */
class GroupQuery {
  readonly #query: UpstreamQuery;
  readonly #options: GroupQueryOptions;
  readonly #attemptOptions: AttemptOptions;
  readonly #cancelTimeout: () => void;
  #cancelNext: () => void = noop;
  #attempts = 0;
  /** One of the attempts is without EDNS, because those with it got no response. */
  #isWithoutEdns = false;
  #running = 0;
  #isDone = false;
  /** The last response that reports a failure. */
  #failure: UpstreamResponse | null = null;
  #error: unknown = null;

  constructor(query: UpstreamQuery, options: GroupQueryOptions) {
    this.#query = query;
    this.#options = options;
    const { clock } = options;
    this.#attemptOptions = {
      clock,
      done: (response, error, member) => this.#handle(member, response, error),
    };
    this.#cancelTimeout = clock.after(QUERY_TIMEOUT_MS, () => this.#giveUp());
  }

  /** Queries the next resolver; ends when there is none and no attempt is running. */
  next(): void {
    this.#cancelNext();
    if (this.#isDone) return;
    const { clock, order } = this.#options;
    const member = order[this.#attempts % Math.max(order.length, 1)];
    if (member === undefined || this.#attempts >= MAX_ATTEMPTS) {
      if (this.#running === 0) this.#giveUp();
      return;
    }
    this.#attempts++;
    this.#running++;
    // Each further attempt at the same resolver waits longer.
    const delay = member.health.hedgeDelay * Math.ceil(this.#attempts / order.length);
    this.#cancelNext = clock.after(delay, () => this.next());
    const withoutEdns = this.#attempts > order.length && member.channel.mayDropEdns;
    const options = withoutEdns ? { ...this.#attemptOptions, withoutEdns } : this.#attemptOptions;
    this.#isWithoutEdns ||= withoutEdns;
    new QueryAttempt(member, this.#query, options).start();
  }

  #handle(member: Member, response: ParsedResponse | null, error: unknown): void {
    this.#running--;
    if (response === null) {
      this.#error = error;
      return this.next();
    }
    // Without EDNS there are no signatures in it, which clients with DO rely on.
    const uncacheable = this.#isWithoutEdns && this.#query.dnssecOk;
    const result = {
      response,
      upstream: member.resolver.address,
      ...(uncacheable ? { uncacheable } : {}),
    };
    if (isGood(response)) return this.#finish(result);
    this.#failure = result;
    // Two failures are enough: the domain itself is broken.
    if (this.#attempts >= Math.min(2, this.#options.order.length)) this.#giveUp();
    else this.next();
  }

  #giveUp(): void {
    this.#finish(this.#failure, this.#error ?? new Error("No resolver is configured"));
  }

  #finish(result: UpstreamResponse | null, error?: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#cancelNext();
    this.#cancelTimeout();
    this.#options.done(result, error);
  }
}

function noop(): void {}

function isGood({ code }: ParsedResponse): boolean {
  return code === RCODE.NOERROR || code === RCODE.NXDOMAIN;
}

function channelOf(
  { address, tlsHost, port }: UpstreamResolver,
  { network, clock, random, trusted }: UpstreamGroupOptions,
): StreamChannel | PlainChannel {
  if (tlsHost === null) {
    return new PlainChannel({ network, address, port: port ?? 53, clock, random });
  }
  return new StreamChannel({
    open: () => network.connect(address, port ?? 853, { serverName: tlsHost, trusted }),
    clock,
    random,
    secure: true,
    edns: new EdnsSupport(clock),
  });
}

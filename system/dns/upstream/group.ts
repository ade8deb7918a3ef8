import type { ParsedResponse } from "../codec/response_parser.ts";
import { RCODE } from "../codec/constants.ts";
import { EdnsMemory } from "./edns_support.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { UpstreamNetwork } from "../../core/net/transport.ts";
import { PlainChannel } from "./plain_channel.ts";
import type { Question, TakeBack } from "./upstream_query.ts";
import { type Health, ResolverHealth } from "./resolver_health.ts";
import { StreamChannel } from "./stream_channel.ts";

/** A resolver outside. */
export interface UpstreamResolver {
  readonly address: string;
  /** Name in its certificate; null: it is asked without TLS. */
  readonly tlsHost: string | null;
  /** Default 853 with TLS (RFC 7858 3.1), 53 without. */
  readonly port?: number;
}

/** Milliseconds for a question in all, and for one try of it. */
const DEADLINE = 5000, TRY = 3000;
/** Tries of one question. */
const MOST_TRIES = 4;

/** What a group needs. */
export interface UpstreamGroupOptions {
  readonly resolvers: readonly UpstreamResolver[];
  readonly trusted: readonly string[];
  readonly outside: UpstreamNetwork;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
}

/** An answer, and who gave it. */
export interface Answered {
  readonly reply: ParsedResponse;
  readonly by: string;
  /** True for answers that are sent but not cached. */
  readonly fleeting?: boolean;
}

/** A resolver of a group, for people. */
export interface UpstreamState extends Health {
  readonly address: string;
  readonly tlsHost: string | null;
  readonly connections: number;
}

/** Is told once: an answer, or null and why there is none. */
export type TellAnswered = (answered: Answered | null, error?: unknown) => void;

/** What {@link GroupAsk} works with. */
interface GroupAskOptions {
  readonly order: readonly Member[];
  readonly clock: Clock;
  readonly told: TellAnswered;
}

interface Member {
  readonly resolver: UpstreamResolver;
  readonly channel: StreamChannel | PlainChannel;
  readonly health: ResolverHealth;
}

/**
 * Resolvers of which any may answer. The quickest is asked; when it takes longer than it should, or
 * fails, the next is asked as well, and the first good answer counts. One that failed again and again
 * is left out, and tried beside the others from time to time.
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

  /** True while none of them answers. */
  get isDown(): boolean {
    return this.#members.every(({ health }) => health.down);
  }

  /** Asks those that are down and rested, to see whether they answer again; nobody is told. */
  probe(question: Question): void {
    this.#probe([], question);
  }

  /**
   * Asks, and tells the first good answer; else the last that says that it could not; null when none
   * comes in time. It may be told before this returns.
   */
  ask(question: Question, told: TellAnswered): void {
    const order = this.#order();
    new GroupAsk(question, { order, clock: this.#clock, told }).next();
    if (order.length < this.#members.length) this.#probe(order, question);
  }

  /** Those that work, the quickest first; all when none does. */
  #order(): readonly Member[] {
    if (this.#members.length < 2) return this.#members;
    const up = this.#members.filter(({ health }) => !health.down);
    const order = (up.length > 0 ? up : [...this.#members])
      .sort((a, b) => a.health.rank - b.health.rank);
    for (const { health } of order.slice(1)) health.passedOver();
    return order;
  }

  /** Asks those that rested as well; only their health is of interest. */
  #probe(order: readonly Member[], question: Question): void {
    const now = this.#clock.now();
    for (const member of this.#members) {
      if (order.includes(member) || !member.health.mayBeTried(now)) continue;
      member.health.tried(now);
      new Try(member, question, { clock: this.#clock, told: nothing }).begin();
    }
  }
}

/** What {@link Try} works with. */
interface TryOptions {
  readonly clock: Clock;
  readonly told: (reply: ParsedResponse | null, error: unknown, member: Member) => void;
}

/** A question that is put to one resolver once, whose health it tells. */
class Try {
  readonly #member: Member;
  readonly #question: Question;
  readonly #options: TryOptions;
  readonly #started: number;
  readonly #cancel: () => void;
  #takeBack: TakeBack | null = null;
  #over = false;

  constructor(member: Member, question: Question, options: TryOptions) {
    this.#member = member;
    this.#question = question;
    this.#options = options;
    this.#started = options.clock.now();
    this.#cancel = options.clock.after(TRY, () => this.#late());
  }

  begin(): void {
    const { channel } = this.#member;
    this.#takeBack = channel.ask(this.#question, (reply, error) => this.#end(reply, error));
  }

  #late(): void {
    this.#takeBack?.();
    this.#end(null, new Error("No answer in time"));
  }

  #end(reply: ParsedResponse | null, error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel();
    const { health } = this.#member;
    const now = this.#options.clock.now();
    if (reply === null) health.failed(now, error);
    else if (reply.code === RCODE.REFUSED) health.failed(now, "It refuses to answer");
    else health.answered(now - this.#started);
    this.#options.told(reply, error, this.#member);
  }
}

/** A question that is put to one resolver after the other. */
class GroupAsk {
  readonly #question: Question;
  readonly #options: GroupAskOptions;
  readonly #tryOptions: TryOptions;
  readonly #cancelDeadline: () => void;
  #cancelNext: () => void = nothing;
  #tries = 0;
  #running = 0;
  #over = false;
  #poor: Answered | null = null;
  #failure: unknown = null;

  constructor(question: Question, options: GroupAskOptions) {
    this.#question = question;
    this.#options = options;
    const { clock } = options;
    this.#tryOptions = {
      clock,
      told: (reply, error, member) => this.#take(member, reply, error),
    };
    this.#cancelDeadline = clock.after(DEADLINE, () => this.#giveUp());
  }

  /** Puts it to the next; ends when there is none and nobody is awaited. */
  next(): void {
    this.#cancelNext();
    if (this.#over) return;
    const { clock, order } = this.#options;
    const member = order[this.#tries % Math.max(order.length, 1)];
    if (member === undefined || this.#tries >= MOST_TRIES) {
      if (this.#running === 0) this.#giveUp();
      return;
    }
    this.#tries++;
    this.#running++;
    // Each further try of the same resolver waits longer.
    const patience = member.health.patience * Math.ceil(this.#tries / order.length);
    this.#cancelNext = clock.after(patience, () => this.next());
    new Try(member, this.#question, this.#tryOptions).begin();
  }

  #take(member: Member, reply: ParsedResponse | null, error: unknown): void {
    this.#running--;
    if (reply === null) {
      this.#failure = error;
      return this.next();
    }
    const answered = { reply, by: member.resolver.address };
    if (isGood(reply)) return this.#end(answered);
    this.#poor = answered;
    // Two that could not are enough: the name itself is broken.
    if (this.#tries >= Math.min(2, this.#options.order.length)) this.#giveUp();
    else this.next();
  }

  #giveUp(): void {
    this.#end(this.#poor, this.#failure ?? new Error("No resolver is named"));
  }

  #end(answered: Answered | null, error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelNext();
    this.#cancelDeadline();
    this.#options.told(answered, error);
  }
}

function nothing(): void {}

function isGood({ code }: ParsedResponse): boolean {
  return code === RCODE.NOERROR || code === RCODE.NXDOMAIN;
}

function channelOf(
  { address, tlsHost, port }: UpstreamResolver,
  { outside, clock, random, trusted }: UpstreamGroupOptions,
): StreamChannel | PlainChannel {
  if (tlsHost === null) {
    return new PlainChannel({ outside, address, port: port ?? 53, clock, random });
  }
  return new StreamChannel({
    open: () => outside.connect(address, port ?? 853, { serverName: tlsHost, trusted }),
    clock,
    random,
    secure: true,
    edns: new EdnsMemory(clock),
  });
}

import type { Reply } from "../response.ts";
import { RCODE } from "../wire.ts";
import type { Clock, Outside } from "./outside.ts";
import { PlainChannel } from "./plain_channel.ts";
import type { Question, TakeBack, Told } from "./question.ts";
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
  readonly outside: Outside;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
}

/** An answer, and who gave it. */
export interface Answered {
  readonly reply: Reply;
  readonly by: string;
  /** True for what is told but not remembered. */
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
  readonly clock: Clock;
  readonly told: TellAnswered;
  readonly put: (member: Member, told: Told) => void;
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

  /**
   * Asks, and tells the first good answer; else the last that says that it could not; null when none
   * comes in time. It may be told before this returns.
   */
  ask(question: Question, told: TellAnswered): void {
    const order = this.#order();
    const one = new GroupAsk(order, {
      clock: this.#clock,
      told,
      put: (member, answered) => this.#try(member, question, answered),
    });
    one.next();
    if (order.length < this.#members.length) this.#probe(order, question);
  }

  /** Those that work, the quickest first; all when none does. */
  #order(): readonly Member[] {
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
      this.#try(member, question, nothing);
    }
  }

  #try({ channel, health }: Member, question: Question, told: Told): void {
    const started = this.#clock.now();
    let takeBack: TakeBack | null = null;
    let over = false;
    const end: Told = (reply, error) => {
      if (over) return;
      over = true;
      cancel();
      if (reply === null) health.failed(this.#clock.now(), error);
      else if (reply.code === RCODE.REFUSED) {
        health.failed(this.#clock.now(), "It refuses to answer");
      } else health.answered(this.#clock.now() - started);
      told(reply, error);
    };
    const cancel = this.#clock.after(TRY, () => {
      takeBack?.();
      end(null, new Error("No answer in time"));
    });
    takeBack = channel.ask(question, end);
  }
}

/** A question that is put to one resolver after the other. */
class GroupAsk {
  readonly #order: readonly Member[];
  readonly #options: GroupAskOptions;
  readonly #cancelDeadline: () => void;
  #cancelNext: () => void = nothing;
  #tries = 0;
  #running = 0;
  #over = false;
  #poor: Answered | null = null;
  #failure: unknown = new Error("No resolver is named");

  constructor(order: readonly Member[], options: GroupAskOptions) {
    this.#order = order;
    this.#options = options;
    this.#cancelDeadline = options.clock.after(DEADLINE, () => this.#giveUp());
  }

  /** Puts it to the next; ends when there is none and nobody is awaited. */
  next(): void {
    this.#cancelNext();
    if (this.#over) return;
    const { clock, put } = this.#options;
    const order = this.#order;
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
    put(member, (reply, error) => this.#take(member, reply, error));
  }

  #take(member: Member, reply: Reply | null, error: unknown): void {
    this.#running--;
    if (reply === null) {
      this.#failure = error;
      return this.next();
    }
    const answered = { reply, by: member.resolver.address };
    if (isGood(reply)) return this.#end(answered);
    this.#poor = answered;
    // Two that could not are enough: the name itself is broken.
    if (this.#tries >= Math.min(2, this.#order.length)) this.#giveUp();
    else this.next();
  }

  #giveUp(): void {
    this.#end(this.#poor, this.#failure);
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

function isGood({ code }: Reply): boolean {
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
    open: () => outside.stream(address, port ?? 853, { host: tlsHost, trusted }),
    clock,
    random,
    secure: true,
  });
}

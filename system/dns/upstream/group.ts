import type { Reply } from "../response.ts";
import { RCODE } from "../wire.ts";
import type { Clock, Outside } from "./outside.ts";
import { PlainChannel } from "./plain_channel.ts";
import type { Question } from "./question.ts";
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
}

/** A resolver of a group, for people. */
export interface UpstreamState extends Health {
  readonly address: string;
  readonly tlsHost: string | null;
  readonly connections: number;
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

  /** The first good answer; else the last that says that it could not. Throws when none comes in time. */
  ask(question: Question): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const order = this.#order();
    let tries = 0, running = 0, over = false;
    let poor: Answered | null = null;
    let failure: unknown = new Error("No resolver is named");
    let cancelNext = (): void => {};
    const end = (run: () => void): void => {
      if (over) return;
      over = true;
      cancelNext();
      cancelDeadline();
      run();
    };
    const giveUp = (): void => end(() => poor === null ? reject(failure) : resolve(poor));
    const cancelDeadline = this.#clock.after(DEADLINE, giveUp);
    const next = (): void => {
      cancelNext();
      if (over) return;
      const member = order[tries % Math.max(order.length, 1)];
      if (member === undefined || tries >= MOST_TRIES) {
        if (running === 0) giveUp();
        return;
      }
      tries++;
      running++;
      // Each further try of the same resolver waits longer.
      const patience = member.health.patience * Math.ceil(tries / order.length);
      cancelNext = this.#clock.after(patience, next);
      this.#try(member, question).then((reply) => {
        running--;
        const answered = { reply, by: member.resolver.address };
        if (isGood(reply)) return end(() => resolve(answered));
        poor = answered;
        // Two that could not are enough: the name itself is broken.
        if (tries >= Math.min(2, order.length)) giveUp();
        else next();
      }, (error) => {
        running--;
        failure = error;
        next();
      });
    };
    next();
    this.#probe(order, question);
    return promise;
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
      this.#try(member, question).catch(() => {});
    }
  }

  async #try({ resolver, channel, health }: Member, question: Question): Promise<Reply> {
    const started = this.#clock.now();
    const late = new AbortController();
    const cancel = this.#clock.after(TRY, () => late.abort(new Error("No answer in time")));
    try {
      const reply = await channel.ask(question, late.signal);
      if (reply.code === RCODE.REFUSED) health.failed(this.#clock.now(), "It refuses to answer");
      else health.answered(this.#clock.now() - started);
      // That signatures were checked is worth what the way there is (RFC 4035 4.9.3).
      return resolver.tlsHost === null ? { ...reply, authentic: false } : reply;
    } catch (error) {
      health.failed(this.#clock.now(), error);
      throw error;
    } finally {
      cancel();
    }
  }
}

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
    padded: true,
  });
}

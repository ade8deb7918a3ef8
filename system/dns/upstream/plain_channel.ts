import { type ParsedResponse, parseResponse } from "../codec/response_parser.ts";
import { RCODE } from "../codec/constants.ts";
import { Dice } from "./random_pool.ts";
import { EdnsMemory } from "./edns_support.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { QuerySender, SentQuery, UpstreamNetwork } from "../../core/net/transport.ts";
import {
  CASE_BYTES,
  fits,
  type Question,
  questionMessage,
  type TakeBack,
  type Told,
} from "./upstream_query.ts";
import { StreamChannel } from "./stream_channel.ts";

/** Answers to one question that are looked at, lest a flood of forged ones keeps us busy. */
const MOST_LOOKED_AT = 50;

/** What a plain channel needs. */
export interface PlainChannelOptions {
  readonly outside: UpstreamNetwork;
  readonly address: string;
  readonly port: number;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Questions over UDP, each from a port and with an id and letter case that nobody can guess (RFC 5452
 * 9), so that who does not see them cannot forge an answer. What does not fit in a datagram, or comes
 * back in another case, is asked again over TCP.
 */
export class PlainChannel {
  readonly tcp: StreamChannel;
  readonly sender: QuerySender;
  readonly dice: Dice;
  readonly edns: EdnsMemory;
  readonly #open: PlainAsk[] = [];
  #closed = false;

  constructor({ outside, address, port, clock, random }: PlainChannelOptions) {
    this.sender = outside.udp(address, port);
    this.dice = new Dice(random);
    this.edns = new EdnsMemory(clock);
    this.tcp = new StreamChannel({
      open: () => outside.connect(address, port, null),
      clock,
      random,
      secure: false,
      edns: this.edns,
    });
  }

  get connections(): number {
    return this.tcp.connections;
  }

  /** Asks once. `told` may be called before it returns. */
  ask(question: Question, told: Told): TakeBack {
    if (this.#closed) {
      told(null, new Error("The resolver is no longer used"));
      return () => {};
    }
    const one = new PlainAsk(this, question, told);
    one.place = this.#open.push(one) - 1;
    one.send(this.edns.taken);
    return () => one.end();
  }

  /** Told by a question that is over. */
  ended({ place }: PlainAsk): void {
    const last = this.#open.pop()!;
    if (place === this.#open.length) return;
    this.#open[place] = last;
    last.place = place;
  }

  close(): void {
    this.#closed = true;
    for (const one of [...this.#open]) one.fail(new Error("The resolver is no longer used"));
    this.tcp.close();
  }
}

/** One question on its way, over UDP and after that over TCP where it must be. */
class PlainAsk {
  /** Where it stands among those of its channel. */
  place = 0;
  readonly #channel: PlainChannel;
  readonly #question: Question;
  readonly #told: Told;
  #sent = new Uint8Array(0);
  #edns = true;
  /** EDNS was a fault to the resolver; whether it knows none shows without. */
  #fell = false;
  #looked = 0;
  #hearing: SentQuery | null = null;
  #takeBack: TakeBack | null = null;
  #over = false;

  constructor(channel: PlainChannel, question: Question, told: Told) {
    this.#channel = channel;
    this.#question = question;
    this.#told = told;
  }

  send(edns: boolean): void {
    const { dice, sender } = this.#channel;
    this.#edns = edns;
    this.#looked = 0;
    this.#sent = questionMessage(this.#question, {
      id: dice.word(),
      cases: dice.bytes(CASE_BYTES),
      edns,
      keepAlive: false,
      padded: false,
    });
    try {
      this.#hearing = sender.send(this.#sent, (bytes) => this.#hear(bytes));
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (this.#over) return;
    this.end();
    this.#told(null, error);
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#channel.ended(this);
    this.#hearing?.cancel();
    this.#takeBack?.();
  }

  #hear(bytes: Uint8Array): void {
    if (this.#over) return;
    const fit = fits(bytes, this.#sent, this.#question.name.length);
    if (fit === "case") return this.#overTcp();
    const reply = fit === "other" ? null : parseResponse(bytes, false);
    if (reply !== null) return this.#take(reply);
    if (++this.#looked >= MOST_LOOKED_AT) this.fail(new Error("No answer that fits came"));
  }

  #take(reply: ParsedResponse): void {
    // FORMERR: a resolver of before EDNS (RFC 6891 7), if it takes the same question plainly.
    if (reply.code === RCODE.FORMERR && this.#edns) {
      this.#hearing?.cancel();
      this.#fell = true;
      return this.send(false);
    }
    if (this.#fell && reply.code !== RCODE.FORMERR) this.#channel.edns.refused();
    if (reply.truncated) return this.#overTcp();
    this.end();
    this.#told(reply);
  }

  #overTcp(): void {
    this.#hearing?.cancel();
    this.#hearing = null;
    this.#takeBack = this.#channel.tcp.ask(this.#question, (reply, error) => {
      if (this.#over) return;
      this.end();
      this.#told(reply, error);
    });
  }
}

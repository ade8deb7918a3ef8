import { readReply, type Reply } from "../response.ts";
import { word } from "../wire.ts";
import type { Clock, DatagramPort, Outside } from "./outside.ts";
import { CASE_BYTES, fits, type Question, questionMessage } from "./question.ts";
import { StreamChannel } from "./stream_channel.ts";

/** Answers to one question that are looked at, lest a flood of forged ones keeps us busy. */
const MOST_LOOKED_AT = 50;

/** What a plain channel needs. */
export interface PlainChannelOptions {
  readonly outside: Outside;
  readonly address: string;
  readonly port: number;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
}

/**
 * Questions over UDP, each from a port and with an id and letter case of its own (RFC 5452 9), so that
 * who does not see them cannot forge an answer. What does not fit in a datagram, or comes back in
 * another case, is asked again over TCP.
 */
export class PlainChannel {
  readonly #options: PlainChannelOptions;
  readonly #tcp: StreamChannel;
  readonly #open = new Set<DatagramPort>();
  #edns = true;

  constructor(options: PlainChannelOptions) {
    this.#options = options;
    const { outside, address, port } = options;
    this.#tcp = new StreamChannel({
      open: () => outside.stream(address, port, null),
      clock: options.clock,
      random: options.random,
      padded: false,
    });
  }

  get connections(): number {
    return this.#tcp.connections;
  }

  /** Asks once; the signal takes the question back. Throws when no socket can be had. */
  async ask(question: Question, signal: AbortSignal): Promise<Reply> {
    const answer = await this.#overUdp(question, signal);
    return answer === null || answer.truncated ? await this.#tcp.ask(question, signal) : answer;
  }

  close(): void {
    for (const port of this.#open) port.close();
    this.#tcp.close();
  }

  /** Null where the answer is to be had over TCP alone. */
  async #overUdp(
    question: Question,
    signal: AbortSignal,
    edns = this.#edns,
  ): Promise<Reply | null> {
    const { outside, address, port, random } = this.#options;
    signal.throwIfAborted();
    const socket = outside.datagrams(address, port);
    this.#open.add(socket);
    const close = (): void => socket.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      const sent = questionMessage(question, {
        id: word(random(2), 0),
        cases: random(CASE_BYTES),
        edns,
        padded: false,
      });
      socket.send(sent);
      for (let looked = 0; looked < MOST_LOOKED_AT; looked++) {
        const bytes = await socket.receive();
        if (bytes === null) break;
        const fit = fits(bytes, sent, question.name.length);
        if (fit === "other") continue;
        if (fit === "case") return null;
        const reply = readReply(bytes);
        if (reply === null) continue;
        // FORMERR: a resolver of before EDNS (RFC 6891 7), if it takes the same question plainly.
        if (reply.code === 1 && edns) {
          const plainly = await this.#overUdp(question, signal, false);
          if (plainly !== null && plainly.code !== 1) this.#edns = false;
          return plainly;
        }
        return reply;
      }
      signal.throwIfAborted();
      throw new Error("No answer that fits came");
    } finally {
      signal.removeEventListener("abort", close);
      this.#open.delete(socket);
      socket.close();
    }
  }
}

import { nameBytes } from "../../../system/dns/codec/name.ts";
import {
  type Answered,
  UpstreamGroup,
  type UpstreamResolver,
} from "../../../system/dns/upstream/group.ts";
import type { Question, Wording } from "../../../system/dns/upstream/upstream_query.ts";
import { readMessage, wireA, type WireMessage, wireMessage } from "./wire.ts";
import { FakeUpstreamNetwork, ManualClock, type Serve } from "./fake_upstream.ts";

/** A group of resolvers over an outside in memory. */
export interface GroupBed {
  readonly clock: ManualClock;
  readonly outside: FakeUpstreamNetwork;
  readonly group: UpstreamGroup;
  /** Asks and moves the clock on; what came, or the error's words. */
  readonly ask: (asked?: Question, wait?: number) => Promise<string>;
}

/** A question for the address of a name. */
export function question(name = "www.example.com", more: Partial<Question> = {}): Question {
  return { name: nameBytes(name)!, type: 1, dnssecOk: false, checkingDisabled: false, ...more };
}

/** A question that is put with nothing that it could be without. */
export const BARE: Wording = { id: 1, cases: null, edns: false, keepAlive: false, padded: false };

/** The true answer to a question, or with something of it changed. */
export function answerTo(
  asked: Uint8Array,
  more: WireMessage = {},
  address = "192.0.2.1",
): Uint8Array {
  const { id, questions } = readMessage(asked);
  const answers = [wireA(questions[0]!.name, address)];
  return wireMessage({ id, flags: 0x8180, questions, answers, ...more });
}

/** A server that answers truly. */
export const good = (address = "192.0.2.1", after = 10): Serve => (asked) => [
  { bytes: answerTo(asked, {}, address), after },
];

/** A group over an outside in memory. */
export function groupBed(resolvers: readonly UpstreamResolver[]): GroupBed {
  const clock = new ManualClock();
  const outside = new FakeUpstreamNetwork(clock);
  let seed = 1;
  const random = (length: number) =>
    Uint8Array.from({ length }, () => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 16);
  const group = new UpstreamGroup({ resolvers, trusted: [], outside, clock, random });
  const ask = async (asked = question(), wait = 20): Promise<string> => {
    const done = asking(group, asked).then(
      ({ reply, by }) => `${reply.addresses.join() || reply.code} by ${by}`,
      (error) => String(error.message),
    );
    await clock.advance(wait);
    return await done;
  };
  return { clock, outside, group, ask };
}

/** What a group answers, as a promise. */
export function asking(group: UpstreamGroup, asked: Question): Promise<Answered> {
  return new Promise((resolve, reject) =>
    group.ask(asked, (answered, error) => answered === null ? reject(error) : resolve(answered))
  );
}

/** A resolver that is asked in the open. */
export const plain = (address: string): UpstreamResolver => ({ address, tlsHost: null });
/** A resolver that is asked over TLS. */
export const secure = (address: string): UpstreamResolver => ({ address, tlsHost: "dns.test" });

/** A name in the other letter case. */
export function flipped(name: string): string {
  return [...name].map((c) => c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()).join("");
}

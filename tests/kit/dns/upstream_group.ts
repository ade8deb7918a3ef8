import { nameBytes } from "../../../system/dns/codec/name.ts";
import {
  UpstreamGroup,
  type UpstreamResolver,
  type UpstreamResponse,
} from "../../../system/dns/upstream/group.ts";
import type { QueryEncoding, UpstreamQuery } from "../../../system/dns/upstream/upstream_query.ts";
import { readMessage, wireA, type WireMessage, wireMessage } from "./wire.ts";
import { FakeUpstreamNetwork, ManualClock, type Serve } from "./fake_upstream.ts";

/** A group of resolvers over a network in memory. */
export interface GroupBed {
  readonly clock: ManualClock;
  readonly network: FakeUpstreamNetwork;
  readonly group: UpstreamGroup;
  /** Sends a query and advances the clock; the addresses and the resolver, or the error message. */
  readonly send: (query?: UpstreamQuery, wait?: number) => Promise<string>;
}

/** A query for the address of a name. */
export function upstreamQuery(
  name = "www.example.com",
  more: Partial<UpstreamQuery> = {},
): UpstreamQuery {
  return { name: nameBytes(name)!, type: 1, dnssecOk: false, checkingDisabled: false, ...more };
}

/** The smallest encoding of a query. */
export const MINIMAL_ENCODING: QueryEncoding = {
  id: 1,
  caseBits: null,
  edns: false,
  keepAlive: false,
  padded: false,
};

/** The correct response to a query, or one with changes. */
export function responseTo(
  query: Uint8Array,
  more: WireMessage = {},
  address = "192.0.2.1",
): Uint8Array {
  const { id, questions } = readMessage(query);
  const answers = [wireA(questions[0]!.name, address)];
  return wireMessage({ id, flags: 0x8180, questions, answers, ...more });
}

/** A server that responds correctly. */
export const respond = (address = "192.0.2.1", after = 10): Serve => (query) => [
  { bytes: responseTo(query, {}, address), after },
];

/** Creates a {@link GroupBed}. */
export function groupBed(resolvers: readonly UpstreamResolver[]): GroupBed {
  const clock = new ManualClock();
  const network = new FakeUpstreamNetwork(clock);
  let seed = 1;
  const random = (length: number) =>
    Uint8Array.from({ length }, () => (seed = seed * 1103515245 + 12345 & 0x7fffffff) >> 16);
  const group = new UpstreamGroup({ resolvers, trusted: [], network, clock, random });
  const send = async (query = upstreamQuery(), wait = 20): Promise<string> => {
    const done = sendQuery(group, query).then(
      ({ response, upstream }) => `${response.addresses.join() || response.code} by ${upstream}`,
      (error) => String(error.message),
    );
    await clock.advance(wait);
    return await done;
  };
  return { clock, network, group, send };
}

/** Sends a query to a group; its response as a promise. */
export function sendQuery(group: UpstreamGroup, query: UpstreamQuery): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) =>
    group.query(query, (result, error) => result === null ? reject(error) : resolve(result))
  );
}

/** A resolver without TLS. */
export const plain = (address: string): UpstreamResolver => ({ address, tlsHost: null });
/** A resolver over TLS. */
export const secure = (address: string): UpstreamResolver => ({ address, tlsHost: "dns.test" });

/** A name with the letter case inverted. */
export function flipCase(name: string): string {
  return [...name].map((c) => c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()).join("");
}

import type { NeighbourEntry } from "../../../core/kernel/inspection.ts";
import {
  AF,
  BODY,
  FRA,
  NDA,
  NEIGHBOUR_LISTED,
  NEIGHBOUR_SHOWN,
  NEIGHBOUR_STATES,
  PROTOCOLS,
  ROUTE,
  RTA,
  TABLES,
  TO_TABLE,
} from "./constants.ts";
import { AttributePlaces, type Attributes, attributesOf, numberOf, textOf } from "../message.ts";
import type { NextHop, RouteEntry, RuleEntry } from "./facts.ts";
import { addressText, macText } from "./values.ts";

/** Routes, rules and neighbours in the form of `ip -j`. */

/** The name of a link by its index. */
export type LinkName = (index: number) => string;

/** States of neighbours that are remembered. */
const MAX_KNOWN_STATES = 64;

/** Bytes of struct rtnexthop, before the attributes of a next hop. */
const HOP = 8;

/**
 * Decodes the payload of a route message. Null for an invalid one, and for a route of another family, or
 * not unicast.
 */
export function readRoute(
  payload: Uint8Array,
  { family, name }: { readonly family: number; readonly name: LinkName },
): RouteEntry | null {
  if (payload.length < BODY.route || payload[0] !== family) return null;
  if (payload[7] !== ROUTE.unicast) return null;
  const attributes = attributesOf(payload, BODY.route);
  const prefix = payload[1]!;
  const to = addressText(attributes[RTA.destination]);
  const whole = family === AF.inet ? 32 : 128;
  const table = numberOf(attributes[RTA.table]) ?? payload[4]!;
  const protocol = payload[5]!;
  const metric = numberOf(attributes[RTA.priority]);
  const hops = attributes[RTA.multipath];
  if (to === null && prefix !== 0) return null;
  return {
    dst: prefix === 0
      ? to === null ? "default" : `${to}/0`
      : prefix === whole
      ? to!
      : `${to}/${prefix}`,
    ...hop(attributes, name),
    table: TABLES[table] ?? String(table),
    protocol: PROTOCOLS[protocol] ?? String(protocol),
    ...(metric === null ? {} : { metric }),
    ...(hops === undefined ? {} : { nexthops: nextHops(hops, name) }),
  };
}

function hop(attributes: Attributes, name: LinkName): NextHop {
  const gateway = addressText(attributes[RTA.gateway]);
  // struct rtvia: two bytes of the family go before the address.
  const via = addressText(attributes[RTA.via]?.subarray(2));
  const link = numberOf(attributes[RTA.oif]);
  return {
    ...(gateway === null ? {} : { gateway }),
    ...(via === null ? {} : { via: { host: via } }),
    ...(link === null || link === 0 ? {} : { dev: name(link) }),
  };
}

function nextHops(list: Uint8Array, name: LinkName): NextHop[] {
  const hops: NextHop[] = [];
  for (let at = 0; at + HOP <= list.length;) {
    const length = list[at]! | list[at + 1]! << 8;
    if (length < HOP || at + length > list.length) break;
    const index = numberOf(list.subarray(at + 4)) ?? 0;
    hops.push({
      ...hop(attributesOf(list.subarray(at, at + length), HOP), name),
      dev: name(index),
    });
    at += (length + 3) & ~3;
  }
  return hops;
}

/** Index of a route's link; null for a route without one, such as blackhole. */
export function routeLink(payload: Uint8Array): number | null {
  if (payload.length < BODY.route) return null;
  const dead: readonly number[] = [ROUTE.blackhole, ROUTE.unreachable, ROUTE.prohibit];
  if (dead.includes(payload[7]!)) return null;
  return numberOf(attributesOf(payload, BODY.route)[RTA.oif]);
}

/** Decodes the payload of a message of an IPv4 rule; null for an invalid one. */
export function readRule(payload: Uint8Array): RuleEntry | null {
  if (payload.length < BODY.rule || payload[0] !== AF.inet) return null;
  const attributes = attributesOf(payload, BODY.rule);
  const sourceLength = payload[2]!;
  const source = addressText(attributes[FRA.source]);
  const oif = textOf(attributes[FRA.oifName]);
  const mark = numberOf(attributes[FRA.mark]);
  const table = numberOf(attributes[FRA.table]) ?? payload[4]!;
  const suppressed = numberOf(attributes[FRA.suppressPrefix]);
  return {
    priority: numberOf(attributes[FRA.priority]) ?? 0,
    src: source ?? "all",
    ...(source === null || sourceLength === 32 ? {} : { srclen: sourceLength }),
    ...(oif === null ? {} : { oif }),
    ...(mark === null || mark === 0 ? {} : { fwmark: `0x${mark.toString(16)}` }),
    ...(payload[7] === TO_TABLE && table !== 0 ? { table: TABLES[table] ?? String(table) } : {}),
    ...(suppressed === null || (suppressed | 0) === -1 ? {} : { suppress_prefixlen: suppressed }),
  };
}

/** Those of the message that is read. */
const places = new AttributePlaces();

const knownStates = new Map<number, string[]>();

/** The words of a neighbour's state, of which there are few. */
function stateWords(state: number): string[] {
  let words = knownStates.get(state);
  if (words === undefined) {
    words = NEIGHBOUR_STATES.filter(([, bit]) => (state & bit) !== 0).map(([word]) => word);
    if (knownStates.size < MAX_KNOWN_STATES) knownStates.set(state, words);
  }
  return words;
}

/**
 * Decodes the payload of a neighbour message; null for an invalid one, and for an entry that ip(8) does
 * not list either.
 */
export function readNeighbour(payload: Uint8Array, name: LinkName): NeighbourEntry | null {
  if (payload.length < BODY.neighbour) return null;
  const state = payload[8]! | payload[9]! << 8;
  if ((state & NEIGHBOUR_LISTED) === 0 && (payload[10]! & NEIGHBOUR_SHOWN) === 0) return null;
  places.read(payload, BODY.neighbour);
  const dst = addressText(places.get(NDA.destination));
  if (dst === null) return null;
  const mac = places.get(NDA.lladdr);
  return {
    dst,
    dev: name(numberOf(payload.subarray(4, 8))! | 0),
    ...(mac === undefined ? {} : { lladdr: macText(mac) }),
    state: stateWords(state),
  };
}

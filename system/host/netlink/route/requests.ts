import {
  AF,
  ALL_LINKS,
  BODY,
  FLAG,
  IFLA,
  MESSAGE,
  NETCONF,
  NO_COUNTERS,
  ROUTE,
  RTA,
} from "./constants.ts";
import { attribute, numberAttribute, type Request } from "../message.ts";
import { addressBytes } from "./values.ts";

/** Requests for links, addresses, routes, rules and neighbours. */

function body(size: number, values: Readonly<Record<number, number>> = {}): Uint8Array {
  const bytes = new Uint8Array(size);
  for (const [at, value] of Object.entries(values)) bytes[Number(at)] = value;
  return bytes;
}

/** Every link, without its counters. */
export const DUMP_LINKS: Request = {
  type: MESSAGE.getLink,
  flags: FLAG.dump,
  body: body(BODY.link),
  attributes: [numberAttribute(IFLA.mask, NO_COUNTERS)],
};

/** Every link, with its counters. */
export const DUMP_LINK_COUNTERS: Request = {
  type: MESSAGE.getLink,
  flags: FLAG.dump,
  body: body(BODY.link),
};

/** Every address, of both families. */
export const DUMP_ADDRESSES: Request = {
  type: MESSAGE.getAddress,
  flags: FLAG.dump,
  body: body(BODY.address),
};

/** Every neighbour, of all families. */
export const DUMP_NEIGHBOURS: Request = {
  type: MESSAGE.getNeighbour,
  flags: FLAG.dump,
  body: body(BODY.neighbour),
};

/** Every rule of IPv4. */
export const DUMP_RULES: Request = {
  type: MESSAGE.getRule,
  flags: FLAG.dump,
  body: body(BODY.rule, { 0: AF.inet }),
};

/** Unicast routes of a family: of every table, or of this one. */
export function dumpRoutes(family: number, table = 0): Request {
  return {
    type: MESSAGE.getRoute,
    flags: FLAG.dump,
    body: body(BODY.route, { 0: family, 4: table, 7: ROUTE.unicast }),
  };
}

/** The route that the kernel would take to an address; null for an invalid address. */
export function routeTo(text: string): Request | null {
  const bytes = addressBytes(text);
  if (bytes === null) return null;
  const family = bytes.length === 4 ? AF.inet : AF.inet6;
  return {
    type: MESSAGE.getRoute,
    flags: 0,
    body: body(BODY.route, { 0: family, 1: bytes.length * 8 }),
    attributes: [attribute(RTA.destination, bytes)],
  };
}

/** The link with this index. */
export function linkOf(index: number): Request {
  const bytes = body(BODY.link);
  new DataView(bytes.buffer).setInt32(4, index, true);
  return {
    type: MESSAGE.getLink,
    flags: 0,
    body: bytes,
    attributes: [numberAttribute(IFLA.mask, NO_COUNTERS)],
  };
}

/** Whether IPv4 is forwarded. */
export const FORWARDING: Request = {
  type: MESSAGE.getNetconf,
  flags: 0,
  body: body(BODY.netconf, { 0: AF.inet }),
  attributes: [numberAttribute(NETCONF.ifindex, ALL_LINKS)],
};

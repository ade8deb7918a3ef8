import { onceEach } from "../../core/config/memo.ts";
import type { PacketQuery } from "../../core/engine/change.ts";
import type { Desired } from "../../core/kernel/desired.ts";
import {
  formatIpv4,
  inRange4,
  parseAddress,
  parseIpv4,
  parseRange4,
  type Range4,
} from "../../core/net/net.ts";
import type { Packet, Ruleset } from "../../core/kernel/ruleset.ts";
import {
  addressBinding,
  filterTable,
  findElement,
  findSet,
  linkOf,
  singleKey,
} from "../../firewall/trace/lookup.ts";
import { hostOf } from "../plan.ts";

/** A link that no rule names: where the kernel has no route, no rule opens anything either. */
const NO_LINK = "";

interface Routes {
  readonly own: ReadonlySet<string>;
  /** Those of them that everyone in a network takes. */
  readonly broadcasts: ReadonlySet<string>;
  /** Longest prefix first. */
  readonly connected: readonly { readonly range: Range4; readonly link: string }[];
}

/** The last routes of states with the same addresses, which thousands of devices have. */
const lastRoutes = onceEach((_: Desired["addresses"]): {
  last: {
    readonly facts: Desired["facts"] | undefined;
    readonly routes: Desired["routes"];
    readonly value: Routes;
  } | null;
} => ({ last: null }));

const routes = onceEach((desired: Desired): Routes => {
  const known = lastRoutes(desired.addresses);
  const { facts } = desired;
  const stays = known.last !== null && known.last.facts === facts &&
    sameRoutes(known.last.routes, desired.routes);
  if (!stays) known.last = { facts, routes: desired.routes, value: routesOf(desired) };
  return known.last!.value;
});

function routesOf(desired: Desired): Routes {
  const connected = [
    ...desired.addresses.map((one) => ({ text: one.address, link: one.link })),
    ...desired.routes.map((one) => ({
      text: one.destination === "default" ? "0.0.0.0/0" : one.destination,
      link: one.link,
    })),
  ].flatMap(({ text, link }) => {
    const range = parseRange4(text);
    return range ? [{ range, link }] : [];
  }).sort((a, b) => b.range.prefix - a.range.prefix);
  const broadcasts = new Set(desired.addresses.flatMap((one) => broadcastOf(one.address)));
  const own = new Set([
    ...broadcasts,
    ...desired.addresses.map((one) => hostOf(one.address)),
    ...(desired.facts?.addresses ?? []),
  ]);
  return { own, broadcasts, connected };
}

/** True when both lead everything the same way. */
export function sameRoutes(a: Desired["routes"], b: Desired["routes"]): boolean {
  return a === b || a.length === b.length && a.every((route, at) => {
        const other = b[at]!;
        return route.destination === other.destination && route.via === other.via &&
          route.link === other.link;
      });
}

/** The broadcast address of a network: every host in it takes what is sent there (RFC 919). */
function broadcastOf(address: string): readonly string[] {
  const range = parseRange4(address);
  return range && range.prefix < 31 ? [formatIpv4(range.last)] : [];
}

/** The uplinks of a ruleset, in the order of the configuration. */
export function uplinksOf(ruleset: Ruleset): readonly string[] {
  const table = filterTable(ruleset);
  const set = table && findSet(table, "uplink_interfaces");
  return [...(set?.elements.keys() ?? [])];
}

/** True for an address of a home network. */
export function isLanAddress(ruleset: Ruleset, address: string): boolean {
  const table = filterTable(ruleset);
  const set = table && findSet(table, "supernetworks");
  return parseIpv4(address) !== null && set !== undefined &&
    findElement(set, singleKey(address)) !== undefined;
}

/** True for an address of the router itself, its loopback among them. */
export function isRouterAddress(desired: Desired, address: string): boolean {
  if (routes(desired).own.has(address)) return true;
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return parsed.family === 4 ? parsed.value >> 24n === 127n : parsed.value === 1n;
}

/** Multicast and the limited broadcast address (RFC 1112, RFC 919; RFC 4291 2.7). */
export function isMulticastOrBroadcast(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return parsed.family === 4
    ? parsed.value >> 28n === 0xen || parsed.value === 0xffffffffn
    : parsed.value >> 120n === 0xffn;
}

/** The link on which an address is: its device's, else by the longest prefix, else an uplink. */
function linkTo(desired: Desired, address: string): string {
  const device = addressBinding(desired.ruleset, address);
  if (device) return device.link;
  const custom = linkOf(desired.ruleset, address);
  // A custom interface that is not there carries nothing: its network is sought as any other.
  const links = desired.facts?.links;
  if (custom !== undefined && (!links || links.has(custom))) return custom;
  const value = parseIpv4(address);
  const route = value === null
    ? undefined
    : routes(desired).connected.find(({ range }) => inRange4(range, value));
  if (route) return route.link;
  if (isLanAddress(desired.ruleset, address)) return NO_LINK;
  return uplinksOf(desired.ruleset)[0] ?? NO_LINK;
}

/** The link by which a packet to an address leaves; null when it is the router's own. */
export function egressLink(desired: Desired, address: string): string | null {
  return isRouterAddress(desired, address) || isMulticastOrBroadcast(address)
    ? null
    : linkTo(desired, address);
}

/** The packet that begins a connection, as this state would see it. Pure. */
export function firstPacket(desired: Desired, query: PacketQuery): Packet {
  const { source, destination, protocol, sport, dport } = query;
  const fromHere = query.iif === undefined && isRouterAddress(desired, source);
  const toHere = isRouterAddress(desired, destination) || isMulticastOrBroadcast(destination);
  const arrives = query.iif ?? (fromHere ? null : linkTo(desired, source));
  const iif = fromHere ? (toHere ? "lo" : null) : arrives;
  // An uplink's lease is not always known here; nothing else that is no home address comes in there.
  const fromUplink = iif !== null && uplinksOf(desired.ruleset).includes(iif) &&
    !isLanAddress(desired.ruleset, destination);
  return {
    iif,
    oif: toHere || fromUplink ? null : linkTo(desired, destination),
    source,
    destination,
    mac: addressBinding(desired.ruleset, source)?.mac ?? null,
    protocol,
    ...(routes(desired).broadcasts.has(destination) ? { broadcast: true } : {}),
    ...(sport === undefined ? {} : { sport }),
    ...(dport === undefined ? {} : { dport }),
  };
}

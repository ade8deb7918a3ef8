import type { Config } from "../config.ts";
import type { PacketQuery, Planner } from "../core/engine/change.ts";
import { parseAddress, parseIpv4 } from "../core/net/net.ts";
import type { Packet, PacketTrace, TraceStep } from "../core/kernel/ruleset.ts";
import {
  isLanAddress,
  isMulticastOrBroadcast,
  isRouterAddress,
  uplinksOf,
} from "../network/reachability/packet.ts";
import { closedBySchedule } from "./closed_access.ts";
import { deviceName, endOf, holderOf, type ReachState } from "./ends.ts";
import type { ReachAnswer, ReachEnd, ReachQuery } from "./schema.ts";
import { decidingStep, describeRules, reasonOf } from "./description.ts";

export type { ReachState } from "./ends.ts";

/** How packets are seen and judged. */
export type PacketTracer = Pick<Planner<Config>, "trace" | "firstPacket" | "traceBasis">;

/** A verdict that needs no rule: one of the ends has no place in the network. */
function unreachable(reason: string): PacketTrace {
  const step: TraceStep = { table: "", chain: "", comment: reason, outcome: "drop" };
  return { verdict: "drop", steps: [step] };
}

function missingAddress(end: ReachEnd): string | null {
  if (end.address !== null) {
    const lost = end.kind === "internet" && end.link === null;
    return lost ? "The router has no WAN interface" : null;
  }
  return end.kind === "router"
    ? "The router has no address on that side"
    : `${end.name} has no address: unknown device, or no DHCP lease`;
}

/**
 * Why what the router sends to a device arrives nowhere, although the kernel's rules let it out: a device
 * that takes no part has neither a neighbour entry nor a route of its own. Null where it has a link.
 */
function undelivered({ from, to, state }: Ends): string | null {
  if (from.kind !== "router" || to.kind !== "device" || to.link !== null) return null;
  const device = to.identity === null ? undefined : state.config.devices[to.identity];
  const closed = device !== undefined &&
    (device.DeviceDisabled || device.Policies.includes("disabled"));
  return closed
    ? `No rule blocks it, but ${to.name} is blocked and off the network`
    : `No rule blocks it, but ${to.name} is not connected to an interface`;
}

/** IPv4 blocks by the first octet: "this network" (RFC 791), loopback, multicast (RFC 1112). */
const ZERO = 0, LOOPBACK = 127, MULTICAST = { first: 224, last: 239 } as const;

const LOOPBACK_WORDS = "Loopback addresses work only on the router itself";

/** Why the kernel takes no packet with this sender, whatever the rules say (RFC 1812 5.3.7); or null. */
function invalidSource({ from, to }: Ends): string | null {
  const value = parseIpv4(from.address ?? "");
  if (value === null) return null;
  const first = value >>> 24;
  const many = first >= MULTICAST.first && first <= MULTICAST.last || value === 0xffffffff;
  if (first === ZERO || many) return `${from.address} is not a valid source address`;
  return first === LOOPBACK && to.kind !== "router" ? LOOPBACK_WORDS : null;
}

/** The same for a destination, unless a rule has sent the packet elsewhere before it is routed. */
function invalidDestination({ from, to }: Ends, trace: PacketTrace): string | null {
  const value = parseIpv4(to.address ?? "");
  if (value === null || from.kind === "router") return null;
  const translated = trace.steps.findIndex(({ outcome }) => outcome === "translate");
  if (translated >= 0 && translated < decidingStep(trace)) return null;
  if (value >>> 24 === ZERO) return `${to.address} is not a valid destination address`;
  return value >>> 24 === LOOPBACK ? LOOPBACK_WORDS : null;
}

/** The packet of a question as the kernel would see it. */
function packetOf(query: PacketQuery, ends: Ends, tracer: PacketTracer): Packet {
  const { desired } = ends.state;
  const seen = tracer.firstPacket(desired, query);
  const [uplink] = uplinksOf(desired.ruleset);
  if (ends.to.kind === "router") return { ...seen, oif: null };
  // From outside to outside: an address that is not known here counts as the router's own lease only
  // where that is not known.
  const passes = seen.oif === null && uplink !== undefined && ends.to.kind !== "device" &&
    !isRouterAddress(desired, query.destination) && !isMulticastOrBroadcast(query.destination) &&
    !isLanAddress(desired.ruleset, query.destination);
  return passes ? { ...seen, oif: uplink } : seen;
}

interface Ends {
  readonly from: ReachEnd;
  readonly to: ReachEnd;
  readonly state: ReachState;
}

function traceQuery(query: ReachQuery, ends: Ends, tracer: PacketTracer): PacketTrace {
  const { from, to, state } = ends;
  const lost = missingAddress(from) ?? missingAddress(to) ?? invalidSource(ends);
  if (lost !== null) return unreachable(lost);
  const source = from.address!;
  // To itself the router is also "this host" (RFC 1122 3.2.1.3), which Linux takes as its loopback.
  const destination = from.kind === "router" && to.address === "0.0.0.0"
    ? "127.0.0.1"
    : to.address!;
  if (parseAddress(source)?.family !== parseAddress(destination)?.family) {
    return unreachable("IPv4 and IPv6 addresses cannot reach each other");
  }
  const packet: PacketQuery = {
    source,
    destination,
    protocol: query.protocol,
    ...(query.port === "" ? {} : { dport: Number(query.port) }),
    ...(from.kind === "internet" && from.link !== null ? { iif: from.link } : {}),
  };
  const trace = tracer.trace(state.desired, packetOf(packet, ends, tracer));
  const refused = invalidDestination(ends, trace);
  return refused === null ? trace : unreachable(refused);
}

/** Both ends of a question in this state. */
function endsOf(query: Pick<ReachQuery, "from" | "to">, state: ReachState): Ends {
  const guess = endOf(query.to, null, state);
  const from = endOf(query.from, guess, state);
  return { from, to: endOf(query.to, from, state), state };
}

/** What a device is called where the words are to hold for others like it as well. */
const ANY_DEVICE = "the device";

function withoutName(end: ReachEnd): ReachEnd {
  return end.kind === "device" ? { ...end, name: ANY_DEVICE } : end;
}

function closedRule(
  { trace, ends: { from, to, state }, port }: {
    readonly trace: PacketTrace;
    readonly ends: Ends;
    readonly port: string;
  },
): string | null {
  const comment = trace.steps[decidingStep(trace)]?.comment;
  return comment === undefined ? null : closedBySchedule({ from, to, port }, comment, state);
}

/**
 * Whether one end may open a connection to another, and the rules that say so. `anonymous`: in words
 * without the names of the ends. Pure; never throws.
 */
export function reach(
  query: ReachQuery,
  state: ReachState,
  tracer: PacketTracer,
  { anonymous = false }: { readonly anonymous?: boolean } = {},
): ReachAnswer {
  const named = endsOf(query, state);
  const ends = anonymous
    ? { ...named, from: withoutName(named.from), to: withoutName(named.to) }
    : named;
  const { from, to } = ends;
  const trace = traceQuery(query, ends, tracer);
  const { devices } = state.config;
  const rules = describeRules(trace, {
    from,
    to,
    nameOf: (address) => {
      if (anonymous) {
        const own = [from, to].find((end) => end.kind === "device" && end.address === address);
        if (own !== undefined) return own.name;
      }
      const holder = holderOf(devices, address);
      return holder === undefined ? undefined : deviceName(devices, holder);
    },
  });
  const lost = trace.verdict === "accept" ? undelivered(ends) : null;
  // Classes of devices that rules treat alike share their words, whatever group they are in.
  const closed = anonymous ? null : closedRule({ trace, ends, port: query.port });
  const explained = closed === null
    ? rules
    : rules.map((rule) => rule.decides ? { ...rule, description: closed } : rule);
  return {
    verdict: trace.verdict,
    reason: lost ?? reasonOf(explained),
    rules: [...explained],
    from,
    to,
  };
}

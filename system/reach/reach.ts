import type { Config } from "../config.ts";
import type { PacketQuery, Planner } from "../core/change.ts";
import { parseAddress } from "../core/net.ts";
import type { Judgement, JudgementStep, Packet } from "../core/ruleset.ts";
import { isForAll, isHomeAddress, isOwn, uplinksOf } from "../network/packet.ts";
import { deviceName, endOf, holderOf, type ReachState } from "./ends.ts";
import type { ReachAnswer, ReachEnd, ReachQuery } from "./schema.ts";
import { because, ruleChain } from "./words.ts";

export type { ReachState } from "./ends.ts";

/** How packets are seen and judged. */
export type Judge = Pick<Planner<Config>, "judge" | "packet">;

/** A verdict that needs no rule: one of the ends has no place in the network. */
function nowhere(words: string): Judgement {
  const step: JudgementStep = { table: "", chain: "", words, outcome: "drop" };
  return { verdict: "drop", steps: [step] };
}

function missing(end: ReachEnd): string | null {
  if (end.address !== null) {
    const lost = end.kind === "internet" && end.link === null;
    return lost ? "The router has no uplink, so there is no way to the Internet" : null;
  }
  return end.kind === "router"
    ? "The router has no address there"
    : `${end.name} has no address: it is unknown, or has not asked for one`;
}

/** The packet of a question as the kernel would see it. */
function packetOf(query: PacketQuery, ends: Ends, judge: Judge): Packet {
  const { desired } = ends.state;
  const seen = judge.packet(desired, query);
  const [uplink] = uplinksOf(desired.ruleset);
  if (ends.to.kind === "router") return { ...seen, oif: null };
  // From outside to outside: an address that is not known here counts as the router's own lease only
  // where that is not known.
  const passes = seen.oif === null && uplink !== undefined && ends.to.kind !== "device" &&
    !isOwn(desired, query.destination) && !isForAll(query.destination) &&
    !isHomeAddress(desired.ruleset, query.destination);
  return passes ? { ...seen, oif: uplink } : seen;
}

interface Ends {
  readonly from: ReachEnd;
  readonly to: ReachEnd;
  readonly state: ReachState;
}

function judged(query: ReachQuery, ends: Ends, judge: Judge): Judgement {
  const { from, to, state } = ends;
  const lost = missing(from) ?? missing(to);
  if (lost !== null) return nowhere(lost);
  const source = from.address!, destination = to.address!;
  if (parseAddress(source)?.family !== parseAddress(destination)?.family) {
    return nowhere("An IPv4 and an IPv6 address do not reach each other");
  }
  const asked: PacketQuery = {
    source,
    destination,
    protocol: query.protocol,
    ...(query.port === "" ? {} : { dport: Number(query.port) }),
    ...(from.kind === "internet" && from.link !== null ? { iif: from.link } : {}),
  };
  return judge.judge(state.desired, packetOf(asked, ends, judge));
}

/** Both ends of a question in this state. */
function endsOf(query: Pick<ReachQuery, "from" | "to">, state: ReachState): Ends {
  const guess = endOf(query.to, null, state);
  const from = endOf(query.from, guess, state);
  return { from, to: endOf(query.to, from, state), state };
}

/** Whether one end may open a connection to another, and the rules that say so. Pure; never throws. */
export function reach(query: ReachQuery, state: ReachState, judge: Judge): ReachAnswer {
  const ends = endsOf(query, state);
  const { from, to } = ends;
  const judgement = judged(query, ends, judge);
  const { devices } = state.config;
  const rules = ruleChain(judgement, {
    from,
    to,
    nameOf: (address) => {
      const holder = holderOf(devices, address);
      return holder === undefined ? undefined : deviceName(devices, holder);
    },
  });
  return { verdict: judgement.verdict, because: because(rules), rules: [...rules], from, to };
}

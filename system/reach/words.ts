import type { PacketTrace, TraceStep } from "../core/kernel/ruleset.ts";
import type { ReachEnd, ReachRule } from "./schema.ts";

/** What a trace is told with. */
export interface Naming {
  readonly from: ReachEnd;
  readonly to: ReachEnd;
  /** What people call the device that holds an address; undefined for nobody's. */
  readonly nameOf: (address: string) => string | undefined;
}

/** Position of the step that a verdict comes from; -1 where no step says so. */
export function decidingStep(trace: PacketTrace): number {
  return trace.steps.findLastIndex((step) => step.outcome === trace.verdict);
}

type Sentence = (who: string, step: TraceStep, telling: Naming) => string;

/** Rules that give what a device holds: its name makes the sentence. */
const SET_SENTENCES: Readonly<Record<string, Sentence>> = {
  internet_access: (who) => `${who} has the policy wan, which opens the Internet`,
  lan_access: (who) => `${who} has the policy lan, which opens every device at home`,
  dns_access: (who) => `${who} may ask the router's resolver`,
  api_block: (who) => `${who} has the policy noapi, which closes the router's shell and pages`,
  upstream_private_rfc1918_allowed: (who) =>
    `${who} has the policy lan_upstream, which opens private networks behind an uplink`,
  ethernet_filter: (who, { element }) =>
    `${who} is known by this address and card on ${element?.key[1] ?? "its link"}`,
  wireguard_filter: (who, { element }) =>
    `${who} is known by this address on ${element?.key[1] ?? "its VPN link"}`,
  lan_tcp_accept: (_, { element }, { from }) =>
    `The router's port ${element?.key[0] ?? ""} is open at home, so also to ${from.name}`,
  wan_tcp_accept: (_, { element }) =>
    `The router's port ${element?.key[0] ?? ""} is open to uplinks`,
};

/** Chains whose last rule stops everything that nothing let through. */
const DEFAULT_DROP_SENTENCES: Readonly<Record<string, Sentence>> = {
  "Nothing opens this way": (_, __, { from, to }) =>
    `Nothing opens the way from ${from.name} to ${to.name}`,
  "Nothing opens this to the router": (_, __, { from }) =>
    `Nothing opens this on the router to ${from.name}`,
  "Address, link and card belong to no device": (_, __, { from }) =>
    `${from.name} is no device that is known with this address on its link`,
  "Nobody outside starts a connection to home": (_, __, { to }) =>
    `Nobody outside starts a connection to ${to.name}`,
};

/** The sentence of one step, with the names of the devices it is about. */
export function describeStep(step: TraceStep, telling: Naming): string {
  const address = step.element?.key[0];
  const who = address === undefined ? undefined : telling.nameOf(address);
  const group = /^Both are in the group (.*)$/s.exec(step.comment)?.[1];
  if (group !== undefined) {
    return `${telling.from.name} and ${telling.to.name} are both in the group ${group}`;
  }
  const sentence = SET_SENTENCES[step.element?.set ?? ""] ?? DEFAULT_DROP_SENTENCES[step.comment];
  if (sentence !== undefined) return sentence(who ?? telling.from.name, step, telling);
  return who === undefined ? step.comment : `${step.comment} (${who})`;
}

/** The rules that a packet met, in the kernel's order, for people. */
export function describeRules(trace: PacketTrace, telling: Naming): readonly ReachRule[] {
  const deciding = decidingStep(trace);
  return trace.steps.map((step, index) => ({
    description: describeStep(step, telling),
    table: step.table,
    chain: step.chain,
    ...(step.element ? { set: step.element.set, key: [...step.element.key] } : {}),
    outcome: step.outcome,
    decides: index === deciding,
  }));
}

/** One sentence: the words of the rule that decides. */
export function reasonOf(rules: readonly ReachRule[]): string {
  return rules.find((rule) => rule.decides)?.description ?? "Nothing stands in the way";
}

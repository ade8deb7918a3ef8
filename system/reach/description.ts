import type { PacketTrace, TraceStep } from "../core/kernel/ruleset.ts";
import { POLICIES, type PolicyDefinition } from "../devices/policies.ts";
import { DEFAULT_DROP, groupOfComment } from "../firewall/chains/rule.ts";
import type { ReachEnd, ReachRule } from "./schema.ts";

/** The ends of a connection and the names of devices, for sentences about it. */
export interface Naming {
  readonly from: ReachEnd;
  readonly to: ReachEnd;
  /** Name of the device that holds an address; undefined where none does. */
  readonly nameOf: (address: string) => string | undefined;
}

/** Position of the step that a verdict comes from; -1 where no step says so. */
export function decidingStep(trace: PacketTrace): number {
  return trace.steps.findLastIndex((step) => step.outcome === trace.verdict);
}

type Sentence = (who: string, step: TraceStep, naming: Naming) => string;

function policySentence({ name, effect, text }: PolicyDefinition): Sentence {
  const verb = effect.kind === "allow" ? "Allowed" : "Blocked";
  return (who) => `${verb} by policy ${name} (${text.title}) of ${who}`;
}

/** Through which leaf router the sender is connected; "" where it is at this router. */
function atLeaf({ leaf }: ReachEnd): string {
  return leaf === null ? "" : `, at the leaf router ${leaf}`;
}

/** Sentences of rules that decide by a set, by the name of the set. */
const SET_SENTENCES: Readonly<Record<string, Sentence>> = {
  ...Object.fromEntries(
    POLICIES.flatMap((policy) =>
      [policy.devices?.name, policy.interfaces?.set?.name].flatMap((set) =>
        set === undefined ? [] : [[set, policySentence(policy)]]
      )
    ),
  ),
  ethernet_filter: (who, { element }, { from }) =>
    `${who} matches its address and MAC address on ${element?.key[1] ?? "its interface"}` +
    atLeaf(from),
  wireguard_filter: (who, { element }) =>
    `${who} matches its address on ${element?.key[1] ?? "its VPN interface"}`,
  lan_tcp_accept: (_, { element }, { from }) =>
    `Allowed: router port ${element?.key[0] ?? ""} is open to the LAN, so also to ${from.name}`,
  wan_tcp_accept: (_, { element }) =>
    `Allowed: router port ${element?.key[0] ?? ""} is open to the WAN`,
  vpn_udp_accept: (_, { element }) =>
    `Allowed: a VPN tunnel listens on UDP port ${element?.key[0] ?? ""}`,
};

/** Sentences of rules that drop whatever no rule before them allowed. */
const DEFAULT_DROP_SENTENCES: Readonly<Record<string, Sentence>> = {
  [DEFAULT_DROP.forward]: (_, __, { from, to }) =>
    `Blocked: no rule allows ${from.name} to connect to ${to.name}`,
  [DEFAULT_DROP.input]: (_, __, { from }) =>
    `Blocked: no rule allows ${from.name} to connect to the router on this port`,
  [DEFAULT_DROP.spoofed]: (_, __, { from }) =>
    `Blocked: ${from.name} matches no device with this address on its interface`,
  [DEFAULT_DROP.inbound]: (_, __, { to }) =>
    `Blocked: no rule forwards new connections from the WAN to ${to.name}`,
};

/** The sentence of one step, with the names of the devices it is about. */
function describeStep(step: TraceStep, naming: Naming): string {
  const address = step.element?.key[0];
  const who = address === undefined ? undefined : naming.nameOf(address);
  const group = groupOfComment(step.comment);
  if (group !== undefined) {
    return `Allowed by group ${group}: ${naming.from.name} and ${naming.to.name} are members`;
  }
  const sentence = SET_SENTENCES[step.element?.set ?? ""] ?? DEFAULT_DROP_SENTENCES[step.comment];
  if (sentence !== undefined) return sentence(who ?? naming.from.name, step, naming);
  return who === undefined ? step.comment : `${step.comment} (${who})`;
}

/** The rules that a packet met, in the kernel's order, as sentences. */
export function describeRules(trace: PacketTrace, naming: Naming): readonly ReachRule[] {
  const deciding = decidingStep(trace);
  return trace.steps.map((step, index) => ({
    description: describeStep(step, naming),
    table: step.table,
    chain: step.chain,
    ...(step.element ? { set: step.element.set, key: [...step.element.key] } : {}),
    outcome: step.outcome,
    decides: index === deciding,
  }));
}

/** The sentence of the rule that decides. */
export function reasonOf(rules: readonly ReachRule[]): string {
  return rules.find((rule) => rule.decides)?.description ?? "Allowed: no rule blocks it";
}

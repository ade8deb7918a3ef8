import { onceEach } from "../../core/config/memo.ts";
import type { Chain, KeyType, NftSet } from "../../core/kernel/ruleset.ts";
import { ALL_PORTS, parsePorts } from "../address_schema.ts";
import { type HeaderRegion, layeredSets, layers, net, verdictElement } from "./regions.ts";
import { is, lookup, rule } from "../chains/rule.ts";
import type { BlockRule, ForwardingBlockRule } from "../schema.ts";

const PAIR: readonly KeyType[] = ["ipv4_addr", "ipv4_addr", "inet_proto"];
const FIELDS = ["ip saddr", "ip daddr", "meta l4proto"] as const;
const DROP = { kind: "drop" } as const;
const DROP_PAIR = verdictElement(DROP, false);
const DROP_PORTS = verdictElement(DROP, true);

const regionOf = onceEach((one: BlockRule | ForwardingBlockRule): HeaderRegion<null> => ({
  nets: [net(one.SrcIP), net(one.DstIP)],
  other: one.Protocol,
  ports: "DstPort" in one ? parsePorts(one.DstPort) : ALL_PORTS,
  data: null,
}));

function setsOf(
  name: string,
  rules: readonly (BlockRule | ForwardingBlockRule)[],
  ports: boolean,
): readonly NftSet[] {
  return layeredSets(layers(rules.filter((one) => !one.Disabled).map(regionOf)), {
    name,
    key: ports ? [...PAIR, "inet_service"] : PAIR,
    value: "verdict",
    elements: ports ? DROP_PORTS : DROP_PAIR,
  });
}

/** Blocked before any forward is looked at, in `inet nat`. */
export const blockSets = onceEach((rules: readonly BlockRule[]) => setsOf("block", rules, false));

/** Blocked on its way through the router. */
export const forwardBlockSets = onceEach((rules: readonly ForwardingBlockRule[]) =>
  setsOf("fwd_block", rules, true)
);

/** Blocked on its way out of the router itself. */
export const outputBlockSets = onceEach((rules: readonly ForwardingBlockRule[]) =>
  setsOf("output_block", rules, true)
);

/** A chain that looks an address pair up in each of the sets. */
export function blockChain(name: string, text: string, sets: readonly NftSet[]): Chain {
  return {
    name,
    rules: sets.map((set) =>
      set.key.length > FIELDS.length
        ? rule(text, lookup(set.name, ...FIELDS, "th dport"), is("meta l4proto", "tcp", "udp"))
        : rule(text, lookup(set.name, ...FIELDS), is("meta nfproto", "ipv4"))
    ),
  };
}

import { onceEach } from "../../core/config/memo.ts";
import type { Chain, KeyType, NftSet } from "../../core/kernel/ruleset.ts";
import { ALL_PORTS, parsePorts } from "../address_schema.ts";
import {
  baseName,
  type HeaderRegion,
  layeredSets,
  layers,
  net,
  verdictElement,
} from "./regions.ts";
import { is, lookup, rule } from "../chains/rule.ts";
import type { BlockRule, ForwardingBlockRule } from "../schema.ts";

const PAIR: readonly KeyType[] = ["ipv4_addr", "ipv4_addr", "inet_proto"];
const FIELDS = ["ip saddr", "ip daddr", "meta l4proto"] as const;
const DROP = { kind: "drop" } as const;
const DROP_PAIR = verdictElement(DROP, false);
const DROP_PORTS = verdictElement(DROP, true);

/** The chain that looks into each set of blocks, by the name of the set without its layer. */
export const BLOCK_CHAINS = {
  block: "BLOCK",
  fwd_block: "FORWARD_BLOCK",
  output_block: "OUTPUT_BLOCK",
} as const;

/** Name of a set of blocks without its layer. */
export type BlockSet = keyof typeof BLOCK_CHAINS;

const regionOf = onceEach((one: BlockRule | ForwardingBlockRule): HeaderRegion<null> => ({
  nets: [net(one.SrcIP), net(one.DstIP)],
  other: one.Protocol,
  ports: "DstPort" in one ? parsePorts(one.DstPort) : ALL_PORTS,
  data: null,
}));

function setsOf(
  name: BlockSet,
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

/** The chain of these blocks: looks an address pair up in each layer among the sets. */
export function blockChain(blocks: BlockSet, text: string, sets: readonly NftSet[]): Chain {
  return {
    name: BLOCK_CHAINS[blocks],
    rules: sets.filter((set) => baseName(set.name) === blocks).map((set) =>
      set.key.length > FIELDS.length
        ? rule(text, lookup(set.name, ...FIELDS, "th dport"), is("meta l4proto", "tcp", "udp"))
        : rule(text, lookup(set.name, ...FIELDS), is("meta nfproto", "ipv4"))
    ),
  };
}

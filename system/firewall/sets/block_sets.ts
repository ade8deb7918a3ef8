import type { Chain, KeyType, NftSet } from "../../core/kernel/ruleset.ts";
import { ALL_PORTS, parsePorts } from "../address_schema.ts";
import { type HeaderRegion, layers, net } from "./regions.ts";
import { layeredSets, verdictElement } from "./layered_sets.ts";
import { is, lookup, rule } from "../chains/rule.ts";
import type { BlockRule, ForwardingBlockRule } from "../schema.ts";

const PAIR: readonly KeyType[] = ["ipv4_addr", "ipv4_addr", "inet_proto"];
const FIELDS = ["ip saddr", "ip daddr", "meta l4proto"] as const;
const DROP = { kind: "drop" } as const;
const DROP_PAIR = verdictElement(DROP, false);
const DROP_PORTS = verdictElement(DROP, true);

// Rules are immutable: the region of one is made once.
const regions = new WeakMap<BlockRule | ForwardingBlockRule, HeaderRegion<null>>();

function regionOf(one: BlockRule | ForwardingBlockRule): HeaderRegion<null> {
  let region = regions.get(one);
  if (!region) {
    region = {
      nets: [net(one.SrcIP), net(one.DstIP)],
      other: one.Protocol,
      ports: "DstPort" in one ? parsePorts(one.DstPort) : ALL_PORTS,
      data: null,
    };
    regions.set(one, region);
  }
  return region;
}

function regionsOf(
  rules: readonly (BlockRule | ForwardingBlockRule)[],
): readonly HeaderRegion<null>[] {
  return rules.filter((one) => !one.Disabled).map(regionOf);
}

// Lists of rules are immutable: the sets of one are made once.
const remembered = new WeakMap<readonly object[], Map<string, readonly NftSet[]>>();

function setsOf(
  name: string,
  rules: readonly (BlockRule | ForwardingBlockRule)[],
  ports: boolean,
): readonly NftSet[] {
  let known = remembered.get(rules);
  if (!known) remembered.set(rules, known = new Map());
  let sets = known.get(name);
  if (!sets) {
    sets = layeredSets(layers(regionsOf(rules)), {
      name,
      key: ports ? [...PAIR, "inet_service"] : PAIR,
      value: "verdict",
      elements: ports ? DROP_PORTS : DROP_PAIR,
    });
    known.set(name, sets);
  }
  return sets;
}

/** Blocked before any forward is looked at, in `inet nat`. */
export function blockSets(rules: readonly BlockRule[]): readonly NftSet[] {
  return setsOf("block", rules, false);
}

/** Blocked on its way through the router. */
export function forwardBlockSets(rules: readonly ForwardingBlockRule[]): readonly NftSet[] {
  return setsOf("fwd_block", rules, true);
}

/** Blocked on its way out of the router itself. */
export function outputBlockSets(rules: readonly ForwardingBlockRule[]): readonly NftSet[] {
  return setsOf("output_block", rules, true);
}

/** A chain that looks an address pair up in each of the sets. */
export function blockChain(name: string, words: string, sets: readonly NftSet[]): Chain {
  return {
    name,
    rules: sets.map((set) =>
      set.key.length > FIELDS.length
        ? rule(words, lookup(set.name, ...FIELDS, "th dport"), is("meta l4proto", "tcp", "udp"))
        : rule(words, lookup(set.name, ...FIELDS), is("meta nfproto", "ipv4"))
    ),
  };
}

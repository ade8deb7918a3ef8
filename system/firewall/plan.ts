import type { Group } from "../devices/groups/group_schema.ts";
import type { Chain, NftSet, Ruleset, Table } from "../core/kernel/ruleset.ts";
import type { Firewall } from "./schema.ts";
import type { Place } from "./sets/device_elements.ts";
import { sameSet } from "../core/kernel/nft/diff.ts";
import { blockSets } from "./sets/block_sets.ts";
import { customRules, groupNetworks } from "./sets/custom_sets.ts";
import { forwards } from "./sets/forward_sets.ts";
import { type MarkSources, marksTable } from "./sets/marks.ts";
import { filterSets, interfaceSet, plainSet, upstreamPorts } from "./sets/sets.ts";
import { filterChains, natChains } from "./chains/skeleton.ts";

/** What the packet filter is computed from. */
export interface FirewallSources {
  readonly firewall: Firewall;
  readonly groups: readonly Group[];
  readonly places: readonly Place[];
  /** Links to the Internet. */
  readonly uplinks: readonly string[];
  /** Links that devices at home are on. */
  readonly lanLinks: readonly string[];
  readonly accessPoints: readonly string[];
  /** The home networks, in CIDR form. */
  readonly networks: readonly string[];
  readonly lanAddress: string | null;
  /** With several uplinks: how connections are given to them. */
  readonly marks?: Pick<MarkSources, "uplinks" | "balance"> | null;
}

/** Group names that never open anything: `isolated`, and those of policies (which no label can be). */
const CLOSED = new Set(["isolated"]);

const open = new WeakMap<readonly Group[], ReadonlySet<string>>();

/** Groups whose members reach each other: listed, enabled, and no service group. */
export function activeGroups(groups: readonly Group[]): ReadonlySet<string> {
  let names = open.get(groups);
  if (!names) {
    names = new Set(
      groups.filter((group) =>
        !group.Disabled && group.ServiceDestinations.length === 0 && !CLOSED.has(group.Name)
      ).map((group) => group.Name),
    );
    open.set(groups, names);
  }
  return names;
}

function sameChain(a: Chain, b: Chain): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

// The set that is handed out instead of an equal one.
const handedOut = new WeakMap<NftSet, NftSet>();

function sharedSet(old: NftSet | undefined, set: NftSet): NftSet {
  if (old === undefined || old === set || handedOut.get(set) === old) return old ?? set;
  if (!sameSet(old, set)) return set;
  handedOut.set(set, old);
  return old;
}

// The last tables by name: equal sets and chains are handed out again as the same objects, so that
// comparing two plans looks only into what differs. It changes speed, never a result.
const last = new Map<string, Table>();

function shared(table: Table): Table {
  const before = last.get(table.name);
  const sets = new Map(before?.sets.map((set) => [set.name, set]));
  const chains = new Map(before?.chains.map((chain) => [chain.name, chain]));
  const reused: Table = {
    ...table,
    sets: table.sets.map((set) => sharedSet(sets.get(set.name), set)),
    chains: table.chains.map((chain) => {
      const old = chains.get(chain.name);
      return old && sameChain(old, chain) ? old : chain;
    }),
  };
  const whole = before !== undefined &&
    before.sets.length === reused.sets.length && before.chains.length === reused.chains.length &&
    before.sets.every((set, i) => set === reused.sets[i]) &&
    before.chains.every((chain, i) => chain === reused.chains[i]);
  if (whole) return before;
  last.set(table.name, reused);
  return reused;
}

/**
 * The whole packet filter of a configuration: tables `inet filter` and `inet nat`, and, with several
 * uplinks, `inet mangle`.
 */
export function planRuleset(sources: FirewallSources): Ruleset {
  const names = activeGroups(sources.groups);
  const { firewall, uplinks, lanLinks, accessPoints, lanAddress } = sources;
  const custom = customRules(firewall.CustomInterfaceRules, uplinks);
  const sets = filterSets({ ...sources, activeGroups: names, custom });
  const withNetworks = new Set(groupNetworks(custom, names).keys());
  const blocks = blockSets(firewall.BlockRules);
  const translated = forwards(firewall.ForwardingRules);
  return {
    tables: [
      shared({
        family: "inet",
        name: "filter",
        sets,
        chains: filterChains({ accessPoints, activeGroups: { names, withNetworks }, sets }),
      }),
      shared({
        family: "inet",
        name: "nat",
        sets: [
          interfaceSet("uplink_interfaces", uplinks),
          interfaceSet("lan_interfaces", lanLinks),
          plainSet("own_tcp_ports", "inet_service", upstreamPorts(firewall)),
          ...blocks,
          ...translated.sets,
        ],
        chains: natChains({ lanAddress, blocks, forwards: translated }),
      }),
      ...(sources.marks
        ? [
          shared(
            marksTable({ ...sources.marks, links: uplinks, networks: sources.networks }),
          ),
        ]
        : []),
    ],
  };
}

import type { Element, KeyType, NftSet, Verdict } from "../../core/kernel/ruleset.ts";
import type { ClosedGroups } from "../../core/kernel/desired.ts";
import { NONE_CLOSED } from "../../devices/groups/group_schedule.ts";
import { POLICIES } from "../../devices/policies.ts";
import { forwardBlockSets, outputBlockSets } from "./block_sets.ts";
import { customContributions, customSets, groupNetworks, groupNetworkSets } from "./custom_sets.ts";
import {
  type Contribution,
  deviceElements,
  type LocatedDevice,
  replacedDevices,
} from "./device_elements.ts";
import { markEdited, markEditedLike, sameElement } from "../../core/kernel/nft/diff.ts";
import { endpointSets } from "./endpoint_sets.ts";
import { groupMaps } from "./names.ts";
import { mergeNetworks } from "../../core/net/net.ts";
import type { CustomInterfaceRule, Firewall } from "../schema.ts";

/** Chain that decides about private destinations behind an uplink. */
export const RESTRICT_PRIVATE = "restrict_upstream_private_addresses";

/**
 * Destinations in private networks of others: RFC 1918, shared address space (RFC 6598)
 * and link-local (RFC 3927).
 */
const PRIVATE = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
];

const ACCEPT: Verdict = { kind: "accept" };

const AT: readonly KeyType[] = ["ipv4_addr", "ifname"];
const ADDRESS: readonly KeyType[] = ["ipv4_addr"];

// Sets that devices fill: what their keys are, and whether they are verdict maps.
const DEVICE_SETS: Readonly<Record<string, { key: readonly KeyType[]; map: boolean }>> = {
  ethernet_filter: { key: ["ipv4_addr", "ifname", "ether_addr"], map: true },
  wireguard_filter: { key: AT, map: true },
  ...Object.fromEntries(
    POLICIES.flatMap(({ devices }) =>
      devices === null ? [] : [[devices.name, {
        key: devices.key === "address" ? ADDRESS : AT,
        map: devices.verdict !== null,
      }]]
    ),
  ),
};

/** A set of single-part keys. */
export function plainSet(name: string, type: KeyType, keys: readonly string[]): NftSet {
  return { name, key: [type], elements: new Map(keys.map((key) => [key, { key: [key] }])) };
}

function verdictMap(
  name: string,
  type: KeyType,
  keys: readonly string[],
  value: Verdict,
): NftSet {
  const elements = new Map<string, Element>(keys.map((key) => [key, { key: [key], value }]));
  return { name, key: [type], value: "verdict", elements };
}

/** Ports that are let in, each of which counts what it lets in. */
function portMap(name: string, ports: readonly string[]): NftSet {
  return { ...verdictMap(name, "inet_service", ports, ACCEPT), counter: true };
}

/** Interface names as a set. */
export function interfaceSet(name: string, links: readonly string[]): NftSet {
  return plainSet(name, "ifname", links);
}

function pingRules(links: readonly string[]): NftSet {
  return {
    name: "ping_rules",
    key: AT,
    value: "verdict",
    interval: true,
    elements: new Map(links.map((link): [string, Element] => [
      `0.0.0.0/0 . ${link}`,
      { key: ["0.0.0.0/0", link], value: ACCEPT },
    ])),
  };
}

/** What the sets are made of. */
export interface SetSources {
  readonly uplinks: readonly string[];
  readonly lanLinks: readonly string[];
  readonly networks: readonly string[];
  readonly firewall: Firewall;
  readonly devices: readonly LocatedDevice[];
  readonly activeGroups: ReadonlySet<string>;
  readonly closedGroups?: ClosedGroups;
  /** UDP ports of the router on which VPN tunnels listen. */
  readonly tunnelPorts: readonly string[];
  /** Active custom interface rules. */
  readonly custom: readonly CustomInterfaceRule[];
}

/** Names of the router's own TCP ports that are open to uplinks. */
export function upstreamPorts(firewall: Firewall): readonly string[] {
  return [
    ...new Set(firewall.ServicePorts.filter((one) => one.UpstreamEnabled).map((one) => one.Port)),
  ];
}

/** Sets whose content does not depend on any device. */
function commonSets(sources: SetSources): readonly NftSet[] {
  const { uplinks, lanLinks, networks, firewall } = sources;
  const ports = firewall.ServicePorts;
  const multicast = firewall.MulticastPorts;
  const unique = (list: readonly string[]): readonly string[] => [...new Set(list)];
  return [
    interfaceSet("uplink_interfaces", uplinks),
    interfaceSet("outward_interfaces", uplinks),
    interfaceSet("lan_interfaces", lanLinks),
    { ...plainSet("supernetworks", "ipv4_addr", mergeNetworks(networks)), interval: true },
    {
      ...verdictMap("drop_private_rfc1918", "ipv4_addr", PRIVATE, {
        kind: "jump",
        chain: RESTRICT_PRIVATE,
      }),
      interval: true,
    },
    portMap("lan_tcp_accept", unique(ports.map((p) => p.Port))),
    portMap("wan_tcp_accept", upstreamPorts(firewall)),
    portMap("vpn_udp_accept", sources.tunnelPorts),
    portMap("multicast_lan_udp_accept", unique(multicast.map((p) => p.Port))),
    portMap(
      "multicast_wan_udp_accept",
      unique(multicast.filter((p) => p.Upstream).map((p) => p.Port)),
    ),
    pingRules([...(firewall.PingLan ? lanLinks : []), ...(firewall.PingWan ? uplinks : [])]),
  ];
}

interface DeviceSets {
  readonly devices: readonly LocatedDevice[];
  readonly activeGroups: ReadonlySet<string>;
  readonly closedGroups: ClosedGroups;
  readonly sets: ReadonlyMap<string, NftSet>;
}

/** What custom interface rules add. */
interface CustomSets {
  readonly rules: readonly CustomInterfaceRule[];
  readonly activeGroups: ReadonlySet<string>;
  /** To the sets that devices fill. */
  readonly added: ReadonlyMap<string, readonly Contribution[]>;
  /** Sets of their own. */
  readonly own: readonly NftSet[];
}

/** The last sets: only those that a changed device fills, or filled, are made anew. */
export interface DeviceSetsMemo {
  deviceSets: DeviceSets | null;
  customSets: CustomSets | null;
  /** Sets that devices and custom interface rules fill, and those of devices alone that they were made of. */
  readonly filledSets: Map<string, FilledSet>;
}

interface FilledSet {
  readonly custom: CustomSets;
  readonly bare: NftSet;
  readonly set: NftSet;
}

/** The sets that devices fill, with what custom interface rules add to them. */
function deviceSets(
  sources: SetSources,
  custom: CustomSets,
  memo: DeviceSetsMemo,
): readonly NftSet[] {
  const { devices, activeGroups, closedGroups = NONE_CLOSED } = sources;
  const sets = updatedSets(memo.deviceSets, sources) ?? allDeviceSets(sources);
  memo.deviceSets = { devices, activeGroups, closedGroups, sets };
  return [...sets.values()].map((bare) => {
    const added = custom.added.get(bare.name);
    return added === undefined ? bare : filledSet(bare, { custom, added }, memo.filledSets);
  });
}

function filledSet(
  bare: NftSet,
  { custom, added }: { readonly custom: CustomSets; readonly added: readonly Contribution[] },
  known: Map<string, FilledSet>,
): NftSet {
  const last = known.get(bare.name);
  if (last?.custom === custom && last.bare === bare) return last.set;
  const elements = new Map(bare.elements);
  for (const { key, element } of added) elements.set(key, element);
  const set = { ...bare, elements };
  if (last?.custom === custom) markEditedLike(last.set, set, { from: last.bare, to: bare });
  known.set(bare.name, { custom, bare, set });
  return set;
}

function customSetsOf(
  { custom, activeGroups }: SetSources,
  memo: DeviceSetsMemo,
): CustomSets {
  const last = memo.customSets;
  const stays = last !== null && last.activeGroups === activeGroups &&
    last.rules.length === custom.length && last.rules.every((rule, at) => rule === custom[at]);
  return memo.customSets = stays ? last : {
    rules: custom,
    activeGroups,
    added: Map.groupBy(customContributions(custom, activeGroups), ({ set }) => set),
    own: [...customSets(custom), ...groupNetworkSets(groupNetworks(custom, activeGroups))],
  };
}

/** The last sets with the elements of replaced and added devices; null where more changed. */
function updatedSets(
  last: DeviceSets | null,
  { devices, activeGroups, closedGroups = NONE_CLOSED }: SetSources,
): ReadonlyMap<string, NftSet> | null {
  if (last === null || last.activeGroups !== activeGroups) return null;
  if (last.closedGroups !== closedGroups) return null;
  const positions = last.devices === devices ? [] : replacedDevices.between(last.devices, devices);
  if (positions === null) return null;
  const sets = new Map(last.sets);
  const anew = new Map<string, { readonly from: NftSet; readonly keys: Set<string> }>();
  const edit = (name: string, key: string): Map<string, Element> | null => {
    const set = sets.get(name);
    if (set === undefined) return null;
    let edited = anew.get(name);
    if (edited === undefined) {
      anew.set(name, edited = { from: set, keys: new Set() });
      sets.set(name, { ...set, elements: new Map(set.elements) });
    }
    edited.keys.add(key);
    return sets.get(name)!.elements as Map<string, Element>;
  };
  for (const position of positions) {
    const [before, after] = [last.devices[position], devices[position]].map((located) =>
      located === undefined ? [] : deviceElements(located, activeGroups, closedGroups)
    ) as [readonly Contribution[], readonly Contribution[]];
    const same = (one: Contribution, other: Contribution): boolean =>
      one.set === other.set && one.key === other.key && sameElement(one.element, other.element);
    for (const one of before) {
      if (!after.some((other) => same(one, other))) edit(one.set, one.key)?.delete(one.key);
    }
    for (const one of after) {
      if (!before.some((other) => same(one, other))) {
        edit(one.set, one.key)?.set(one.key, one.element);
      }
    }
  }
  for (const [name, { from, keys }] of anew) markEdited(from, sets.get(name)!, [...keys]);
  return sets;
}

function allDeviceSets(
  { devices, activeGroups, closedGroups }: SetSources,
): ReadonlyMap<string, NftSet> {
  const filled = new Map<string, Map<string, Element>>();
  for (const name of Object.keys(DEVICE_SETS)) filled.set(name, new Map());
  for (const group of activeGroups) {
    const maps = groupMaps(group);
    filled.set(maps.target, new Map()).set(maps.source, new Map());
  }
  for (const located of devices) {
    for (const { set, key, element } of deviceElements(located, activeGroups, closedGroups)) {
      filled.get(set)?.set(key, element);
    }
  }
  return new Map([...filled].map(([name, elements]) => {
    const { key, map } = DEVICE_SETS[name] ?? { key: AT, map: true };
    return [
      name,
      map ? { name, key, value: "verdict" as const, elements } : { name, key, elements },
    ];
  }));
}

/** Every set of `inet filter`. */
export function filterSets(sources: SetSources, memo: DeviceSetsMemo): readonly NftSet[] {
  const { firewall, devices } = sources;
  const custom = customSetsOf(sources, memo);
  return [
    ...commonSets(sources),
    ...deviceSets(sources, custom, memo),
    // Those whose content rules decide, not devices alone.
    ...forwardBlockSets(firewall.ForwardingBlockRules),
    ...outputBlockSets(firewall.OutputBlockRules),
    ...endpointSets(devices, firewall.Endpoints),
    ...custom.own,
  ];
}

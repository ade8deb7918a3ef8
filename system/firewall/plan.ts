import { onceEach } from "../core/config/memo.ts";
import { type Group, opensBetween } from "../devices/groups/group_schema.ts";
import type { Chain, NftSet, Ruleset, Table } from "../core/kernel/ruleset.ts";
import type { ClosedGroups } from "../core/kernel/desired.ts";
import { NONE_CLOSED } from "../devices/groups/group_schedule.ts";
import type { MeshTraffic } from "../mesh/network.ts";
import type { CustomInterfaceRule, Firewall } from "./schema.ts";
import { deviceElements, type LocatedDevice, replacedDevices } from "./sets/device_elements.ts";
import { sameSet } from "../core/kernel/nft/diff.ts";
import { accountingTable } from "./accounting.ts";
import { blockChain, blockSets } from "./sets/block_sets.ts";
import { CUSTOM_INTERFACES, customRules, groupNetworks } from "./sets/custom_sets.ts";
import { type Forwards, forwards } from "./sets/forward_sets.ts";
import { type MarkSources, marksTable } from "./sets/marks.ts";
import {
  type DeviceSetsMemo,
  filterSets,
  interfaceSet,
  plainSet,
  upstreamPorts,
} from "./sets/sets.ts";
import { ADMIN_PORTS, type AdminPorts } from "./admin_ports.ts";
import {
  accept,
  drop,
  DROP_MAC_SPOOF,
  ESTABLISHED,
  FROM_LAN,
  FROM_UPLINK,
  is,
  isNot,
  OUTWARD,
  rule,
  TO_UPLINK,
  within,
  without,
} from "./chains/rule.ts";
import { endpointChain, prepareEndpoints } from "./sets/endpoint_sets.ts";
import {
  type ActiveGroups,
  forwardChain,
  groupsChain,
  PRIVATE_CHAIN,
} from "./chains/forward_chain.ts";
import { INPUT_IPV6, inputChain } from "./chains/input_chain.ts";
import { baseName } from "./sets/regions.ts";
import { loggedTables } from "./packet_log/log_chains.ts";
import { NO_PACKET_LOG, type PacketLogSettings } from "./packet_log/schema.ts";

/** What the packet filter is computed from. */
export interface FirewallSources {
  readonly firewall: Firewall;
  /** Rules of custom interfaces and sites; default those of `firewall`. */
  readonly interfaceRules?: readonly CustomInterfaceRule[];
  /** UDP ports of the router on which VPN tunnels listen. */
  readonly tunnelPorts?: readonly string[];
  readonly groups: readonly Group[];
  /** Groups whose members hold some policies without effect; default none. */
  readonly closedGroups?: ClosedGroups;
  readonly devices: readonly LocatedDevice[];
  /** Interfaces to the Internet. */
  readonly uplinks: readonly string[];
  /** Interfaces that LAN devices are on. */
  readonly lanLinks: readonly string[];
  readonly accessPoints: readonly string[];
  /** The LAN subnets, in CIDR form. */
  readonly networks: readonly string[];
  readonly lanAddress: string | null;
  /** The router's addresses on uplinks, without prefix. */
  readonly uplinkAddresses: readonly string[];
  /** Default: the usual ones. */
  readonly adminPorts?: AdminPorts;
  /** Which packets are logged; default none. */
  readonly packetLog?: PacketLogSettings;
  /** Other routers of a mesh. */
  readonly mesh?: MeshTraffic;
  /** With several uplinks: how connections are given to them. */
  readonly marks?: Pick<MarkSources, "uplinks" | "balance"> | null;
}

/** Group names that never open anything: `isolated`, and those of policies (which no label can be). */
const CLOSED = new Set(["isolated"]);

/** Groups whose members reach each other. */
const activeGroups = onceEach((groups: readonly Group[]): ReadonlySet<string> =>
  new Set(
    groups.filter((group) => opensBetween(group) && !CLOSED.has(group.Name))
      .map((group) => group.Name),
  )
);

const chainText = onceEach((chain: Chain): string => JSON.stringify(chain));

function sameChain(a: Chain, b: Chain): boolean {
  return a === b || chainText(a) === chainText(b);
}

/**
 * The last ruleset: equal sets and chains are handed out again as the same objects, so that comparing
 * two plans looks only into what differs. It changes speed, never a result.
 */
export class RulesetMemo implements DeviceSetsMemo {
  deviceSets: DeviceSetsMemo["deviceSets"] = null;
  customSets: DeviceSetsMemo["customSets"] = null;
  readonly filledSets: DeviceSetsMemo["filledSets"] = new Map();
  /** The last tables by name. */
  readonly tables = new Map<string, Table>();
  /** The set that is handed out instead of an equal one. */
  readonly equalSets = new WeakMap<NftSet, NftSet>();
  /** What {@link prepareRuleset} was last given. */
  prepared: Prepared | null = null;
}

type Prepared = Required<
  Pick<FirewallSources, "devices" | "groups" | "closedGroups"> & Pick<Firewall, "Endpoints">
>;

function sharedSet(old: NftSet | undefined, set: NftSet, memo: RulesetMemo): NftSet {
  if (old === undefined || old === set || memo.equalSets.get(set) === old) return old ?? set;
  if (!sameSet(old, set)) return set;
  memo.equalSets.set(set, old);
  return old;
}

function shared(table: Table, memo: RulesetMemo): Table {
  const before = memo.tables.get(table.name);
  const sets = new Map(before?.sets.map((set) => [set.name, set]));
  const chains = new Map(before?.chains.map((chain) => [chain.name, chain]));
  const reused: Table = {
    ...table,
    sets: table.sets.map((set) => sharedSet(sets.get(set.name), set, memo)),
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
  memo.tables.set(table.name, reused);
  return reused;
}

/**
 * Computes in small steps what each device puts into the sets, which is most of what {@link planRuleset}
 * takes and is kept with the devices: of those alone that were replaced since the last time.
 */
export function* prepareRuleset(
  { devices, groups, closedGroups = NONE_CLOSED, firewall: { Endpoints } }: Pick<
    FirewallSources,
    "devices" | "groups" | "closedGroups" | "firewall"
  >,
  memo: RulesetMemo,
): Generator<void, void> {
  const names = activeGroups(groups);
  const last = memo.prepared;
  const goesOn = last !== null && activeGroups(last.groups) === names &&
    last.closedGroups === closedGroups && last.Endpoints === Endpoints;
  const positions = !goesOn
    ? null
    : last.devices === devices
    ? []
    : replacedDevices.between(last.devices, devices);
  for (const located of positions?.map((at) => devices[at]!) ?? devices) {
    deviceElements(located, names, closedGroups);
    prepareEndpoints(located.device, Endpoints);
    yield;
  }
  memo.prepared = { devices, groups, closedGroups, Endpoints };
}

/**
 * The whole packet filter of a configuration: tables `inet filter`, `inet nat` and `ip accounting`,
 * and, with several uplinks, `inet mangle`.
 */
export function planRuleset(sources: FirewallSources, memo = new RulesetMemo()): Ruleset {
  const names = activeGroups(sources.groups);
  const { firewall, uplinks, lanLinks, accessPoints, lanAddress } = sources;
  const { interfaceRules = firewall.CustomInterfaceRules, tunnelPorts = [] } = sources;
  const custom = customRules(interfaceRules, uplinks);
  const sets = filterSets({ ...sources, activeGroups: names, custom, tunnelPorts }, memo);
  const withNetworks = new Set(groupNetworks(custom, names).keys());
  const blocks = blockSets(firewall.BlockRules);
  const translated = forwards(firewall.ForwardingRules);
  const tables: readonly Table[] = [
    {
      family: "inet",
      name: "filter",
      sets,
      chains: filterChains({
        accessPoints,
        activeGroups: { names, withNetworks },
        adminPorts: sources.adminPorts ?? ADMIN_PORTS,
        sets,
        ...(sources.mesh === undefined ? {} : { mesh: sources.mesh }),
      }),
    },
    {
      family: "inet",
      name: "nat",
      sets: [
        interfaceSet("uplink_interfaces", uplinks),
        interfaceSet("lan_interfaces", lanLinks),
        plainSet("uplink_addresses", "ipv4_addr", [...new Set(sources.uplinkAddresses)]),
        plainSet("own_tcp_ports", "inet_service", upstreamPorts(firewall)),
        plainSet("own_udp_ports", "inet_service", tunnelPorts),
        ...blocks,
        ...translated.sets,
      ],
      chains: natChains({ lanAddress, blocks, forwards: translated }),
    },
    accountingTable(uplinks),
    ...(sources.marks
      ? [marksTable({ ...sources.marks, links: uplinks, networks: sources.networks })]
      : []),
  ];
  const { Log } = sources.packetLog ?? NO_PACKET_LOG;
  const logged = Log === "off" ? tables : loggedTables(tables, Log);
  return { tables: logged.map((table) => shared(table, memo)) };
}

/** What the chains, beside the sets that they look into, depend on. */
export interface SkeletonSources {
  /** Access points whose stations each have a link named `<name>.<number>`. */
  readonly accessPoints: readonly string[];
  readonly activeGroups: ActiveGroups;
  readonly adminPorts: AdminPorts;
  readonly mesh?: MeshTraffic;
  /** The sets of the table: chains ask every layer of those that have several. */
  readonly sets: readonly NftSet[];
}

/** What the router itself may send. */
const outputChain = ({ tunnels }: Pick<MeshTraffic, "tunnels">): Chain => ({
  name: "OUTPUT",
  hook: { type: "filter", hook: "output", priority: 0, policy: "accept" },
  rules: [
    rule("Loopback traffic", accept, is("oifname", "lo")),
    // While a tunnel is down, its addresses would be routed to the WAN.
    ...tunnels.map((tunnel) =>
      rule(
        `Blocked: mesh link to ${tunnel.outer} outside its tunnel`,
        drop,
        isNot("oifname", tunnel.interface),
        is("ip daddr", tunnel.peer),
      )
    ),
    rule(
      "Blocked: LAN destination address on a WAN interface",
      drop,
      OUTWARD,
      within("supernetworks", "ip daddr"),
    ),
    rule(
      "Blocked: LAN source address on a WAN interface",
      drop,
      OUTWARD,
      within("supernetworks", "ip saddr"),
    ),
    ESTABLISHED,
    rule("Output block rules", { kind: "jump", chain: "OUTPUT_BLOCK" }),
  ],
});

/** The chains of `inet filter`. */
function filterChains(sources: SkeletonSources): readonly Chain[] {
  const layersOf = (...names: readonly string[]): readonly NftSet[] =>
    sources.sets.filter((set) => names.includes(baseName(set.name)));
  return [
    DROP_MAC_SPOOF,
    PRIVATE_CHAIN,
    blockChain("fwd_block", "Blocked by a forward block rule", sources.sets),
    blockChain("output_block", "Blocked by an output block rule", sources.sets),
    endpointChain(layersOf("ept_tcpfwd", "ept_udpfwd")),
    CUSTOM_INTERFACES,
    groupsChain(sources.activeGroups),
    INPUT_IPV6,
    inputChain(sources.accessPoints, sources.adminPorts, sources.mesh),
    forwardChain(sources.accessPoints, sources.mesh?.bridged),
    outputChain(sources.mesh ?? { tunnels: [] }),
  ];
}

/** What the chains of `inet nat` depend on. */
export interface NatSources {
  readonly lanAddress: string | null;
  readonly blocks: readonly NftSet[];
  readonly forwards: Forwards;
}

/** The chains of `inet nat`. */
function natChains({ lanAddress, blocks, forwards }: NatSources): readonly Chain[] {
  const redirect = lanAddress === null ? [] : [
    rule(
      "Redirect DNS to this router's resolver",
      { kind: "dnat", to: lanAddress, port: 53 },
      FROM_LAN,
      is("meta nfproto", "ipv4"),
      // Also those to other addresses of the router: the resolver listens on this one.
      isNot("ip daddr", lanAddress),
      is("meta l4proto", "tcp", "udp"),
      is("th dport", "53"),
    ),
  ];
  return [
    forwards.chain,
    blockChain("block", "Blocked by a block rule", blocks),
    {
      name: "PREROUTING",
      hook: { type: "nat", hook: "prerouting", priority: -100, policy: "accept" },
      rules: [
        rule("Block rules", { kind: "jump", chain: "BLOCK" }, isNot("iifname", "lo")),
        rule(
          "Port forwards",
          { kind: "jump", chain: "FORWARDS" },
          FROM_UPLINK,
          is("meta nfproto", "ipv4"),
          is("fib daddr type", "local"),
        ),
        ...redirect,
        // The forward chain decides who may reach the server, as it does without the detour.
        rule(
          "Port forwards, called by the WAN address from the LAN",
          { kind: "jump", chain: "FORWARDS" },
          without("uplink_interfaces", "iifname"),
          isNot("iifname", "lo"),
          is("meta nfproto", "ipv4"),
          within("uplink_addresses", "ip daddr"),
        ),
      ],
    },
    {
      name: "POSTROUTING",
      hook: { type: "nat", hook: "postrouting", priority: 100, policy: "accept" },
      rules: [
        rule(
          "Masquerade to the WAN",
          { kind: "masquerade" },
          TO_UPLINK,
          is("meta nfproto", "ipv4"),
        ),
      ],
    },
  ];
}

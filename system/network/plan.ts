import type { Config } from "../config.ts";
import type { Observations } from "../core/engine/change.ts";
import type {
  Desired,
  DesiredAddress,
  DesiredNeighbour,
  DesiredRoute,
  UplinkPath,
} from "../core/kernel/desired.ts";
import type { AddressFact, Facts } from "../core/kernel/facts.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";
import type { AdminPorts } from "../firewall/admin_ports.ts";
import { onceEach } from "../core/config/memo.ts";
import { atOnce } from "../core/time/slices.ts";
import { closedGroups, NONE_CLOSED } from "../devices/groups/group_schedule.ts";
import type { Device } from "../devices/schema.ts";
import { customRules } from "../firewall/sets/custom_sets.ts";
import { type LocatedDevice, replacedDevices } from "../firewall/sets/device_elements.ts";
import { planRuleset, prepareRuleset, RulesetMemo } from "../firewall/plan.ts";
import type { CustomInterfaceRule } from "../firewall/schema.ts";
import {
  interfaceRules,
  openPorts,
  siteAddresses,
  siteRoutes,
  tunnelLinks,
  writtenRules,
} from "../wireguard/plan.ts";
import { revokedSites } from "../wireguard/tunnels/revoked.ts";
import {
  isBridgedLeaf,
  isLeafInterface,
  meshAddresses,
  meshLinks,
  meshNetwork,
  meshTraffic,
} from "../mesh/network.ts";
import { lanLinks, lanRanges, locateDevices, type LocatedMemo, roles } from "./device_links.ts";
import { LAN_LINK, lanSubnets, type SubnetsMemo } from "./lan_subnets.ts";
import { broadcastAddresses } from "./routing/gateway.ts";
import { leaseRoutes } from "./routing/lease_routes.ts";
import { additionalAddresses, configuredLinks, lanLink } from "./interfaces/link_plan.ts";
import {
  egress,
  type EgressPlan,
  gatewayRoutes,
  uplinkLinks,
  uplinkPaths,
  withoutBroadcastGateways,
} from "./routing/uplink_paths.ts";

export { LAN_LINK };

/** An address without its prefix. */
export function hostOf(address: string): string {
  const slash = address.indexOf("/");
  return slash < 0 ? address : address.slice(0, slash);
}

/** The router's address in a device's /30. */
function routerAddress(device: Device): string {
  return `${formatIpv4(parseIpv4(device.RecentIP)! - 1)}/30`;
}

interface DeviceEntry {
  readonly address: AddressFact;
  readonly neighbour: DesiredNeighbour;
}

const deviceEntry = onceEach(({ device, link }: LocatedDevice): DeviceEntry => ({
  address: { link, address: routerAddress(device) },
  neighbour: { address: device.RecentIP, link, mac: device.MAC },
}));

/** The router's LAN addresses: the first of each subnet, with its prefix. */
function lanAddresses(ranges: readonly Range4[]): readonly AddressFact[] {
  return ranges.map(({ first, prefix }) => ({
    link: LAN_LINK,
    address: `${formatIpv4(first + 1)}/${prefix}`,
  }));
}

/** The router's addresses on uplinks; pppd sets those of PPP itself. */
function uplinkAddresses(
  { interfaces }: Pick<Config, "interfaces">,
  paths: readonly UplinkPath[],
): readonly DesiredAddress[] {
  const byName = new Map(interfaces.map((one) => [one.Name, one]));
  return paths.flatMap(({ name, link, address }): readonly DesiredAddress[] => {
    const one = byName.get(name)!;
    if (address === null || one.Subtype === "pppup") return [];
    return [one.DisableDHCP ? { link, address } : { link, address, mayBeThere: true }];
  });
}

/** The default route of the main table. */
function defaultRoute({ first }: EgressPlan): readonly DesiredRoute[] {
  return first === null ? [] : [{ destination: "default", via: first.via, link: first.link }];
}

/** A network or address as a route's destination. */
function destinationOf(text: string): string {
  return text.includes("/") ? text : `${text}/32`;
}

/**
 * The routes of custom interface rules. One whose gateway is in no network of its link yet is left
 * out: the kernel would refuse the route, and the whole batch with it.
 */
function customRoutes(
  rules: readonly CustomInterfaceRule[],
  facts: Facts,
): readonly DesiredRoute[] {
  const reaches = (link: string, gateway: string): boolean => {
    const value = parseIpv4(gateway);
    return value !== null && facts.addresses.some((fact) => {
      const range = fact.link === link ? parseRange4(fact.address) : null;
      return range !== null && inRange4(range, value);
    });
  };
  const wanted = rules.filter((one) => one.RouteDst !== "" && reaches(one.Interface, one.RouteDst));
  const first = new Map(wanted.toReversed().map((one) => [destinationOf(one.SrcIP), one]));
  return [...first].map(([destination, one]) => ({
    destination,
    via: one.RouteDst,
    link: one.Interface,
  })).toReversed();
}

/** The routes of the main table: configured ones take precedence over leased ones. */
function mainRoutes(
  egress: EgressPlan,
  custom: readonly DesiredRoute[],
  leased: readonly DesiredRoute[],
): readonly DesiredRoute[] {
  const taken = new Set(custom.map(({ destination }) => destination));
  // A gateway must be reachable before a route uses it.
  const gateways = gatewayRoutes(egress.paths).filter(({ destination }) => !taken.has(destination));
  for (const { destination } of gateways) taken.add(destination);
  return [
    ...gateways,
    ...defaultRoute(egress),
    ...custom,
    ...leased.filter(({ destination }) => !taken.has(destination)),
  ];
}

/**
 * Addresses of the kernel outside the LAN that are not ours. Leftovers of a subnet that the LAN has
 * just left are ours, so that the LAN may return to it.
 */
function foreignAddresses(
  facts: Facts,
  ranges: readonly Range4[],
  wanted: readonly AddressFact[],
): readonly string[] {
  const isWanted = (fact: AddressFact): boolean =>
    wanted.some(({ link, address }) => link === fact.link && address === fact.address);
  return facts.addresses.flatMap((fact) => {
    // Nearly all are those of devices.
    const { host, value } = hostFact(fact);
    if (value !== null && ranges.some((range) => inRange4(range, value))) return [];
    const hasLeft = fact.link === LAN_LINK || (fact.ours === true && !isWanted(fact));
    return hasLeft ? [] : [host];
  });
}

const hostFact = onceEach(({ address }: AddressFact) => {
  const host = hostOf(address);
  return { host, value: parseIpv4(host) };
});

/** The parts of a configuration that decide which links there are and where they lead. */
type UplinkParts = Pick<Config, "interfaces" | "ppp" | "wan" | "wireguard">;

/** The part of the state that depends on the links of devices, not on their policies. */
interface Layout extends UplinkParts {
  readonly devices: readonly LocatedDevice[];
  readonly uplinks: Observations["uplinks"];
  readonly networks: readonly string[];
  readonly facts: Facts;
  readonly home: readonly string[];
  readonly ip: Pick<Desired, "links" | "addresses" | "neighbours"> & {
    readonly facts: NonNullable<Desired["facts"]>;
  };
  /** The router's IPv4 addresses on uplinks, without prefix. */
  readonly uplinkAddresses: readonly string[];
  readonly egress: EgressPlan;
  readonly leaseRoutes: readonly DesiredRoute[];
}

/** The last plan: what no change touches is handed out again. It changes speed, never a result. */
export class PlanMemo implements LocatedMemo, SubnetsMemo {
  located: LocatedMemo["located"] = null;
  subnets: SubnetsMemo["subnets"] = null;
  /** Valid for as long as no device moves. */
  layout: Layout | null = null;
  readonly ruleset = new RulesetMemo();
}

interface LayoutSources extends Pick<Layout, "devices" | "networks" | "facts"> {
  readonly config: Config;
  /** The configuration as it stands, which the links of a mesh follow from. */
  readonly whole: Config;
  readonly observed: Observations;
}

function layout(from: LayoutSources, last: Layout | null): Layout {
  const { devices, networks, facts, observed, config: { interfaces, ppp, wan, wireguard } } = from;
  const stands = last !== null && last.interfaces === interfaces && last.ppp === ppp &&
    last.wan === wan && last.wireguard === wireguard && last.uplinks === observed.uplinks &&
    last.networks === networks && last.facts === facts;
  const added = stands ? addedDevices(last, devices) : null;
  return stands && added !== null ? withDevices(last, devices, added) : computeLayout(from);
}

/**
 * Devices that the layout has not, behind all that it has, where no other has moved and nothing but their
 * own addresses follows from them: they are on links that are of the LAN without them, so that no uplink
 * and no route depends on them. Else null.
 */
function addedDevices(
  last: Layout,
  devices: readonly LocatedDevice[],
): readonly LocatedDevice[] | null {
  if (last.devices === devices) return [];
  if (replacedDevices.between(last.devices, devices) === null) return null;
  const added = devices.slice(last.devices.length);
  return added.every(({ link }) => last.home.includes(link)) ? added : null;
}

function withDevices(
  last: Layout,
  devices: readonly LocatedDevice[],
  added: readonly LocatedDevice[],
): Layout {
  if (added.length === 0) return { ...last, devices };
  const { ip } = last;
  const reachable = added.filter(({ link }) => ip.facts.links.has(link));
  const addresses = reachable.map((located) => deviceEntry(located).address);
  const neighbours = reachable.filter(({ tunnel }) => !tunnel)
    .map((located) => deviceEntry(located).neighbour);
  return {
    ...last,
    devices,
    ip: {
      ...ip,
      addresses: [...ip.addresses, ...addresses],
      neighbours: [...ip.neighbours, ...neighbours],
    },
  };
}

function computeLayout(sources: LayoutSources): Layout {
  const { config, whole, observed, devices, networks, facts } = sources;
  const { interfaces, ppp, wan, wireguard } = config;
  const ranges = lanRanges(networks);
  const present = new Map(facts.links.map((link) => [link.name, link.index]));
  const lan = ranges.length > 0 ? lanLink(facts) : null;
  const reachable = devices.filter(({ link }) => present.has(link));
  const given = uplinkPaths({ config, observed, facts, networks });
  const home = lanLinks(roles(interfaces), devices, facts);
  const macs = facts.links.flatMap(({ name, permanentMac }) =>
    permanentMac === undefined ? [] : [[name, permanentMac] as const]
  );
  const addresses = [
    ...(lan ? lanAddresses(ranges) : []),
    ...uplinkAddresses(config, given),
    ...additionalAddresses({ config, facts, ranges }),
    ...siteAddresses(config, facts),
    ...meshAddresses(whole.mesh, facts),
    ...reachable.map((located) => deviceEntry(located).address),
  ];
  // A network that this state adds counts as present.
  const all = [...addresses, ...facts.addresses];
  const isBroadcast = broadcastAddresses(all);
  const paths = withoutBroadcastGateways(given, isBroadcast);
  const ip: Layout["ip"] = {
    links: [
      ...(lan ? [lan] : []),
      ...configuredLinks({ config, facts, paths, observed })
        .filter(({ name }) => !isLeafInterface(name)),
      ...meshLinks(whole, facts),
      ...tunnelLinks(config, facts, paths),
    ],
    addresses,
    neighbours: reachable.filter(({ tunnel }) => !tunnel)
      .map((located) => deviceEntry(located).neighbour),
    facts: {
      links: present,
      running: new Set(facts.links.filter(({ running }) => running).map(({ name }) => name)),
      ...(macs.length === 0 ? {} : { permanentMacs: new Map(macs) }),
      ...(paths.length === 0 ? {} : { uplinks: paths }),
      addresses: foreignAddresses(facts, ranges, addresses),
    },
  };
  return {
    devices,
    interfaces,
    ppp,
    wan,
    wireguard,
    uplinks: observed.uplinks,
    networks,
    facts,
    home,
    ip,
    uplinkAddresses: ownUplinkAddresses(ip, uplinkLinks(config)),
    egress: egress(paths, config, { lan: ranges, isBroadcast }),
    leaseRoutes: leaseRoutes({ paths, observed, addresses: all, lan: ranges, isBroadcast }),
  };
}

/** The router's IPv4 addresses on uplinks, without prefix. */
function ownUplinkAddresses(
  { addresses, facts }: Layout["ip"],
  uplinks: readonly string[],
): readonly string[] {
  return [...addresses, ...facts.uplinks ?? []].flatMap(({ link, address }) => {
    const host = uplinks.includes(link) ? hostOf(address ?? "") : "";
    return parseIpv4(host) === null ? [] : [host];
  });
}

/**
 * The desired kernel state of a configuration, with devices where they were observed. Pure: the memo
 * of earlier plans is the caller's.
 */
export function desire(...inputs: Parameters<typeof desireSteps>): Desired {
  return atOnce(desireSteps(...inputs));
}

/**
 * {@link desire} in small steps. Other states may be computed with the same memo meanwhile: what is
 * read of it is used before the next step.
 */
export function* desireSteps(
  whole: Config,
  observed: Observations,
  facts: Facts,
  memo = new PlanMemo(),
  adminPorts?: AdminPorts,
): Generator<void, Desired> {
  const { vxlan } = facts.capabilities;
  const config = meshNetwork(whole, vxlan);
  const role = roles(config.interfaces);
  const [lan] = lanRanges(config.dhcp.TinyNets);
  const networks = lanSubnets(config, observed, facts, memo);
  yield;
  const devices = locateDevices({ config, observed, facts, networks }, memo);
  yield;
  memo.layout = layout({ config, whole, observed, devices, facts, networks }, memo.layout);
  const { home, ip, egress, leaseRoutes, uplinkAddresses } = memo.layout;
  const uplinks = uplinkLinks(config);
  const custom = customRules(writtenRules(config.firewall, observed.tunnels), uplinks);
  const routes = [...customRoutes(custom, facts), ...siteRoutes(config, facts, observed.tunnels)];
  const main = mainRoutes(egress, routes, leaseRoutes);
  const closed = observed.closedGroups === undefined
    ? NONE_CLOSED
    : closedGroups(config.groups, observed.closedGroups);
  yield;
  yield* prepareRuleset({
    devices,
    groups: config.groups,
    closedGroups: closed,
    firewall: config.firewall,
  }, memo.ruleset);
  return {
    ...ip,
    ...(closed === NONE_CLOSED ? {} : { closedGroups: closed }),
    ruleset: planRuleset({
      firewall: config.firewall,
      interfaceRules: interfaceRules(config, observed.tunnels),
      tunnelPorts: openPorts(config.wireguard).map(({ port }) => String(port)),
      groups: config.groups,
      closedGroups: closed,
      devices,
      uplinks,
      lanLinks: home,
      accessPoints: role.accessPoints,
      networks,
      lanAddress: lan ? formatIpv4(lan.first + 1) : null,
      uplinkAddresses,
      packetLog: config.packetLog,
      marks: egress.marks,
      mesh: meshTraffic(whole, vxlan, {
        addresses: [...ip.addresses, ...facts.addresses],
        routes: [...main, ...facts.routes],
        uplinks,
      }, observed.tunnels === undefined ? undefined : revokedSites(observed.tunnels)),
      ...(adminPorts === undefined ? {} : { adminPorts }),
    }, memo.ruleset),
    routes: main,
    ...(egress.policyRouting === null ? {} : { policyRouting: egress.policyRouting }),
    // Devices on one link have a /30 each, so that traffic between them is forwarded as well.
    // A leaf's bridge carries frames without it.
    forwarding: !isBridgedLeaf(whole.mesh, vxlan) &&
      (uplinks.length > 0 || home.length > 1 || devices.length > 1),
  };
}

import type { Config } from "../config.ts";
import type { Observed } from "../core/engine/change.ts";
import type {
  AddressFact,
  Desired,
  DesiredAddress,
  DesiredNeighbour,
  DesiredRoute,
  Facts,
  UplinkPath,
} from "../core/kernel/host.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";
import type { Device } from "../devices/schema.ts";
import { customRules } from "../firewall/sets/custom_sets.ts";
import type { Place } from "../firewall/sets/device_elements.ts";
import { planRuleset } from "../firewall/plan.ts";
import { renewedPositions } from "../firewall/sets/renewed.ts";
import type { CustomInterfaceRule } from "../firewall/schema.ts";
import { homeLinks, homeRanges, placeDevices, roles } from "./places.ts";
import { homeNetworks, LAN_LINK } from "./links/former.ts";
import { everyones } from "./routing/gateway.ts";
import { leaseRoutes } from "./routing/lease_routes.ts";
import { configuredLinks, furtherAddresses, lanLink } from "./links/link_plan.ts";
import {
  gatewayRoutes,
  leadingByOne,
  type Leaving,
  leaving,
  uplinkLinks,
  uplinkPaths,
} from "./routing/uplink_paths.ts";

export { LAN_LINK };

/** An address without its prefix. */
export function hostOf(address: string): string {
  const slash = address.indexOf("/");
  return slash < 0 ? address : address.slice(0, slash);
}

/** The router's address towards one device: the first of its four, with their prefix. */
function routerAddress(device: Device): string {
  return `${formatIpv4(parseIpv4(device.RecentIP)! - 1)}/30`;
}

interface AtLink {
  readonly link: string;
  readonly address: AddressFact;
  readonly neighbour: DesiredNeighbour;
}

// Devices are immutable: what one needs on its link is made once.
const remembered = new WeakMap<Device, AtLink>();

function atLink({ device, link }: Place): AtLink {
  const known = remembered.get(device);
  if (known?.link === link) return known;
  const made = {
    link,
    address: { link, address: routerAddress(device) },
    neighbour: { address: device.RecentIP, link, mac: device.MAC },
  };
  remembered.set(device, made);
  return made;
}

/** The router's addresses at home: the first of each network, with its prefix. */
function lanAddresses(ranges: readonly Range4[]): readonly AddressFact[] {
  return ranges.map(({ first, prefix }) => ({
    link: LAN_LINK,
    address: `${formatIpv4(first + 1)}/${prefix}`,
  }));
}

/** The router's addresses on uplinks; those of PPP are pppd's own to set. */
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

/** The main table's way to the outside. */
function defaultRoute({ first }: Leaving): readonly DesiredRoute[] {
  return first === null ? [] : [{ destination: "default", via: first.via, link: first.link }];
}

/** A network or address as routes name it. */
function destinationOf(text: string): string {
  return text.includes("/") ? text : `${text}/32`;
}

/**
 * The routes that custom interface rules name. One whose gateway is on no network of its link yet
 * waits for it: the kernel would refuse the route, and everything with it.
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

/** The routes of the main table: what people decided goes before what a provider says. */
function mainRoutes(
  leaving: Leaving,
  custom: readonly DesiredRoute[],
  leased: readonly DesiredRoute[],
): readonly DesiredRoute[] {
  const taken = new Set(custom.map(({ destination }) => destination));
  // A gateway must be reached before anything leads there.
  const gateways = gatewayRoutes(leaving.paths).filter(({ destination }) =>
    !taken.has(destination)
  );
  for (const { destination } of gateways) taken.add(destination);
  return [
    ...gateways,
    ...defaultRoute(leaving),
    ...custom,
    ...leased.filter(({ destination }) => !taken.has(destination)),
  ];
}

/**
 * Addresses of the kernel that are neither of home nor what we set and nothing asks for any more: what
 * stands of a network that home has just left is no other's, so that home may return.
 */
function foreignAddresses(
  facts: Facts,
  ranges: readonly Range4[],
  wanted: readonly AddressFact[],
): readonly string[] {
  const asked = new Set(wanted.map(({ link, address }) => `${address} ${link}`));
  return facts.addresses.flatMap(({ link, address, ours }) => {
    const host = hostOf(address), value = parseIpv4(host);
    const hasLeft = link === LAN_LINK || (ours === true && !asked.has(`${address} ${link}`));
    const atHome = value !== null && ranges.some((range) => inRange4(range, value));
    return hasLeft || atHome ? [] : [host];
  });
}

/** The parts of a configuration that say how the outside is reached. */
type OutsideParts = Pick<Config, "interfaces" | "ppp" | "wan">;

/** What follows from where devices are, whatever they may do. */
interface Layout extends OutsideParts {
  readonly places: readonly Place[];
  readonly uplinks: Observed["uplinks"];
  readonly networks: readonly string[];
  readonly facts: Facts;
  readonly home: readonly string[];
  readonly ip: Pick<Desired, "links" | "addresses" | "neighbours"> & {
    readonly seen: NonNullable<Desired["seen"]>;
  };
  readonly leaving: Leaving;
  readonly leaseRoutes: readonly DesiredRoute[];
}

// The last answer: it is the same for as long as every device stays where it is.
let last: Layout | null = null;

interface LaidOut extends Pick<Layout, "places" | "networks" | "facts"> {
  readonly config: Config;
  readonly observed: Observed;
}

function layout(from: LaidOut): Layout {
  const { places, networks, facts, observed, config: { interfaces, ppp, wan } } = from;
  const stays = last !== null && last.interfaces === interfaces && last.ppp === ppp &&
    last.wan === wan && last.uplinks === observed.uplinks && last.networks === networks &&
    last.facts === facts && renewedPositions(last.places, places) !== null;
  last = stays ? { ...last!, places } : layOut(from);
  return last;
}

function layOut({ config, observed, places, networks, facts }: LaidOut): Layout {
  const { interfaces, ppp, wan } = config;
  const ranges = homeRanges(networks);
  const present = new Map(facts.links.map((link) => [link.name, link.index]));
  const lan = ranges.length > 0 ? lanLink(facts) : null;
  const reachable = places.filter((place) => present.has(place.link));
  const given = uplinkPaths({ config, observed, facts, networks });
  const home = homeLinks(roles(interfaces), places, facts);
  const macs = facts.links.flatMap(({ name, permanentMac }) =>
    permanentMac === undefined ? [] : [[name, permanentMac] as const]
  );
  const addresses = [
    ...(lan ? lanAddresses(ranges) : []),
    ...uplinkAddresses(config, given),
    ...furtherAddresses({ config, facts, ranges }),
    ...reachable.map((place) => atLink(place).address),
  ];
  // A network that comes with this very state counts as one that is there.
  const all = [...addresses, ...facts.addresses];
  const isEveryones = everyones(all);
  const paths = leadingByOne(given, isEveryones);
  return {
    places,
    interfaces,
    ppp,
    wan,
    uplinks: observed.uplinks,
    networks,
    facts,
    home,
    ip: {
      links: [...(lan ? [lan] : []), ...configuredLinks({ config, facts, paths, observed })],
      addresses,
      neighbours: reachable.filter((place) => !place.tunnel)
        .map((place) => atLink(place).neighbour),
      seen: {
        links: present,
        running: new Set(facts.links.filter(({ running }) => running).map(({ name }) => name)),
        ...(macs.length === 0 ? {} : { permanentMacs: new Map(macs) }),
        ...(paths.length === 0 ? {} : { uplinks: paths }),
        addresses: foreignAddresses(facts, ranges, addresses),
      },
    },
    leaving: leaving(paths, config, { home: ranges, isEveryones }),
    leaseRoutes: leaseRoutes({ paths, observed, addresses: all, home: ranges, isEveryones }),
  };
}

/** The kernel state that a configuration asks for, where devices are as seen. Pure. */
export function desire(config: Config, observed: Observed, facts: Facts): Desired {
  const role = roles(config.interfaces);
  const [lan] = homeRanges(config.dhcp.TinyNets);
  const networks = homeNetworks(config, observed, facts);
  const places = placeDevices(config, observed, facts, networks);
  const { home, ip, leaving, leaseRoutes } = layout({
    ...{ config, observed, places, facts, networks },
  });
  const uplinks = uplinkLinks(config);
  const custom = customRules(config.firewall.CustomInterfaceRules, uplinks);
  return {
    ...ip,
    ruleset: planRuleset({
      firewall: config.firewall,
      groups: config.groups,
      places,
      uplinks,
      homeLinks: home,
      accessPoints: role.accessPoints,
      networks,
      lanAddress: lan ? formatIpv4(lan.first + 1) : null,
      marks: leaving.marks,
    }),
    routes: mainRoutes(leaving, customRoutes(custom, facts), leaseRoutes),
    ...(leaving.ways === null ? {} : { ways: leaving.ways }),
    // Devices of one link are in networks of their own, so that two of them need the router, too.
    forwarding: uplinks.length > 0 || home.length > 1 || places.length > 1,
  };
}

import type { Config } from "../../config.ts";
import type { Observed } from "../../core/engine/change.ts";
import type {
  DesiredRoute,
  Facts,
  UplinkPath,
  Way,
  WayRule,
  Ways,
} from "../../core/kernel/host.ts";
import { inRange4, overlaps4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import type { MarkSources } from "../../firewall/sets/marks.ts";
import { inOrder, sharesOf, weightOf } from "../../uplink/share_rules.ts";
import { type GatewayOf, gatewayPlace, type IsEveryones } from "./gateway.ts";
import type { Interface } from "../schema.ts";
import { uplinkTables } from "./uplink_tables.ts";

/** Metric of the first gateway of an additional address. */
const FIRST_METRIC = 100;

/** The link that packets of an uplink take. */
export function pathLink(
  config: Pick<Config, "ppp">,
  one: Pick<Interface, "Name" | "Subtype">,
): string {
  if (one.Subtype !== "pppup") return one.Name;
  return config.ppp.find(({ Iface }) => Iface === one.Name)?.PPPIface || one.Name;
}

/** Every link to the outside: enabled uplinks, and what PPP makes of them. */
export function uplinkLinks(config: Pick<Config, "interfaces" | "ppp">): readonly string[] {
  const enabled = config.interfaces.filter(({ Type, Enabled }) => Type === "Uplink" && Enabled);
  return [...new Set(enabled.flatMap((one) => [one.Name, pathLink(config, one)]))];
}

type Given = Pick<UplinkPath, "address" | "via" | "apart" | "leads" | "mtu">;

const NOTHING: Given = { address: null, via: null, leads: false, mtu: null };

function addressOn(link: string, facts: Facts): string | null {
  return facts.addresses.find((one) => one.link === link && parseIpv4(hostOf(one.address)) !== null)
    ?.address ?? null;
}

function hostOf(address: string): string {
  return address.split("/")[0] ?? "";
}

function plugsOf({ plugs = {} }: Facts, link: string): number | null {
  return Object.hasOwn(plugs, link) ? plugs[link]! : null;
}

/** What an uplink has to send by: set by hand, leased, or negotiated by PPP. */
function given(one: Interface, link: string, { observed, facts, home }: PathSources & {
  readonly home: (address: string) => boolean;
}): Given {
  if (one.Subtype === "pppup") {
    const address = addressOn(link, facts);
    return { ...NOTHING, address, leads: address !== null };
  }
  if (one.DisableDHCP) {
    if (one.IP === "") return NOTHING;
    const fixed = { address: one.IP, router: one.Router || null };
    return { ...NOTHING, address: one.IP, ...way(fixed, link, { facts, home }) };
  }
  const lease = observed.uplinks?.[one.Name]?.lease;
  // A provider that gives out our own home networks cannot be used: devices are there already.
  if (!lease || home(lease.address)) return NOTHING;
  return { address: lease.address, mtu: lease.mtu, ...way(lease, link, { facts, home }) };
}

/** The way on by a gateway, as far as it can be one. */
function way(
  given: GatewayOf,
  link: string,
  { facts, home }: Pick<PathSources, "facts"> & { readonly home: (address: string) => boolean },
): Pick<Given, "via" | "apart" | "leads"> {
  const { router } = given;
  const place = gatewayPlace(given);
  // What is elsewhere already would be drawn to this link.
  const apart = place === "apart" && router !== null && !home(`${router}/32`) &&
    !isElsewhere(router, link, facts);
  return { via: router, leads: place === "inside" || apart, ...(apart ? { apart } : {}) };
}

/** True for an address in a network that the router is in by another link. */
function isElsewhere(address: string, link: string, facts: Facts): boolean {
  const value = parseIpv4(address);
  return facts.addresses.some((one) => {
    const range = one.link === link ? null : parseRange4(one.address);
    return range !== null && value !== null && inRange4(range, value);
  });
}

/** Single addresses of gateways that are outside the network of their uplink's address. */
export function gatewayRoutes(paths: readonly UplinkPath[]): readonly DesiredRoute[] {
  return paths.flatMap(({ apart, leads, via, link }) =>
    apart === true && leads && via !== null ? [{ destination: `${via}/32`, via: null, link }] : []
  );
}

/** What paths are computed from. */
export interface PathSources {
  readonly config: Pick<Config, "interfaces" | "ppp" | "wan">;
  readonly observed: Observed;
  readonly facts: Facts;
  /** The home networks, in CIDR form. */
  readonly networks: readonly string[];
}

/** Every enabled uplink that is there, in the order in which they are taken. Pure. */
export function uplinkPaths(sources: PathSources): readonly UplinkPath[] {
  const { config, observed, facts, networks } = sources;
  const ranges = networks.flatMap((text) => parseRange4(text) ?? []);
  const home = (address: string): boolean => {
    const range = parseRange4(address);
    return range !== null && ranges.some((one) => overlaps4(one, range));
  };
  const links = new Map(facts.links.map((link) => [link.name, link]));
  const uplinks = config.interfaces.filter(({ Type }) => Type === "Uplink");
  const tables = uplinkTables(config, observed);
  const paths = uplinks.flatMap((one): readonly UplinkPath[] => {
    const link = pathLink(config, one);
    const fact = links.get(link);
    const table = tables.get(one.Name);
    if (!one.Enabled || fact === undefined || table === undefined) return [];
    const dead = config.wan.FailoverEnabled && observed.uplinks?.[one.Name]?.down === true;
    // A link that is still down is about to be set up.
    const running = !fact.up || fact.running;
    return [{
      name: one.Name,
      link,
      table,
      ...given(one, link, { ...sources, home }),
      running,
      plugs: plugsOf(facts, link),
      alive: running && !dead,
      weight: weightOf(config.wan, one.Name),
      carries: fact.mtu ?? null,
    }];
  });
  return inOrder(withoutTwins(paths), config.wan, ({ name }) => name);
}

/**
 * A gateway apart from the networks of several uplinks leads on by the first of them: to a single
 * address the main table has one route.
 */
function withoutTwins(paths: readonly UplinkPath[]): readonly UplinkPath[] {
  const owners = new Map<string, string>();
  return paths.map((path) => {
    if (path.apart !== true || path.via === null) return path;
    const owner = owners.get(path.via) ?? path.link;
    owners.set(path.via, owner);
    return owner === path.link ? path : { ...path, leads: false };
  });
}

/** How new connections leave, now. */
export interface Leaving {
  /** Paths that lead somewhere, those that are no way at present among them. */
  readonly paths: readonly UplinkPath[];
  /** The main table's default; null for none. */
  readonly first: UplinkPath | null;
  /** Null with a single uplink. */
  readonly marks: Pick<MarkSources, "uplinks" | "balance"> | null;
  readonly ways: Ways | null;
}

/** Paths of which none leads by an address that everyone takes. */
export function leadingByOne(
  paths: readonly UplinkPath[],
  isEveryones: IsEveryones,
): readonly UplinkPath[] {
  return paths.map((path) =>
    path.via !== null && isEveryones(path.link, path.via) ? { ...path, leads: false } : path
  );
}

/** What a way out must keep clear of. */
export interface LeavingSources {
  /** The home networks. */
  readonly home: readonly Range4[];
  readonly isEveryones: IsEveryones;
}

/** Chooses the first uplink, and, with several, what leads to each. Pure. */
export function leaving(
  paths: readonly UplinkPath[],
  config: Pick<Config, "wan" | "interfaces">,
  { home, isEveryones }: LeavingSources,
): Leaving {
  const leading = paths.filter(({ leads }) => leads);
  const shares = sharesOf(leading, config.wan);
  const several = enabledUplinks(config) > 1;
  const extra = extraWays(config, paths, { home, isEveryones });
  const rules: readonly WayRule[] = several && leading.length > 0
    ? [
      { kind: "home" },
      ...leading.flatMap(({ link, table, address }): readonly WayRule[] => [
        { kind: "link", link, table },
        ...(address === null ? [] : [{ kind: "source", address: hostOf(address), table } as const]),
        { kind: "mark", table },
      ]),
    ]
    : [];
  const routes: readonly Way[] = [
    ...extra,
    ...(several ? leading : []).map(({ table, via, link }) => ({ table, metric: 0, via, link })),
  ];
  return {
    paths: leading,
    first: leading.find(({ name }) => shares.has(name)) ?? null,
    marks: several
      ? {
        uplinks: leading.map(({ name, link, table, address }) => ({
          link,
          mark: table,
          address: address === null ? null : hostOf(address),
          weight: shares.get(name) ?? 0,
        })),
        balance: config.wan.Balance,
      }
      : null,
    ways: routes.length + rules.length > 0 ? { routes, rules } : null,
  };
}

function enabledUplinks(config: Pick<Config, "interfaces">): number {
  return config.interfaces.filter(({ Type, Enabled }) => Type === "Uplink" && Enabled).length;
}

/** Default routes by the gateways of additional addresses, behind every other. */
function extraWays(
  config: Pick<Config, "interfaces">,
  paths: readonly UplinkPath[],
  { home, isEveryones }: LeavingSources,
): readonly Way[] {
  const links = new Map(paths.map(({ name, link }) => [name, link]));
  return config.interfaces.flatMap((one) => {
    const link = links.get(one.Name);
    if (link === undefined) return [];
    return one.AdditionalIPs.flatMap(({ IP, Router }) => {
      const range = parseRange4(IP);
      const isOurs = range === null || home.some((pool) => overlaps4(pool, range));
      const leads = gatewayPlace({ address: IP, router: Router || null }) === "inside";
      return leads && !isOurs && !isEveryones(link, Router) ? [{ link, via: Router }] : [];
    });
  }).map(({ link, via }, at): Way => ({ table: "main", metric: FIRST_METRIC + at, via, link }));
}

import type { Config } from "../../config.ts";
import type { Observations, UplinkObservation } from "../../core/engine/change.ts";
import type { DesiredRoute, UplinkPath } from "../../core/kernel/desired.ts";
import type { Facts } from "../../core/kernel/facts.ts";
import type { IpRule, PolicyRoute, PolicyRouting } from "../../core/kernel/policy_routing.ts";
import { inRange4, overlaps4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import type { MarkSources } from "../../firewall/sets/marks.ts";
import { inOrder, sharesOf, weightOf } from "../../uplink/balance_rules.ts";
import {
  type GatewayConfig,
  gatewayPosition,
  hasOnLinkDefault,
  type IsBroadcast,
} from "./gateway.ts";
import type { Interface } from "../interfaces/schema.ts";
import { acceptedMtu } from "../../uplink/settings_rules.ts";
import { MAX_UPLINKS } from "../../uplink/schema.ts";

/** Metric of the first gateway of an additional address. */
const FIRST_FALLBACK_METRIC = 100;

/** The link of an uplink's packets: that of PPP for a PPPoE account. */
function pathLink(
  config: Pick<Config, "ppp">,
  one: Pick<Interface, "Name" | "Subtype">,
): string {
  if (one.Subtype !== "pppup") return one.Name;
  return config.ppp.find(({ Iface }) => Iface === one.Name)?.PPPIface || one.Name;
}

/** Every uplink's link: enabled uplinks and their PPP interfaces. */
export function uplinkLinks(config: Pick<Config, "interfaces" | "ppp">): readonly string[] {
  const enabled = config.interfaces.filter(({ Type, Enabled }) => Type === "Uplink" && Enabled);
  return [...new Set(enabled.flatMap((one) => [one.Name, pathLink(config, one)]))];
}

type PathSettings = Pick<UplinkPath, "address" | "via" | "gatewayOutside" | "hasGateway" | "mtu">;

const NO_SETTINGS: PathSettings = { address: null, via: null, hasGateway: false, mtu: null };

function addressOn(link: string, facts: Facts): string | null {
  return facts.addresses.find((one) => one.link === link && parseIpv4(hostOf(one.address)) !== null)
    ?.address ?? null;
}

function hostOf(address: string): string {
  return address.split("/")[0] ?? "";
}

function carrierUpsOf({ carrierUps = {} }: Facts, link: string): number | null {
  return Object.hasOwn(carrierUps, link) ? carrierUps[link]! : null;
}

/** Address and gateway of an uplink: static, leased, or negotiated by PPP. */
function settingsOf(
  one: Interface,
  link: string,
  { config, observed, facts, isLan }: PathSources & {
    readonly isLan: (address: string) => boolean;
  },
): PathSettings {
  if (one.Subtype === "pppup") {
    const address = addressOn(link, facts);
    return { ...NO_SETTINGS, address, hasGateway: address !== null };
  }
  if (one.DisableDHCP) {
    if (one.IP === "") return NO_SETTINGS;
    const fixed = { address: one.IP, router: one.Router || null };
    return { ...NO_SETTINGS, address: one.IP, ...viaGateway(fixed, link, { facts, isLan }) };
  }
  const lease = observed.uplinks?.[one.Name]?.lease;
  // A lease that overlaps the LAN cannot be used.
  if (!lease || isLan(lease.address)) return NO_SETTINGS;
  const mtu = acceptedMtu(lease.mtu, config.wan);
  return { address: lease.address, mtu, ...viaGateway(lease, link, { facts, isLan }) };
}

/** The gateway, as far as it can be used. */
function viaGateway(
  settingsOf: GatewayConfig,
  link: string,
  { facts, isLan }: Pick<PathSources, "facts"> & { readonly isLan: (address: string) => boolean },
): Pick<PathSettings, "via" | "gatewayOutside" | "hasGateway"> {
  const { router } = settingsOf;
  if (hasOnLinkDefault(settingsOf)) return { via: null, hasGateway: true };
  const position = gatewayPosition(settingsOf);
  // An address in another connected network would be rerouted to this link.
  const gatewayOutside = position === "apart" && router !== null && !isLan(`${router}/32`) &&
    !isElsewhere(router, link, facts);
  return {
    via: router,
    hasGateway: position === "inside" || gatewayOutside,
    ...(gatewayOutside ? { gatewayOutside } : {}),
  };
}

/** True for an address in a connected network of another link. */
function isElsewhere(address: string, link: string, facts: Facts): boolean {
  const value = parseIpv4(address);
  return facts.addresses.some((one) => {
    const range = one.link === link ? null : parseRange4(one.address);
    return range !== null && value !== null && inRange4(range, value);
  });
}

/** On-link routes to gateways outside the network of their uplink's address. */
export function gatewayRoutes(paths: readonly UplinkPath[]): readonly DesiredRoute[] {
  return paths.flatMap(({ gatewayOutside, hasGateway, via, link }) =>
    gatewayOutside === true && hasGateway && via !== null
      ? [{ destination: `${via}/32`, via: null, link }]
      : []
  );
}

/** What paths are computed from. */
export interface PathSources {
  readonly config: Pick<Config, "interfaces" | "ppp" | "wan">;
  readonly observed: Observations;
  readonly facts: Facts;
  /** The LAN subnets, in CIDR form. */
  readonly networks: readonly string[];
}

/** Every enabled uplink that is present, in order of preference. Pure. */
export function uplinkPaths(sources: PathSources): readonly UplinkPath[] {
  const { config, observed, facts, networks } = sources;
  const ranges = networks.flatMap((text) => parseRange4(text) ?? []);
  const isLan = (address: string): boolean => {
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
    const isDown = config.wan.FailoverEnabled && observed.uplinks?.[one.Name]?.down === true;
    // A link that is administratively down is about to be set up.
    const running = !fact.up || fact.running;
    return [{
      name: one.Name,
      link,
      table,
      ...settingsOf(one, link, { ...sources, isLan }),
      running,
      carrierUps: carrierUpsOf(facts, link),
      isHealthy: running && !isDown,
      weight: weightOf(config.wan, one.Name),
      linkMtu: fact.mtu ?? null,
    }];
  });
  return inOrder(withoutSharedGateways(paths), config.wan, ({ name }) => name);
}

/**
 * Where several uplinks share an on-link gateway, only the first can use it: the main table has one
 * route to a single address.
 */
function withoutSharedGateways(paths: readonly UplinkPath[]): readonly UplinkPath[] {
  const owners = new Map<string, string>();
  return paths.map((path) => {
    if (path.gatewayOutside !== true || path.via === null) return path;
    const owner = owners.get(path.via) ?? path.link;
    owners.set(path.via, owner);
    return owner === path.link ? path : { ...path, hasGateway: false };
  });
}

/** How new connections leave the router. */
export interface EgressPlan {
  /** Paths with a usable gateway, including those that are down. */
  readonly paths: readonly UplinkPath[];
  /** The main table's default; null for none. */
  readonly first: UplinkPath | null;
  /** Null with a single uplink. */
  readonly marks: Pick<MarkSources, "uplinks" | "balance"> | null;
  readonly policyRouting: PolicyRouting | null;
}

/** Paths without gateways that are broadcast addresses. */
export function withoutBroadcastGateways(
  paths: readonly UplinkPath[],
  isBroadcast: IsBroadcast,
): readonly UplinkPath[] {
  return paths.map((path) =>
    path.via !== null && isBroadcast(path.link, path.via) ? { ...path, hasGateway: false } : path
  );
}

/** What routes must not overlap. */
export interface EgressSources {
  /** The LAN subnets. */
  readonly lan: readonly Range4[];
  readonly isBroadcast: IsBroadcast;
}

/** Chooses the first uplink, and with several uplinks the policy routing to each. Pure. */
export function egress(
  paths: readonly UplinkPath[],
  config: Pick<Config, "wan" | "interfaces">,
  { lan, isBroadcast }: EgressSources,
): EgressPlan {
  const leading = paths.filter(({ hasGateway: leads }) => leads);
  const shares = sharesOf(leading, config.wan);
  const several = enabledUplinks(config) > 1;
  const extra = fallbackRoutes(config, paths, { lan, isBroadcast });
  const rules: readonly IpRule[] = several && leading.length > 0
    ? [
      { kind: "local" },
      ...leading.flatMap(({ link, table, address }): readonly IpRule[] => [
        { kind: "link", link, table },
        ...(address === null ? [] : [{ kind: "source", address: hostOf(address), table } as const]),
        { kind: "mark", table },
      ]),
    ]
    : [];
  const routes: readonly PolicyRoute[] = [
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
    policyRouting: routes.length + rules.length > 0 ? { routes, rules } : null,
  };
}

function enabledUplinks(config: Pick<Config, "interfaces">): number {
  return config.interfaces.filter(({ Type, Enabled }) => Type === "Uplink" && Enabled).length;
}

/** Fallback default routes through the gateways of additional addresses. */
function fallbackRoutes(
  config: Pick<Config, "interfaces">,
  paths: readonly UplinkPath[],
  { lan, isBroadcast }: EgressSources,
): readonly PolicyRoute[] {
  const links = new Map(paths.map(({ name, link }) => [name, link]));
  return config.interfaces.flatMap((one) => {
    const link = links.get(one.Name);
    if (link === undefined) return [];
    return one.AdditionalIPs.flatMap(({ IP, Router }) => {
      const range = parseRange4(IP);
      const isOurs = range === null || lan.some((pool) => overlaps4(pool, range));
      const leads = gatewayPosition({ address: IP, router: Router || null }) === "inside";
      return leads && !isOurs && !isBroadcast(link, Router) ? [{ link, via: Router }] : [];
    });
  }).map(({ link, via }, at): PolicyRoute => ({
    table: "main",
    metric: FIRST_FALLBACK_METRIC + at,
    via,
    link,
  }));
}

/** Routing table of the first uplink, also the mark of its connections; one per uplink: 200–239. */
const FIRST_TABLE = 200;
const TABLES = Array.from({ length: MAX_UPLINKS }, (_, at) => FIRST_TABLE + at);

type Remembered = NonNullable<Observations["uplinks"]>;

function tableOf(uplinks: Remembered, name: string): number | undefined {
  return Object.hasOwn(uplinks, name) ? uplinks[name]!.table : undefined;
}

/**
 * The routing table of every uplink by name. An uplink keeps its table: its connections carry the
 * number as their mark. A new one gets the lowest unused table; where none is left, that of the uplink
 * that was removed first. Uplinks beyond the number of tables have none. Pure.
 */
export function uplinkTables(
  { interfaces }: Pick<Config, "interfaces">,
  { uplinks = {} }: Pick<Observations, "uplinks">,
): ReadonlyMap<string, number> {
  const names = interfaces.filter(({ Type }) => Type === "Uplink").map(({ Name }) => Name);
  const tables = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of names) {
    const table = tableOf(uplinks, name);
    if (table === undefined || !TABLES.includes(table) || taken.has(table)) continue;
    tables.set(name, table);
    taken.add(table);
  }
  const had = Object.keys(uplinks).filter((name) => !tables.has(name))
    .flatMap((name) => tableOf(uplinks, name) ?? []);
  const free = [
    ...TABLES.filter((table) => !had.includes(table)),
    ...new Set(had.filter((table) => TABLES.includes(table))),
  ].filter((table) => !taken.has(table));
  for (const name of names) {
    if (tables.has(name)) continue;
    const table = free.shift();
    if (table === undefined) break;
    tables.set(name, table);
  }
  return tables;
}

/**
 * Records the tables of all uplinks in what was observed, so that they keep them; returns the same
 * object where nothing differs. A removed uplink keeps its table until another needs it: it may come
 * back by a revert or a restore. Pure.
 */
export function withTables(
  config: Pick<Config, "interfaces">,
  observed: Observations,
): Observations {
  const { uplinks = {} } = observed;
  const tables = uplinkTables(config, observed);
  const owners = new Map([...tables].map(([name, table]) => [table, name]));
  const stays = [...tables].every(([name, table]) => tableOf(uplinks, name) === table) &&
    Object.keys(uplinks).every((name) => {
      const table = tableOf(uplinks, name);
      return table === undefined || (owners.get(table) ?? name) === name;
    });
  if (stays) return observed;
  const lost = Object.entries(uplinks).map(([name, one]): [string, UplinkObservation] => {
    const { table, ...rest } = one;
    const owner = table === undefined ? undefined : owners.get(table) ?? name;
    return [name, table !== undefined && owner === name ? { ...rest, table } : rest];
  });
  const next = new Map(lost);
  for (const [name, table] of tables) {
    const known = next.get(name) ?? { lease: null, down: false };
    next.set(name, { ...known, table });
  }
  return { ...observed, uplinks: Object.fromEntries(next) };
}

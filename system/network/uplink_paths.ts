import type { Config } from "../config.ts";
import type { Observed } from "../core/change.ts";
import type { Facts, UplinkPath, Way, WayRule, Ways } from "../core/kernel.ts";
import { inRange4, overlaps4, parseIpv4, parseRange4 } from "../core/net.ts";
import type { MarkSources } from "../firewall/marks.ts";
import { inOrder, sharesOf, weightOf } from "../uplink/share_rules.ts";
import type { Interface } from "./schema.ts";
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

interface Given {
  readonly address: string | null;
  readonly via: string | null;
  readonly leads: boolean;
  readonly mtu: number | null;
}

const NOTHING: Given = { address: null, via: null, leads: false, mtu: null };

function addressOn(link: string, facts: Facts): string | null {
  return facts.addresses.find((one) => one.link === link && parseIpv4(hostOf(one.address)) !== null)
    ?.address ?? null;
}

function hostOf(address: string): string {
  return address.split("/")[0] ?? "";
}

/** True for a gateway in the network of the address: the kernel knows no way to any other. */
function reaches(address: string, router: string): boolean {
  const range = parseRange4(address), value = parseIpv4(router);
  return range !== null && value !== null && inRange4(range, value) && router !== hostOf(address);
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
    return { ...NOTHING, address: one.IP, via: one.Router || null, leads: one.Router !== "" };
  }
  const lease = observed.uplinks?.[one.Name]?.lease;
  // A provider that gives out our own home networks cannot be used: devices are there already.
  if (!lease || home(lease.address)) return NOTHING;
  const { address, router, mtu } = lease;
  return { address, via: router, leads: router !== null && reaches(address, router), mtu };
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
  return inOrder(paths, config.wan, ({ name }) => name);
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

/** Chooses the first uplink, and, with several, what leads to each. Pure. */
export function leaving(
  paths: readonly UplinkPath[],
  config: Pick<Config, "wan" | "interfaces">,
): Leaving {
  const leading = paths.filter(({ leads }) => leads);
  const shares = sharesOf(leading, config.wan);
  const several = enabledUplinks(config) > 1;
  const extra = extraWays(config, paths);
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
): readonly Way[] {
  const links = new Map(paths.map(({ name, link }) => [name, link]));
  return config.interfaces.flatMap((one) => {
    const link = links.get(one.Name);
    if (link === undefined) return [];
    return one.AdditionalIPs.flatMap(({ Router }) => Router === "" ? [] : [{ link, via: Router }]);
  }).map(({ link, via }, at): Way => ({ table: "main", metric: FIRST_METRIC + at, via, link }));
}

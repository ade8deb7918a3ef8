import type { LinkFact, NeighbourFact, RouteFact } from "../../../core/kernel/facts.ts";
import type { IpRule, PolicyRoute } from "../../../core/kernel/policy_routing.ts";
import type { NeighbourEntry } from "../../../core/kernel/inspection.ts";
import { normalizeMac } from "../../../core/net/net.ts";

/** A link in the form of `ip -j -d link show`, as far as the facts need it. */
export interface LinkEntry {
  readonly ifname: string;
  readonly ifindex: number;
  readonly flags: readonly string[];
  readonly link_type?: string | undefined;
  readonly address?: string | undefined;
  readonly permaddr?: string | undefined;
  readonly mtu?: number | undefined;
  readonly linkinfo?: { readonly info_kind?: string | undefined } | undefined;
  readonly master?: string | undefined;
  readonly isolated?: boolean | undefined;
  readonly vxlan?: LinkFact["vxlan"] | undefined;
}

/** The next hop of a route. */
export interface NextHop {
  readonly gateway?: string | undefined;
  readonly via?: { readonly host: string } | undefined;
  readonly dev?: string | undefined;
}

/** A route in the form of `ip -j -d route show`, as far as the facts need it. */
export interface RouteEntry extends NextHop {
  readonly dst: string;
  readonly protocol?: string | undefined;
  readonly table?: string | undefined;
  readonly metric?: number | undefined;
  readonly nexthops?: readonly NextHop[] | undefined;
}

/** A rule in the form of `ip -j rule show`, as far as the facts need it. */
export interface RuleEntry {
  readonly priority: number;
  readonly src?: string | undefined;
  readonly srclen?: number | undefined;
  readonly oif?: string | undefined;
  readonly fwmark?: string | undefined;
  readonly table?: string | undefined;
  readonly suppress_prefixlen?: number | undefined;
}

/** Links as facts. */
export function linkFactsOf(links: readonly LinkEntry[]): readonly LinkFact[] {
  return links.map((link) => {
    const permanent = link.permaddr === undefined ? null : normalizeMac(link.permaddr);
    return {
      name: link.ifname,
      index: link.ifindex,
      mac: link.link_type === "ether" && link.address !== undefined
        ? normalizeMac(link.address)
        : null,
      up: link.flags.includes("UP"),
      running: link.flags.includes("LOWER_UP") && !link.flags.includes("NO-CARRIER"),
      kind: link.linkinfo?.info_kind ?? null,
      ...(link.mtu === undefined ? {} : { mtu: link.mtu }),
      ...(permanent === null ? {} : { permanentMac: permanent }),
      ...(link.master === undefined ? {} : { master: link.master }),
      ...(link.isolated ? { isolated: true as const } : {}),
      ...(link.vxlan === undefined ? {} : { vxlan: link.vxlan }),
    };
  });
}

/**
 * Routes of the main table as facts, without {@link policyRoutesOf}; each next hop of a
 * multipath route is one.
 */
export function routeFactsOf(routes: readonly RouteEntry[]): readonly RouteFact[] {
  return routes
    .filter((route) => (route.table ?? "main") === "main" && policyTable(route) === null)
    .flatMap((route) =>
      (route.nexthops ?? [route]).map((hop) => ({
        destination: destination(route.dst),
        via: hop.gateway ?? hop.via?.host ?? null,
        link: hop.dev ?? null,
        protocol: route.protocol ?? "boot",
      }))
    );
}

/** Sluice's default routes of single uplinks. */
export function policyRoutesOf(routes: readonly RouteEntry[]): readonly PolicyRoute[] {
  return routes.flatMap((route) => {
    const table = policyTable(route);
    if (table === null || route.dev === undefined) return [];
    const via = route.gateway ?? route.via?.host ?? null;
    return [{ table, metric: route.metric ?? 0, via, link: route.dev }];
  });
}

/** The table of a policy route; null for any other route. */
function policyTable(route: RouteEntry): PolicyRoute["table"] | null {
  if (route.dst !== "default" || route.protocol !== "static") return null;
  const table = route.table ?? "main";
  if (table === "main") return (route.metric ?? 0) > 0 ? "main" : null;
  return isOurs(Number(table)) ? Number(table) : null;
}

/** True for a routing table of an uplink. */
function isOurs(table: number): boolean {
  return Number.isInteger(table) && table >= 200 && table <= 239;
}

/** Sluice's rules. */
export function ipRulesOf(rules: readonly RuleEntry[]): readonly IpRule[] {
  return rules.flatMap((rule): readonly IpRule[] => {
    if (rule.priority === 90 && rule.table === "main" && rule.suppress_prefixlen === 0) {
      return [{ kind: "local" }];
    }
    const table = Number(rule.table ?? "");
    if (!isOurs(table)) return [];
    if (rule.oif !== undefined) return [{ kind: "link", link: rule.oif, table }];
    if (rule.fwmark !== undefined) {
      return Number(rule.fwmark) === table ? [{ kind: "mark", table }] : [];
    }
    const source = rule.src ?? "all";
    return source === "all" || rule.srclen !== undefined
      ? []
      : [{ kind: "source", address: source, table }];
  });
}

/** Neighbours as facts. */
export function neighbourFactsOf(entries: readonly NeighbourEntry[]): readonly NeighbourFact[] {
  return entries.map((entry) => ({
    address: entry.dst,
    link: entry.dev,
    mac: entry.lladdr === undefined ? null : normalizeMac(entry.lladdr),
    permanent: entry.state?.includes("PERMANENT") ?? false,
  }));
}

/** A host route is printed without its prefix length; a fact always has it. */
function destination(text: string): string {
  if (text === "default" || text.includes("/")) return text;
  return `${text}/${text.includes(":") ? 128 : 32}`;
}

import { z } from "zod";
import type {
  AddressFact,
  LinkFact,
  NeighbourFact,
  RouteFact,
  Way,
  WayRule,
} from "../../core/kernel/host.ts";
import { NeighbourEntry } from "../../core/kernel/inspection.ts";
import { normalizeMac } from "../../core/net/net.ts";
import { Problem } from "../../core/errors/problem.ts";

const Links = z.array(z.object({
  ifname: z.string(),
  ifindex: z.number().int(),
  flags: z.array(z.string()),
  link_type: z.string().optional(),
  address: z.string().optional(),
  permaddr: z.string().optional(),
  mtu: z.number().int().optional(),
  linkinfo: z.object({ info_kind: z.string().optional() }).optional(),
}));

const Addresses = z.array(z.object({
  ifname: z.string().optional(),
  addr_info: z.array(z.object({
    local: z.string().optional(),
    prefixlen: z.number().int().optional(),
  })).optional(),
}));

const Routes = z.array(z.object({
  dst: z.string(),
  gateway: z.string().optional(),
  via: z.object({ host: z.string() }).optional(),
  dev: z.string().optional(),
  protocol: z.string().optional(),
  table: z.string().optional(),
  metric: z.number().int().optional(),
  nexthops: z.array(z.object({
    gateway: z.string().optional(),
    via: z.object({ host: z.string() }).optional(),
    dev: z.string().optional(),
  })).optional(),
}));

const Rules = z.array(z.object({
  priority: z.number().int(),
  src: z.string().optional(),
  srclen: z.number().int().optional(),
  oif: z.string().optional(),
  fwmark: z.string().optional(),
  table: z.string().optional(),
  suppress_prefixlen: z.number().int().optional(),
}));

const Neighbours = z.array(NeighbourEntry);

const RouteGet = z.array(z.object({
  type: z.string().optional(),
  dev: z.string().optional(),
}));

/** A link of `ip -j -d link show`, as far as facts are made of it. */
export type LinkEntry = z.output<typeof Links>[number];
/** A route of `ip -j -d route show`, as far as facts are made of it. */
export type RouteEntry = z.output<typeof Routes>[number];
/** A rule of `ip -j rule show`, as far as facts are made of it. */
export type RuleEntry = z.output<typeof Rules>[number];

/** Links of `ip -j -d link show`. */
export function parseLinks(text: string): readonly LinkFact[] {
  return linkFactsOf(read(Links, text));
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
    };
  });
}

/** Addresses of `ip -j address show`. */
export function parseAddresses(text: string): readonly AddressFact[] {
  return addressFactsOf(read(Addresses, text));
}

/** Addresses of links as facts. */
export function addressFactsOf(
  links: readonly z.output<typeof Addresses>[number][],
): readonly AddressFact[] {
  return links.flatMap((link) =>
    (link.addr_info ?? []).flatMap(({ local, prefixlen }) =>
      link.ifname === undefined || local === undefined || prefixlen === undefined
        ? []
        : [{ link: link.ifname, address: `${local}/${prefixlen}` }]
    )
  );
}

/**
 * Routes of the main table in `ip -j -d route show`; each next hop of a multipath route is one. Those
 * that {@link parseWays} tells are left out.
 */
export function parseRoutes(text: string): readonly RouteFact[] {
  return routeFactsOf(read(Routes, text));
}

/** Those of the routes that are facts: see {@link parseRoutes}. */
export function routeFactsOf(routes: readonly RouteEntry[]): readonly RouteFact[] {
  return routes
    .filter((route) => (route.table ?? "main") === "main" && wayTable(route) === null)
    .flatMap((route) =>
      (route.nexthops ?? [route]).map((hop) => ({
        destination: destination(route.dst),
        via: hop.gateway ?? hop.via?.host ?? null,
        link: hop.dev ?? null,
        protocol: route.protocol ?? "boot",
      }))
    );
}

/** Default routes of ours in `ip -j -d route show table all` that lead to single uplinks. */
export function parseWays(text: string): readonly Way[] {
  return waysOf(read(Routes, text));
}

/** Those of the routes that lead to single uplinks and are ours. */
export function waysOf(routes: readonly RouteEntry[]): readonly Way[] {
  return routes.flatMap((route) => {
    const table = wayTable(route);
    if (table === null || route.dev === undefined) return [];
    const via = route.gateway ?? route.via?.host ?? null;
    return [{ table, metric: route.metric ?? 0, via, link: route.dev }];
  });
}

/** The table of a route that is one of the ways; null for any other. */
function wayTable(route: RouteEntry): Way["table"] | null {
  if (route.dst !== "default" || route.protocol !== "static") return null;
  const table = route.table ?? "main";
  if (table === "main") return (route.metric ?? 0) > 0 ? "main" : null;
  return isOurs(Number(table)) ? Number(table) : null;
}

/** Tables of uplinks. */
function isOurs(table: number): boolean {
  return Number.isInteger(table) && table >= 200 && table <= 239;
}

/** The rules of `ip -j rule show` that are ours. */
export function parseRules(text: string): readonly WayRule[] {
  return wayRulesOf(read(Rules, text));
}

/** Those of the rules that are ours. */
export function wayRulesOf(rules: readonly RuleEntry[]): readonly WayRule[] {
  return rules.flatMap((rule): readonly WayRule[] => {
    if (rule.priority === 90 && rule.table === "main" && rule.suppress_prefixlen === 0) {
      return [{ kind: "home" }];
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

/** Neighbours of `ip -j neighbour show`. */
export function parseNeighbours(text: string): readonly NeighbourFact[] {
  return neighbourFactsOf(read(Neighbours, text));
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

/** The interface of `ip -j route get`; null for a route that leads nowhere. */
export function parseRouteGet(text: string): string | null {
  const [route] = read(RouteGet, text);
  const dead = ["unreachable", "blackhole", "prohibit"].includes(route?.type ?? "");
  return dead ? null : route?.dev ?? null;
}

/** A host route is printed without its prefix length; a fact always has it. */
function destination(text: string): string {
  if (text === "default" || text.includes("/")) return text;
  return `${text}/${text.includes(":") ? 128 : 32}`;
}

function read<T>(schema: z.ZodType<T>, text: string): T {
  let raw: unknown;
  try {
    // With nothing to list, some versions of ip print nothing at all.
    raw = text.trim() === "" ? [] : JSON.parse(text);
  } catch (error) {
    throw new Problem(502, "ip did not answer JSON", { cause: error });
  }
  // `[{},{…}]` is how ip prints what its own filter left out.
  const list = Array.isArray(raw) ? raw.filter((entry) => Object.keys(entry).length > 0) : raw;
  const result = schema.safeParse(list);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Problem(502, `ip answered JSON of another shape at ${issue?.path.join("/")}`, {
    cause: result.error,
  });
}

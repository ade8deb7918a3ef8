import { z } from "zod";
import type { AddressFact, LinkFact, NeighbourFact, RouteFact } from "../core/kernel.ts";
import { normalizeMac } from "../core/net.ts";
import { Problem } from "../core/problem.ts";

const Links = z.array(z.object({
  ifname: z.string(),
  ifindex: z.number().int(),
  flags: z.array(z.string()),
  link_type: z.string().optional(),
  address: z.string().optional(),
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
  nexthops: z.array(z.object({
    gateway: z.string().optional(),
    via: z.object({ host: z.string() }).optional(),
    dev: z.string().optional(),
  })).optional(),
}));

const Neighbours = z.array(z.object({
  dst: z.string(),
  dev: z.string(),
  lladdr: z.string().optional(),
  state: z.array(z.string()).optional(),
}));

const RouteGet = z.array(z.object({
  type: z.string().optional(),
  dev: z.string().optional(),
}));

/** Links of `ip -j -d link show`. */
export function parseLinks(text: string): readonly LinkFact[] {
  return read(Links, text).map((link) => ({
    name: link.ifname,
    index: link.ifindex,
    mac: link.link_type === "ether" && link.address !== undefined
      ? normalizeMac(link.address)
      : null,
    up: link.flags.includes("UP"),
    running: link.flags.includes("LOWER_UP") && !link.flags.includes("NO-CARRIER"),
    kind: link.linkinfo?.info_kind ?? null,
  }));
}

/** Addresses of `ip -j address show`. */
export function parseAddresses(text: string): readonly AddressFact[] {
  return read(Addresses, text).flatMap((link) =>
    (link.addr_info ?? []).flatMap(({ local, prefixlen }) =>
      link.ifname === undefined || local === undefined || prefixlen === undefined
        ? []
        : [{ link: link.ifname, address: `${local}/${prefixlen}` }]
    )
  );
}

/** Routes of `ip -j -d route show`; each next hop of a multipath route is one. */
export function parseRoutes(text: string): readonly RouteFact[] {
  return read(Routes, text).flatMap((route) =>
    (route.nexthops ?? [route]).map((hop) => ({
      destination: destination(route.dst),
      via: hop.gateway ?? hop.via?.host ?? null,
      link: hop.dev ?? null,
      protocol: route.protocol ?? "boot",
    }))
  );
}

/** Neighbours of `ip -j neighbour show`. */
export function parseNeighbours(text: string): readonly NeighbourFact[] {
  return read(Neighbours, text).map((entry) => ({
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

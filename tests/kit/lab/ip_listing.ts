import assert from "node:assert/strict";
import * as z from "zod";
import type {
  AddressFact,
  LinkFact,
  NeighbourFact,
  RouteFact,
} from "../../../system/core/kernel/facts.ts";
import type { IpRule, PolicyRoute } from "../../../system/core/kernel/policy_routing.ts";
import { NeighbourEntry } from "../../../system/core/kernel/inspection.ts";
import {
  ipRulesOf,
  linkFactsOf,
  neighbourFactsOf,
  policyRoutesOf,
  routeFactsOf,
} from "../../../system/host/netlink/route/facts.ts";

/** Listings of ip(8) as facts: what netd reads from the kernel is compared with them. */

const Links = z.array(z.object({
  ifname: z.string(),
  ifindex: z.number().int(),
  flags: z.array(z.string()),
  link_type: z.string().optional(),
  address: z.string().optional(),
  permaddr: z.string().optional(),
  mtu: z.number().int().optional(),
  master: z.string().optional(),
  linkinfo: z.object({
    info_kind: z.string().optional(),
    info_data: z.object({ id: z.number().int().optional(), remote: z.string().optional() })
      .optional(),
    info_slave_data: z.object({ isolated: z.boolean().optional() }).optional(),
  }).optional(),
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

/** Links of `ip -j -d link show`. */
export function parseLinks(text: string): readonly LinkFact[] {
  return linkFactsOf(
    read(Links, text).map((link) => {
      const { info_kind, info_data: { id, remote } = {}, info_slave_data } = link.linkinfo ?? {};
      const vxlan = info_kind === "vxlan" && id !== undefined && remote !== undefined
        ? { id, remote }
        : undefined;
      return { ...link, isolated: info_slave_data?.isolated, vxlan };
    }),
  );
}

/** Addresses of `ip -j address show`. */
export function parseAddresses(text: string): readonly AddressFact[] {
  return read(Addresses, text).flatMap(({ ifname, addr_info = [] }) =>
    addr_info.flatMap(({ local, prefixlen }) =>
      ifname === undefined || local === undefined || prefixlen === undefined
        ? []
        : [{ link: ifname, address: `${local}/${prefixlen}` }]
    )
  );
}

/** Routes of `ip -j -d route show` but for those of {@link parsePolicyRoutes}. */
export function parseRoutes(text: string): readonly RouteFact[] {
  return routeFactsOf(read(Routes, text));
}

/** Our default routes of single uplinks in `ip -j -d route show table all`. */
export function parsePolicyRoutes(text: string): readonly PolicyRoute[] {
  return policyRoutesOf(read(Routes, text));
}

/** Our rules in `ip -j rule show`. */
export function parseRules(text: string): readonly IpRule[] {
  return ipRulesOf(read(Rules, text));
}

/** Neighbours of `ip -j neighbour show`. */
export function parseNeighbours(text: string): readonly NeighbourFact[] {
  return neighbourFactsOf(read(Neighbours, text));
}

function read<T>(schema: z.ZodType<T>, text: string): T {
  // With nothing to list, some versions of ip print nothing at all.
  const raw: unknown = text.trim() === "" ? [] : JSON.parse(text);
  assert.ok(Array.isArray(raw));
  // `[{},{…}]` is how ip prints what its own filter left out.
  return schema.parse(raw.filter((entry) => Object.keys(entry).length > 0));
}

import type { Desired, DesiredLink } from "../../core/kernel/desired.ts";
import type { Facts, LinkFact } from "../../core/kernel/facts.ts";
import type { IpOp, KernelPlan, KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import { BLOCKED_TABLE } from "../../core/kernel/nft/blocked_text.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { filterTable, findSet } from "../../firewall/trace/lookup.ts";
import { isOtherVxlan, linkOps, NO_PORT, portOps } from "../interfaces/link_ops.ts";
import { lanRanges } from "../device_links.ts";
import { hostOf, LAN_LINK } from "../plan.ts";
import { isMeshLink } from "../../mesh/network.ts";
import {
  addedPolicyRouting,
  currentPolicyRouting,
  looseFilterLinks,
  stalePolicyRouting,
  withoutPolicyRoutes,
} from "../routing/route_ops.ts";

/** Comment of every nft table of Sluice. */
export const OUR_COMMENT = "sluice";

/** True for an address, with or without prefix, inside one of these networks. */
export function isOnLan(ranges: readonly Range4[], address: string): boolean {
  const value = parseIpv4(hostOf(address));
  return value !== null && ranges.some((range) => inRange4(range, value));
}

/** The LAN subnets in the ruleset. */
function rangesOf(desired: Desired): readonly Range4[] {
  const table = filterTable(desired.ruleset);
  const set = table && findSet(table, "supernetworks");
  return lanRanges([...(set?.elements.keys() ?? [])]);
}

/**
 * Stale addresses and permanent neighbours in the LAN subnets, and those that we set in subnets that
 * the LAN has left. Neighbours are deleted before addresses, so that leftovers of a tiny net are
 * recognised by their address.
 */
function staleOps(desired: Desired, facts: Facts, ranges: readonly Range4[]): readonly IpOp[] {
  const neighbours = new Set(desired.neighbours.map((one) => `${one.address} ${one.link}`));
  const addresses = new Set(desired.addresses.map((one) => `${one.address} ${one.link}`));
  const devices = devicesOfOurs(facts);
  return [
    ...facts.neighbours
      .filter((one) =>
        one.permanent &&
        (isOnLan(ranges, one.address) || devices.has(`${one.address} ${one.link}`)) &&
        !neighbours.has(`${one.address} ${one.link}`)
      )
      .map((one): IpOp => ({ op: "delete-neighbour", address: one.address, link: one.link })),
    ...facts.addresses
      .filter((one) =>
        one.link !== "lo" && parseIpv4(hostOf(one.address)) !== null &&
        (one.ours === true || one.link === LAN_LINK || isOnLan(ranges, one.address)) &&
        !addresses.has(`${one.address} ${one.link}`)
      )
      .map((one): IpOp => ({ op: "delete-address", link: one.link, address: one.address })),
  ];
}

/** The devices of tiny nets whose router's address we set, each with its link. */
function devicesOfOurs({ addresses }: Facts): ReadonlySet<string> {
  return new Set(addresses.flatMap(({ link, address, ours }) => {
    const range = ours === true ? parseRange4(address) : null;
    return range?.prefix === 30 ? [`${formatIpv4(range.first + 2)} ${link}`] : [];
  }));
}

/** The state on links that are present or that we create. */
function onLinks(desired: Desired, facts: Facts): Desired {
  const there = new Set(facts.links.map((link) => link.name));
  for (const link of desired.links) if (link.create) there.add(link.name);
  return {
    ...desired,
    links: desired.links.filter(({ name }) => there.has(name)),
    addresses: desired.addresses.filter(({ link }) => there.has(link)),
    routes: desired.routes.filter(({ link }) => there.has(link)),
    neighbours: desired.neighbours.filter(({ link }) => there.has(link)),
    ...(desired.policyRouting
      ? { policyRouting: withoutPolicyRoutes(desired.policyRouting, (link) => !there.has(link))! }
      : {}),
  };
}

function missingOps(desired: Desired, facts: Facts): readonly IpOp[] {
  const links = new Map(facts.links.map((link) => [link.name, link]));
  const addresses = new Set(facts.addresses.map((one) => `${one.address} ${one.link}`));
  const routes = new Set(
    facts.routes.map((one) => `${one.destination} ${one.via ?? ""} ${one.link}`),
  );
  const neighbours = new Set(
    facts.neighbours.filter((one) => one.permanent)
      .map((one) => `${one.address} ${one.link} ${one.mac}`),
  );
  return [
    ...desired.links.filter((link) => link.create && !links.has(link.name))
      .flatMap(linkOps),
    ...desired.links.flatMap((link) => {
      const fact = links.get(link.name);
      const was = fact?.master === undefined
        ? NO_PORT
        : { bridge: fact.master, isolated: fact.isolated === true };
      return portOps(link, was);
    }),
    ...desired.links.flatMap((link) => macAndMtuOps(link, links.get(link.name))),
    ...desired.links.filter((link) => (links.get(link.name)?.up ?? false) !== link.up)
      .map((link): IpOp => ({ op: "set-link", name: link.name, up: link.up })),
    ...desired.addresses.filter((one) => !addresses.has(`${one.address} ${one.link}`))
      .map((one): IpOp => ({ op: "add-address", ...one })),
    ...desired.routes
      .filter((one) => !routes.has(`${one.destination} ${one.via ?? ""} ${one.link}`))
      .map((route): IpOp => ({ op: "replace-route", route })),
    ...addedPolicyRouting(currentPolicyRouting(facts), desired.policyRouting),
    ...desired.neighbours
      .filter((one) => !neighbours.has(`${one.address} ${one.link} ${one.mac}`))
      .map((neighbour): IpOp => ({ op: "replace-neighbour", neighbour })),
  ];
}

/**
 * Sets a link's MAC address and MTU. A link that is up is taken down while its MAC changes.
 */
function macAndMtuOps(missingOps: DesiredLink, fact: LinkFact | undefined): readonly IpOp[] {
  const { name, mac, mtu } = missingOps;
  return [
    ...(mac !== undefined && fact !== undefined && fact.mac !== mac
      ? [
        ...(fact.up ? [{ op: "set-link", name, up: false } as const] : []),
        { op: "set-mac", name, mac } as const,
        ...(fact.up && missingOps.up ? [{ op: "set-link", name, up: true } as const] : []),
      ]
      : []),
    ...(mtu !== undefined && fact?.mtu !== undefined && fact.mtu !== mtu
      ? [{ op: "set-mtu", name, mtu } as const]
      : []),
  ];
}

/** The kernel after links were down for a MAC change: they lose routes and neighbours. */
function afterLinkDown(desired: Desired, facts: Facts): Facts {
  const links = new Map(facts.links.map((link) => [link.name, link]));
  const down = new Set(
    desired.links.filter(({ name, mac }) => {
      const fact = links.get(name);
      return mac !== undefined && fact?.up === true && fact.mac !== mac;
    }).map(({ name }) => name),
  );
  if (down.size === 0) return facts;
  return {
    ...facts,
    routes: facts.routes.filter(({ link }) => link === null || !down.has(link)),
    neighbours: facts.neighbours.filter(({ link }) => !down.has(link)),
    ...(facts.policyRouting
      ? { policyRouting: withoutPolicyRoutes(facts.policyRouting, (link) => down.has(link))! }
      : {}),
  };
}

/** The kernel after addresses were deleted: with its last one a link loses routes and neighbours. */
function afterAddressLoss(facts: Facts, ops: readonly IpOp[]): Facts {
  const links = new Set(ops.flatMap((op) => op.op === "delete-address" ? [op.link] : []));
  if (links.size === 0) return facts;
  return {
    ...facts,
    routes: facts.routes.filter(({ link }) => link === null || !links.has(link)),
    neighbours: facts.neighbours.filter(({ link }) => !links.has(link)),
    ...(facts.policyRouting
      ? { policyRouting: withoutPolicyRoutes(facts.policyRouting, (link) => links.has(link))! }
      : {}),
  };
}

/** The changes of links, addresses, routes and neighbours from the kernel's facts to a state. */
export function reconcileIp(desired: Desired, found: Facts): readonly IpOp[] {
  const stale = staleLinks(desired, found);
  const facts = withoutLinkFacts(found, stale);
  const reachable = onLinks(desired, facts);
  const gone = staleOps(reachable, facts, rangesOf(desired));
  const left = afterLinkDown(reachable, afterAddressLoss(facts, gone));
  return [
    ...stalePolicyRouting(currentPolicyRouting(facts), reachable.policyRouting),
    ...gone,
    ...stale.map((name): IpOp => ({ op: "delete-link", name })),
    ...missingOps(reachable, left),
  ];
}

/** Links of the mesh that are to go, or to be made anew. */
function staleLinks(desired: Desired, { links }: Facts): readonly string[] {
  const wanted = new Map(desired.links.map((link) => [link.name, link]));
  return links.filter(({ name, kind, vxlan }) => {
    const link = wanted.get(name);
    return isMeshLink({ name, kind }) && (link === undefined || isOtherVxlan(link, vxlan));
  }).map(({ name }) => name);
}

/** The facts once some links are gone. */
function withoutLinkFacts(facts: Facts, names: readonly string[]): Facts {
  if (names.length === 0) return facts;
  const stays = ({ link }: { readonly link: string | null }): boolean =>
    link === null || !names.includes(link);
  return {
    ...facts,
    links: facts.links.filter(({ name }) => !names.includes(name))
      .map(({ master, ...link }) =>
        master === undefined || names.includes(master) ? link : { ...link, master }
      ),
    addresses: facts.addresses.filter(stays),
    routes: facts.routes.filter(stays),
    neighbours: facts.neighbours.filter(stays),
  };
}

/** Tables of ours that the ruleset no longer has; that of blocked ranges is not part of it. */
export function leftovers(desired: Desired, facts: Facts): readonly RulesetOp[] {
  return facts.tables.filter((table) =>
    table.comment === OUR_COMMENT && table.name !== BLOCKED_TABLE &&
    !desired.ruleset.tables.some((one) => one.family === table.family && one.name === table.name)
  ).map(({ family, name }) => ({ op: "delete-table", family, table: name }));
}

/** True when every table of the ruleset is in the kernel as ours. */
function hasOurTables(desired: Desired, facts: Facts): boolean {
  return desired.ruleset.tables.every((table) =>
    facts.tables.some((one) =>
      one.family === table.family && one.name === table.name && one.comment === OUR_COMMENT
    )
  );
}

/**
 * The steps from whatever the kernel holds to a state: our tables whole, then links and addresses,
 * forwarding last, and off meanwhile where our rules are missing. Touches only what is ours:
 * addresses and permanent neighbours in the LAN subnets, our own link, configured interfaces.
 */
export function reconcile(desired: Desired, facts: Facts): KernelPlan {
  const there = new Set(facts.links.map(({ name }) => name));
  const ip: readonly IpOp[] = [
    ...looseFilterLinks(desired).filter((name) => there.has(name))
      .map((name): IpOp => ({ op: "set-loose-rp-filter", name })),
    ...reconcileIp(desired, facts),
  ];
  const old = leftovers(desired, facts);
  const off = facts.forwarding && (!desired.forwarding || !hasOurTables(desired, facts));
  const steps: KernelStep[] = [
    ...(off ? [{ kind: "forwarding", on: false } as const] : []),
    { kind: "load", ruleset: desired.ruleset },
    ...(old.length > 0 ? [{ kind: "ruleset", ops: old } as const] : []),
    ...(ip.length > 0 ? [{ kind: "ip", ops: ip } as const] : []),
    ...(desired.forwarding && (off || !facts.forwarding)
      ? [{ kind: "forwarding", on: true } as const]
      : []),
  ];
  return { steps, recheck: desired.neighbours.map((one) => one.address) };
}

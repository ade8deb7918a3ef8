import type {
  Desired,
  DesiredLink,
  Facts,
  IpOp,
  KernelPlan,
  KernelStep,
  LinkFact,
  RulesetOp,
} from "../core/kernel/host.ts";
import { formatIpv4, inRange4, parseIpv4, parseRange4, type Range4 } from "../core/net/net.ts";
import { filterTable, findSet } from "../firewall/judge/lookup.ts";
import { linkOps } from "./links/link_ops.ts";
import { homeRanges } from "./places.ts";
import { hostOf, LAN_LINK } from "./plan.ts";
import {
  looseLinks,
  staleWays,
  standingWays,
  wantedWays,
  withoutWays,
} from "./routing/route_ops.ts";

/** Comment of every table of ours. */
export const OURS = "sluice";

/** True for an address, with or without prefix, inside one of these networks. */
export function isAtHome(ranges: readonly Range4[], address: string): boolean {
  const value = parseIpv4(hostOf(address));
  return value !== null && ranges.some((range) => inRange4(range, value));
}

/** The home networks, as the ruleset knows them. */
function rangesOf(desired: Desired): readonly Range4[] {
  const table = filterTable(desired.ruleset);
  const set = table && findSet(table, "supernetworks");
  return homeRanges([...(set?.elements.keys() ?? [])]);
}

/**
 * What must go: addresses and permanent neighbours in our networks that nothing asks for, and those
 * that we set in networks which home has left. Neighbours go before addresses, so that what is left
 * of a tiny net is known by its address.
 */
function stale(desired: Desired, facts: Facts, ranges: readonly Range4[]): readonly IpOp[] {
  const neighbours = new Set(desired.neighbours.map((one) => `${one.address} ${one.link}`));
  const addresses = new Set(desired.addresses.map((one) => `${one.address} ${one.link}`));
  const devices = devicesOfOurs(facts);
  return [
    ...facts.neighbours
      .filter((one) =>
        one.permanent &&
        (isAtHome(ranges, one.address) || devices.has(`${one.address} ${one.link}`)) &&
        !neighbours.has(`${one.address} ${one.link}`)
      )
      .map((one): IpOp => ({ op: "delete-neighbour", address: one.address, link: one.link })),
    ...facts.addresses
      .filter((one) =>
        one.link !== "lo" && parseIpv4(hostOf(one.address)) !== null &&
        (one.ours === true || one.link === LAN_LINK || isAtHome(ranges, one.address)) &&
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

/** Only links that are there, or that we make: one that vanished takes what was on it along. */
function onLinks(desired: Desired, facts: Facts): Desired {
  const there = new Set(facts.links.map((link) => link.name));
  for (const link of desired.links) if (link.create) there.add(link.name);
  return {
    ...desired,
    links: desired.links.filter(({ name }) => there.has(name)),
    addresses: desired.addresses.filter(({ link }) => there.has(link)),
    routes: desired.routes.filter(({ link }) => there.has(link)),
    neighbours: desired.neighbours.filter(({ link }) => there.has(link)),
    ...(desired.ways ? { ways: withoutWays(desired.ways, (link) => !there.has(link))! } : {}),
  };
}

function wanted(desired: Desired, facts: Facts): readonly IpOp[] {
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
    ...desired.links.flatMap((link) => cardOp(link, links.get(link.name))),
    ...desired.links.filter((link) => (links.get(link.name)?.up ?? false) !== link.up)
      .map((link): IpOp => ({ op: "set-link", name: link.name, up: link.up })),
    ...desired.addresses.filter((one) => !addresses.has(`${one.address} ${one.link}`))
      .map((one): IpOp => ({ op: "add-address", ...one })),
    ...desired.routes
      .filter((one) => !routes.has(`${one.destination} ${one.via ?? ""} ${one.link}`))
      .map((route): IpOp => ({ op: "replace-route", route })),
    ...wantedWays(standingWays(facts), desired.ways),
    ...desired.neighbours
      .filter((one) => !neighbours.has(`${one.address} ${one.link} ${one.mac}`))
      .map((neighbour): IpOp => ({ op: "replace-neighbour", neighbour })),
  ];
}

/**
 * What a link's card and packets should be. A link that is up rests while its card is changed.
 */
function cardOp(wanted: DesiredLink, fact: LinkFact | undefined): readonly IpOp[] {
  const { name, mac, mtu } = wanted;
  return [
    ...(mac !== undefined && fact !== undefined && fact.mac !== mac
      ? [
        ...(fact.up ? [{ op: "set-link", name, up: false } as const] : []),
        { op: "set-mac", name, mac } as const,
        ...(fact.up && wanted.up ? [{ op: "set-link", name, up: true } as const] : []),
      ]
      : []),
    ...(mtu !== undefined && fact?.mtu !== undefined && fact.mtu !== mtu
      ? [{ op: "set-mtu", name, mtu } as const]
      : []),
  ];
}

/** What the kernel has once links rested whose cards are changed: they lose routes and neighbours. */
function afterRest(desired: Desired, facts: Facts): Facts {
  const links = new Map(facts.links.map((link) => [link.name, link]));
  const rested = new Set(
    desired.links.filter(({ name, mac }) => {
      const fact = links.get(name);
      return mac !== undefined && fact?.up === true && fact.mac !== mac;
    }).map(({ name }) => name),
  );
  if (rested.size === 0) return facts;
  return {
    ...facts,
    routes: facts.routes.filter(({ link }) => link === null || !rested.has(link)),
    neighbours: facts.neighbours.filter(({ link }) => !rested.has(link)),
    ...(facts.ways ? { ways: withoutWays(facts.ways, (link) => rested.has(link))! } : {}),
  };
}

/** What the kernel has once addresses are gone: with its last one a link loses routes and neighbours. */
function afterLoss(facts: Facts, ops: readonly IpOp[]): Facts {
  const links = new Set(ops.flatMap((op) => op.op === "delete-address" ? [op.link] : []));
  if (links.size === 0) return facts;
  return {
    ...facts,
    routes: facts.routes.filter(({ link }) => link === null || !links.has(link)),
    neighbours: facts.neighbours.filter(({ link }) => !links.has(link)),
    ...(facts.ways ? { ways: withoutWays(facts.ways, (link) => links.has(link))! } : {}),
  };
}

/** The changes of links, addresses, routes and neighbours that make the state of what there is. */
export function reconcileIp(desired: Desired, facts: Facts): readonly IpOp[] {
  const reachable = onLinks(desired, facts);
  const gone = stale(reachable, facts, rangesOf(desired));
  const left = afterRest(reachable, afterLoss(facts, gone));
  return [
    ...staleWays(standingWays(facts), reachable.ways),
    ...gone,
    ...wanted(reachable, left),
  ];
}

/** Tables of ours that the ruleset no longer has. */
export function leftovers(desired: Desired, facts: Facts): readonly RulesetOp[] {
  return facts.tables.filter((table) =>
    table.comment === OURS &&
    !desired.ruleset.tables.some((one) => one.family === table.family && one.name === table.name)
  ).map(({ family, name }) => ({ op: "delete-table", family, table: name }));
}

/** True when every table of the ruleset is in the kernel as ours. */
function rulesStand(desired: Desired, facts: Facts): boolean {
  return desired.ruleset.tables.every((table) =>
    facts.tables.some((one) =>
      one.family === table.family && one.name === table.name && one.comment === OURS
    )
  );
}

/**
 * The steps from whatever the kernel holds to a state: our tables whole, then links and addresses,
 * forwarding last, and off meanwhile where no rules of ours stand. Touches only what is ours:
 * addresses and permanent neighbours in the home networks, our own link, what is configured.
 */
export function reconcile(desired: Desired, facts: Facts): KernelPlan {
  const there = new Set(facts.links.map(({ name }) => name));
  const ip: readonly IpOp[] = [
    ...looseLinks(desired).filter((name) => there.has(name))
      .map((name): IpOp => ({ op: "loosen", name })),
    ...reconcileIp(desired, facts),
  ];
  const old = leftovers(desired, facts);
  const off = facts.forwarding && (!desired.forwarding || !rulesStand(desired, facts));
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

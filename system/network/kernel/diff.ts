import type { Desired } from "../../core/kernel/desired.ts";
import type { IpOp, KernelPlan, KernelStep, RulesetOp } from "../../core/kernel/plan.ts";
import { diffRulesets } from "../../core/kernel/nft/diff.ts";
import { intermediateRuleset, revokedAccess } from "../../firewall/sets/transition.ts";
import { isOtherVxlan, linkOps, macAddressOps, NO_PORT, portOps } from "../interfaces/link_ops.ts";
import { hostOf } from "../plan.ts";
import {
  addedPolicyRouting,
  looseFilterLinks,
  stalePolicyRouting,
  withoutPolicyRoutes,
} from "../routing/route_ops.ts";

/** Up to so many items are compared one by one; more of them by key. */
const MAX_COMPARED = 8;

/** Items of `a` that differ from each of `b` in one of the fields. */
function missing<T>(
  a: readonly T[],
  b: readonly T[],
  fields: readonly (keyof T)[],
): readonly T[] {
  if (a === b) return [];
  const same = (one: T, other: T): boolean =>
    one === other || fields.every((field) => one[field] === other[field]);
  // Most states differ by few items, and have the rest in the same order.
  const most = Math.min(a.length, b.length);
  let first = 0;
  while (first < most && same(a[first]!, b[first]!)) first++;
  let last = 0;
  while (last < most - first && same(a[a.length - 1 - last]!, b[b.length - 1 - last]!)) last++;
  const known = new Set(b.slice(first, b.length - last));
  const left = a.slice(first, a.length - last).filter((item) => !known.has(item));
  if (left.length <= MAX_COMPARED) {
    return left.filter((item) => !b.some((other) => same(item, other)));
  }
  const key = (item: T): string => JSON.stringify(fields.map((field) => item[field]));
  const keys = new Set(b.map(key));
  return left.filter((item) => !keys.has(key(item)));
}

// The fields that identify an item.
const ADDRESS = ["link", "address"] as const;
const ROUTE = ["destination", "via", "link"] as const;
const NEIGHBOUR = ["address", "link", "mac"] as const;
const NEIGHBOUR_KEY = ["address", "link"] as const;
const LINK = ["name", "up"] as const;

/** A state without some links and everything on them. */
function withoutLinks(desired: Desired, gone: (link: string) => boolean): Desired {
  const names = new Set(
    [
      ...desired.links.map((link) => link.name),
      // A link that others create, such as pppd, has only a route of ours.
      ...[desired.addresses, desired.routes, desired.policyRouting?.routes ?? []].flatMap((all) =>
        all.map((one) => one.link)
      ),
    ].filter(gone),
  );
  if (names.size === 0) return desired;
  return {
    ...desired,
    links: desired.links.filter((one) => !names.has(one.name)),
    addresses: desired.addresses.filter((one) => !names.has(one.link)),
    routes: desired.routes.filter((one) => !names.has(one.link)),
    neighbours: desired.neighbours.filter((one) => !names.has(one.link)),
    ...(desired.policyRouting
      ? { policyRouting: withoutPolicyRoutes(desired.policyRouting, (link) => names.has(link))! }
      : {}),
  };
}

/** Link, address, route and neighbour changes between two states: deletions first. */
export function diffIp(before: Desired, after: Desired): readonly IpOp[] {
  const still = before.links === after.links && before.addresses === after.addresses &&
    before.neighbours === after.neighbours && before.facts === after.facts &&
    before.policyRouting === after.policyRouting &&
    missing(before.routes, after.routes, ROUTE).length === 0 &&
    missing(after.routes, before.routes, ROUTE).length === 0;
  if (still) return [];
  const made = new Set(before.links.filter((link) => link.create).map((link) => link.name));
  const links = after.facts?.links;
  // A link that disappeared took everything on it along, also when another of its name came.
  const exists = (link: string): boolean =>
    !links || links.has(link) || (made.has(link) && !before.facts?.links.has(link));
  const renewed = (link: string): boolean => {
    const old = before.facts?.links.get(link), now = links?.get(link);
    return old !== undefined && now !== undefined && old !== now;
  };
  const macChanges = macAddressOps(before, after, (link) => renewed(link) || !exists(link));
  const down = new Set(macChanges.map(({ name }) => name));
  const there = withoutLinks(before, (link) => renewed(link) || !exists(link));
  const replacedLinks = after.links.filter((link) =>
    there.links.some((one) => one.name === link.name && isOtherVxlan(link, one.vxlan))
  ).map(({ name }) => name);
  const rest = withoutLinks(there, (link) => replacedLinks.includes(link));
  // With a link's last address the kernel drops its routes, even when another address follows.
  const moved = new Set(
    missing(rest.addresses, after.addresses, ADDRESS).map(({ link }) => link),
  );
  // What the kernel drops meanwhile is set again, as on a link that is down while its MAC changes.
  const old = afterLinkDown(withoutRoutes(rest, moved), down);
  const goneLinks = old.links.filter((link) =>
    link.create && !after.links.some((one) => one.name === link.name)
  );
  const newLinks = after.links.filter((link) =>
    link.create && !old.links.some((one) => one.name === link.name) &&
    // Someone else may have created the same VLAN.
    (link.create !== "vlan" || !links?.has(link.name))
  );
  const replaced = new Set(after.routes.map((route) => route.destination));
  return [
    ...stalePolicyRouting(rest.policyRouting, after.policyRouting),
    ...missing(rest.neighbours, after.neighbours, NEIGHBOUR_KEY)
      .map((one): IpOp => ({ op: "delete-neighbour", address: one.address, link: one.link })),
    ...missing(rest.routes, after.routes, ROUTE)
      .filter((route) => !replaced.has(route.destination))
      .map((route): IpOp => ({ op: "delete-route", route })),
    ...missing(rest.addresses, after.addresses, ADDRESS)
      .map((one): IpOp => ({ op: "delete-address", link: one.link, address: one.address })),
    ...[...replacedLinks, ...goneLinks.map(({ name }) => name)]
      .map((name): IpOp => ({ op: "delete-link", name })),
    ...newLinks.flatMap(linkOps),
    ...bridgePorts(old, after),
    ...macChanges.flatMap(({ ops }) => ops),
    ...missing(after.links, old.links, LINK)
      .map((link): IpOp => ({ op: "set-link", name: link.name, up: link.up })),
    ...mtus(old, after),
    ...looseFilterLinks(after).filter((link) => !looseFilterLinks(old).includes(link))
      .map((name): IpOp => ({ op: "set-loose-rp-filter", name })),
    ...missing(after.addresses, old.addresses, ADDRESS)
      .map((one): IpOp => ({
        op: "add-address",
        ...one,
        // Operations name links: what was meant for the old one may have reached the new one already.
        ...(renewed(one.link) ? { mayBeThere: true } : {}),
      })),
    ...missing(after.routes, old.routes, ROUTE)
      .map((route): IpOp => ({ op: "replace-route", route })),
    ...addedPolicyRouting(old.policyRouting, after.policyRouting),
    ...missing(after.neighbours, old.neighbours, NEIGHBOUR)
      .map((neighbour): IpOp => ({ op: "replace-neighbour", neighbour })),
  ];
}

/** A state without the routes of some links. */
function withoutRoutes(desired: Desired, links: ReadonlySet<string>): Desired {
  if (links.size === 0) return desired;
  const gone = (link: string): boolean => links.has(link);
  return {
    ...desired,
    routes: desired.routes.filter(({ link }) => !gone(link)),
    ...(desired.policyRouting
      ? { policyRouting: withoutPolicyRoutes(desired.policyRouting, gone)! }
      : {}),
  };
}

/** While a link is down it keeps its addresses, and loses routes and neighbours. */
function afterLinkDown(desired: Desired, down: ReadonlySet<string>): Desired {
  if (down.size === 0) return desired;
  const { neighbours, ...rest } = withoutRoutes(desired, down);
  return { ...rest, neighbours: neighbours.filter(({ link }) => !down.has(link)) };
}

/** Links that come to a bridge, or leave one that stays. */
function bridgePorts(before: Desired, after: Desired): readonly IpOp[] {
  const old = new Map(before.links.flatMap(({ name, port }) => port ? [[name, port]] : []));
  const wanted = new Set(after.links.filter(({ port }) => port).map(({ name }) => name));
  const made = new Set(after.links.map(({ name }) => name));
  const left = [...old].filter(([name, { bridge }]) => !wanted.has(name) && made.has(bridge));
  return [
    // A link that is gone has left its bridge by that; one that nobody mentions any more has not.
    ...left.filter(([name]) => after.facts?.links.has(name) ?? made.has(name))
      .map(([name]): IpOp => ({ op: "set-bridge", name, bridge: null })),
    ...after.links.flatMap((link) => portOps(link, old.get(link.name) ?? NO_PORT)),
  ];
}

/** Changed MTUs. */
function mtus(before: Desired, after: Desired): readonly IpOp[] {
  const old = new Map(before.links.map(({ name, mtu }) => [name, mtu]));
  return after.links.flatMap(({ name, mtu }): readonly IpOp[] =>
    mtu === undefined || old.get(name) === mtu ? [] : [{ op: "set-mtu", name, mtu }]
  );
}

function rulesetStep(ops: readonly RulesetOp[]): readonly KernelStep[] {
  return ops.length > 0 ? [{ kind: "ruleset", ops }] : [];
}

/** Every address that a connection of the router or a device may have. */
function everyAddress(desired: Desired): readonly string[] {
  return [
    ...desired.addresses.map((one) => hostOf(one.address)),
    ...desired.neighbours.map((one) => one.address),
    ...(desired.facts?.addresses ?? []),
  ];
}

/**
 * The steps from one state to another. Rules alone change in one transaction; where addresses move,
 * access is removed before and granted after.
 */
export function diff(before: Desired, after: Desired): KernelPlan {
  const ip = diffIp(before, after);
  const lost = revokedAccess(before.ruleset, after.ruleset);
  const steps: KernelStep[] = [];
  if (before.forwarding && !after.forwarding) steps.push({ kind: "forwarding", on: false });
  if (ip.length === 0) {
    steps.push(...rulesetStep(diffRulesets(before.ruleset, after.ruleset)));
  } else {
    const between = intermediateRuleset(before.ruleset, after.ruleset);
    steps.push(
      ...rulesetStep(diffRulesets(before.ruleset, between)),
      { kind: "ip", ops: ip },
      ...rulesetStep(diffRulesets(between, after.ruleset)),
    );
  }
  if (!before.forwarding && after.forwarding) steps.push({ kind: "forwarding", on: true });
  const recheck = lost.everyone
    ? [...new Set([...lost.addresses, ...everyAddress(before), ...everyAddress(after)])]
    : lost.addresses;
  return { steps, recheck };
}

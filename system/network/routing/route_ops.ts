import type { Desired } from "../../core/kernel/desired.ts";
import type { Facts } from "../../core/kernel/facts.ts";
import type { IpOp } from "../../core/kernel/plan.ts";
import type { IpRule, PolicyRoute, PolicyRouting } from "../../core/kernel/policy_routing.ts";
import { ipRuleText } from "../kernel/describe.ts";

const NONE: PolicyRouting = { routes: [], rules: [] };

function routeKey({ table, metric, via, link }: PolicyRoute): string {
  return `${table} ${metric} ${via ?? ""} ${link}`;
}

/** The slot of a route: a new one replaces the old one there. */
function routeSlot({ table, metric }: PolicyRoute): string {
  return `${table} ${metric}`;
}

function missing<T>(a: readonly T[], b: readonly T[], key: (item: T) => string): readonly T[] {
  if (a === b) return [];
  const known = new Set(b.map(key));
  return a.filter((item) => !known.has(key(item)));
}

/** Deletions: ip rules, then routes that no other replaces. */
export function stalePolicyRouting(
  before: PolicyRouting = NONE,
  after: PolicyRouting = NONE,
): readonly IpOp[] {
  const slots = new Set(after.routes.map(routeSlot));
  return [
    ...missing(before.rules, after.rules, ipRuleText)
      .map((rule: IpRule): IpOp => ({ op: "delete-rule", rule })),
    ...missing(before.routes, after.routes, routeKey).filter((policyRoute) =>
      !slots.has(routeSlot(policyRoute))
    )
      .map((policyRoute): IpOp => ({ op: "delete-policy-route", policyRoute })),
  ];
}

/** Additions: routes, then the ip rules that use them. */
export function addedPolicyRouting(
  before: PolicyRouting = NONE,
  after: PolicyRouting = NONE,
): readonly IpOp[] {
  return [
    ...missing(after.routes, before.routes, routeKey)
      .map((policyRoute): IpOp => ({ op: "replace-policy-route", policyRoute })),
    ...missing(after.rules, before.rules, ipRuleText)
      .map((rule): IpOp => ({ op: "add-rule", rule })),
  ];
}

/** Links that need a loose reverse-path filter: replies arrive although the main table routes elsewhere. */
export function looseFilterLinks(desired: Pick<Desired, "policyRouting">): readonly string[] {
  return (desired.policyRouting?.rules ?? []).flatMap((rule) =>
    rule.kind === "link" ? [rule.link] : []
  );
}

/** Policy routing without the routes of some links. */
export function withoutPolicyRoutes(
  policyRouting: PolicyRouting | undefined,
  gone: (link: string) => boolean,
): PolicyRouting | undefined {
  return policyRouting &&
    { ...policyRouting, routes: policyRouting.routes.filter(({ link }) => !gone(link)) };
}

/** Our policy routing in the kernel. */
export function currentPolicyRouting(facts: Facts): PolicyRouting {
  return facts.policyRouting ?? NONE;
}

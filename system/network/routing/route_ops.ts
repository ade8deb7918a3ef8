import type { Desired, Facts, IpOp, Way, WayRule, Ways } from "../../core/kernel/host.ts";
import { ruleWords } from "../describe.ts";

const NONE: Ways = { routes: [], rules: [] };

function wayKey({ table, metric, via, link }: Way): string {
  return `${table} ${metric} ${via ?? ""} ${link}`;
}

/** What a route takes the place of. */
function wayPlace({ table, metric }: Way): string {
  return `${table} ${metric}`;
}

function missing<T>(a: readonly T[], b: readonly T[], key: (item: T) => string): readonly T[] {
  if (a === b) return [];
  const known = new Set(b.map(key));
  return a.filter((item) => !known.has(key(item)));
}

/** What goes first: rules, then routes that no other takes the place of. */
export function staleWays(before: Ways = NONE, after: Ways = NONE): readonly IpOp[] {
  const places = new Set(after.routes.map(wayPlace));
  return [
    ...missing(before.rules, after.rules, ruleWords)
      .map((rule: WayRule): IpOp => ({ op: "delete-rule", rule })),
    ...missing(before.routes, after.routes, wayKey).filter((way) => !places.has(wayPlace(way)))
      .map((way): IpOp => ({ op: "delete-way", way })),
  ];
}

/** What comes last: routes, then the rules that lead to them. */
export function wantedWays(before: Ways = NONE, after: Ways = NONE): readonly IpOp[] {
  return [
    ...missing(after.routes, before.routes, wayKey)
      .map((way): IpOp => ({ op: "replace-way", way })),
    ...missing(after.rules, before.rules, ruleWords)
      .map((rule): IpOp => ({ op: "add-rule", rule })),
  ];
}

/** Links on which replies may come in although the main table leads elsewhere. */
export function looseLinks(desired: Pick<Desired, "ways">): readonly string[] {
  return (desired.ways?.rules ?? []).flatMap((rule) => rule.kind === "link" ? [rule.link] : []);
}

/** The ways without those of some links. */
export function withoutWays(
  ways: Ways | undefined,
  gone: (link: string) => boolean,
): Ways | undefined {
  return ways && { ...ways, routes: ways.routes.filter(({ link }) => !gone(link)) };
}

/** Ours in the kernel. */
export function standingWays(facts: Facts): Ways {
  return facts.ways ?? NONE;
}

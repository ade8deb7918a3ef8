import { type Kind, rulesOf } from "./kinds.ts";
import { BOTH } from "./text.ts";
import type { AnyRule, Firewall, RuleCounter } from "./wire.ts";

/** What the table shows as one: a rule, or two that differ in TCP and UDP alone. */
export interface Line {
  readonly kind: Kind;
  /** The rule as it is shown; of two its protocol is {@link BOTH}. */
  readonly rule: AnyRule;
  /** The rules as the router has them, TCP first. */
  readonly members: readonly AnyRule[];
}

/** Ends the name of the UDP rule of two that are known by their names. */
const UDP_NAME = " UDP";

/** True for the kinds whose rules are known by their names. */
const isNamed = (kind: Kind): boolean => kind.list === "Endpoints";

function fieldsOf(rule: AnyRule): Readonly<Record<string, unknown>> {
  return rule as unknown as Readonly<Record<string, unknown>>;
}

/** What two rules have in common that are shown as one; null for a rule that stands alone. */
function pairKey(kind: Kind, rule: AnyRule): string | null {
  const { Protocol, RuleName, ...rest } = fieldsOf(rule);
  if (Protocol !== "tcp" && Protocol !== "udp") return null;
  const name = String(RuleName ?? "");
  if (!isNamed(kind) || Protocol === "tcp") return JSON.stringify([name, rest]);
  return name.endsWith(UDP_NAME) ? JSON.stringify([name.slice(0, -UDP_NAME.length), rest]) : null;
}

/** The rules of a kind as lines, in their order. */
export function linesOf(kind: Kind, firewall: Firewall): readonly Line[] {
  const rules = rulesOf(kind, firewall);
  const groups = Map.groupBy(rules, (rule) => pairKey(kind, rule));
  return rules.flatMap((rule): Line | readonly Line[] => {
    const key = pairKey(kind, rule);
    const pair = key === null ? [] : groups.get(key) ?? [];
    const tcp = pair.find((one) => fieldsOf(one)["Protocol"] === "tcp");
    const udp = pair.find((one) => fieldsOf(one)["Protocol"] === "udp");
    if (tcp === undefined || udp === undefined || (rule !== tcp && rule !== udp)) {
      return { kind, rule, members: [rule] };
    }
    if (rule !== pair[0]) return [];
    return { kind, rule: { ...tcp, Protocol: BOTH } as unknown as AnyRule, members: [tcp, udp] };
  });
}

/** What makes a line the one that it is, among those of all kinds. */
export function lineKey({ kind, members: [first] }: Line): string {
  return `${kind.path} ${first === undefined ? "" : kind.key(first)}`;
}

/** The rules that a rule of a form stands for. */
export function membersOf(kind: Kind, rule: AnyRule): readonly AnyRule[] {
  const fields = fieldsOf(rule);
  if (fields["Protocol"] !== BOTH) return [rule];
  const name = isNamed(kind) ? { RuleName: `${fields["RuleName"]}${UDP_NAME}` } : {};
  return [
    { ...fields, Protocol: "tcp" } as unknown as AnyRule,
    { ...fields, ...name, Protocol: "udp" } as unknown as AnyRule,
  ];
}

/**
 * Names of other rules that this one would be written over. `known`: the line that it takes the place
 * of; null for a new one.
 */
export function takenNames(
  { kind, rule }: Pick<Line, "kind" | "rule">,
  known: Line | null,
  firewall: Firewall,
): readonly string[] {
  if (!isNamed(kind)) return [];
  const own = new Set(known?.members.map(kind.key));
  const others = new Set(rulesOf(kind, firewall).map(kind.key)).difference(own);
  return membersOf(kind, rule).filter((one) => others.has(kind.key(one)))
    .map((one) => String(fieldsOf(one)["RuleName"]));
}

/** The counter of a line: of two rules their sum. Null where there is none. */
export function usesOf(
  { kind, members }: Line,
  counters: ReadonlyMap<string, RuleCounter>,
): RuleCounter | null {
  const uses = members.flatMap((rule) => counters.get(`${kind.path} ${kind.key(rule)}`) ?? []);
  return uses.reduce<RuleCounter | null>((sum, use) => sum === null ? use : added(sum, use), null);
}

function added(a: RuleCounter, b: RuleCounter): RuleCounter {
  const both = <T>(one: T | null, other: T | null, add: (one: T, other: T) => T): T | null =>
    one === null ? other : other === null ? one : add(one, other);
  return {
    ...a,
    packets: both(a.packets, b.packets, (one, other) => one + other),
    since: both(a.since, b.since, Math.min),
    lastUsed: both(a.lastUsed, b.lastUsed, Math.max),
  };
}

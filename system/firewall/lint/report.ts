import {
  contentOf,
  RULE_KINDS,
  type RuleList,
  type RuleLists,
  type RuleOf,
} from "../rule_kinds.ts";
import type { Firewall } from "../schema.ts";
import type { LintFinding, RuleReference } from "./schema.ts";

/** A rule with its list and place. */
export interface Listed<L extends RuleList = RuleList> {
  readonly list: L;
  readonly index: number;
  readonly rule: RuleOf<L>;
}

/** The enabled rules of a list. */
export function enabled<L extends RuleList>(firewall: Firewall, list: L): readonly Listed<L>[] {
  const rules: readonly RuleOf<L>[] = (firewall as RuleLists)[list];
  return rules.map((rule, index): Listed<L> => ({ list, index, rule }))
    .filter(({ rule }) => !("Disabled" in rule && rule.Disabled));
}

/** What people call a rule: its name, else what it does. */
export function nameOf({ list, rule }: Listed): string {
  const named = "RuleName" in rule ? rule.RuleName : "";
  return named || contentOf(list, rule);
}

function referenceOf(one: Listed): RuleReference {
  const { list, index } = one;
  return { list, index, pointer: `/${list}/${index}`, name: nameOf(one) };
}

/** A finding about a rule; `remove`: deleting it changes nothing else. */
export function finding(
  kind: LintFinding["kind"],
  one: Listed,
  about: {
    readonly text: string;
    readonly other?: Listed;
    readonly severity?: LintFinding["severity"];
    readonly remove?: boolean;
  },
): LintFinding {
  return {
    kind,
    severity: about.severity ?? "warning",
    rule: referenceOf(one),
    other: about.other ? referenceOf(about.other) : null,
    text: about.text,
    fix: about.remove
      ? {
        summary: `Delete ${nameOf(one)}`,
        method: "DELETE",
        path: RULE_KINDS[one.list].path,
        body: one.rule,
      }
      : null,
  };
}

/** Rules that are looked at in one step. */
const RULES_PER_STEP = 50;

/** What `look` finds of all rules. Yields after each small step. */
export function* each<L extends RuleList>(
  rules: readonly Listed<L>[],
  look: (one: Listed<L>) => readonly LintFinding[],
): Generator<void, readonly LintFinding[]> {
  const found: LintFinding[] = [];
  for (const [position, one] of rules.entries()) {
    found.push(...look(one));
    if (position % RULES_PER_STEP === 0) yield;
  }
  return found;
}

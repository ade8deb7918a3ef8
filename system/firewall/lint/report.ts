import { contentOf, type RuleOf } from "../content.ts";
import type { Firewall, RuleList } from "../schema.ts";
import type { LintFinding, RulePlace } from "./schema.ts";

/** A rule with its list and place. */
export interface Listed<L extends RuleList = RuleList> {
  readonly list: L;
  readonly index: number;
  readonly rule: RuleOf<L>;
}

/** Where rules of a list are deleted. */
const PATHS: { readonly [L in RuleList]: string } = {
  ForwardingRules: "/firewall/forward",
  BlockRules: "/firewall/block",
  OutputBlockRules: "/firewall/block_output",
  ForwardingBlockRules: "/firewall/block_forward",
  CustomInterfaceRules: "/firewall/custom_interface",
  ServicePorts: "/firewall/service_port",
  Endpoints: "/firewall/endpoint",
  MulticastPorts: "/firewall/multicast",
};

/** The enabled rules of a list. */
export function enabled<L extends RuleList>(firewall: Firewall, list: L): readonly Listed<L>[] {
  const rules = firewall[list] as readonly RuleOf<L>[];
  return rules.map((rule, index): Listed<L> => ({ list, index, rule }))
    .filter(({ rule }) => !("Disabled" in rule && rule.Disabled));
}

/** What people call a rule: its name, else what it does. */
export function nameOf({ list, rule }: Listed): string {
  const named = "RuleName" in rule ? rule.RuleName : "";
  return named || contentOf(list, rule);
}

function placeOf(one: Listed): RulePlace {
  const { list, index } = one;
  return { list, index, pointer: `/${list}/${index}`, name: nameOf(one) };
}

/** A finding about a rule; `remove`: deleting it changes nothing else. */
export function finding(
  kind: LintFinding["kind"],
  one: Listed,
  about: {
    readonly words: string;
    readonly other?: Listed;
    readonly severity?: LintFinding["severity"];
    readonly remove?: boolean;
  },
): LintFinding {
  return {
    kind,
    severity: about.severity ?? "warning",
    rule: placeOf(one),
    other: about.other ? placeOf(about.other) : null,
    words: about.words,
    fix: about.remove
      ? {
        summary: `Delete ${nameOf(one)}`,
        method: "DELETE",
        path: PATHS[one.list],
        body: one.rule,
      }
      : null,
  };
}

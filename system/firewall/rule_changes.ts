import type { Config } from "../config.ts";
import { invalid, pointer, pointingTo } from "../core/errors/problem.ts";
import { putCustomRule } from "./custom_rules.ts";
import { contentOf, RULE_LISTS, type RuleList, type RuleOf } from "./rule_kinds.ts";
import { deleteRule, putForward, putRule } from "./rules.ts";
import type { RuleChanges } from "./wire.ts";

/**
 * Deletes rules, then adds or updates others, all or none. Throws the Problems of single rules, which
 * point to the rule that is refused, and Problem 400 for two of a list of which one would replace the other.
 */
export function changeRules(
  config: Config,
  { Delete = {}, Put = {} }: RuleChanges,
): [Config, void] {
  for (const list of RULE_LISTS) {
    for (const [at, rule] of (Delete[list] ?? []).entries()) {
      [config] = pointingTo(
        within(["Delete", list, at]),
        () => deleteRule(config, list, contentOf(list, rule as RuleOf<typeof list>)),
      );
    }
  }
  for (const list of RULE_LISTS) {
    const written = new Map<string, number>();
    for (const [at, rule] of (Put[list] ?? []).entries()) {
      const content = contentOf(list, rule as RuleOf<typeof list>);
      const before = written.get(content);
      if (before !== undefined) {
        throw invalid(
          pointer(["Put", list, at]),
          `Rule ${before} of ${list} is the same or has the same name, so this one would replace it`,
        );
      }
      written.set(content, at);
      [config] = pointingTo(within(["Put", list, at]), () => put(config, list, rule));
    }
  }
  return [config, undefined];
}

function within(path: readonly PropertyKey[]): (place: string) => string {
  return (place) => pointer(path) + place;
}

/** Writes a rule as the route of its kind does. */
function put(config: Config, list: RuleList, rule: RuleOf<RuleList>): [Config, void] {
  switch (list) {
    case "ForwardingRules":
      return putForward(config, rule as RuleOf<typeof list>);
    case "CustomInterfaceRules":
      return putCustomRule(config, rule as RuleOf<typeof list>);
    default:
      return putRule(config, list, rule as RuleOf<typeof list>);
  }
}

/** How many rules are deleted and written, in the words of the history. */
export function ruleChangesText({ Delete = {}, Put = {} }: RuleChanges): string {
  const text = (verb: string, lists: RuleChanges["Put"]): string => {
    const count = RULE_LISTS.reduce((sum, list) => sum + (lists?.[list]?.length ?? 0), 0);
    return count === 0 ? "" : `${verb} ${count} firewall ${count === 1 ? "rule" : "rules"}`;
  };
  return [text("Deleted", Delete), text("Set", Put)].filter((part) => part !== "").join(", ") ||
    "Changed no firewall rule";
}

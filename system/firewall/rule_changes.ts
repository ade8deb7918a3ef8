import type { Config } from "../config.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { putCustomRule } from "./custom_rules.ts";
import { contentOf, RULE_LISTS, type RuleList, type RuleOf } from "./rule_kinds.ts";
import { deleteRule, putForward, putRule } from "./rules.ts";
import type { RuleChanges } from "./wire.ts";

/**
 * Deletes rules, then adds or updates others, all or none. Throws the Problems of single rules, which
 * point to the rule that is refused.
 */
export function changeRules(
  config: Config,
  { Delete = {}, Put = {} }: RuleChanges,
): [Config, void] {
  for (const list of RULE_LISTS) {
    for (const [at, rule] of (Delete[list] ?? []).entries()) {
      [config] = pointing(
        ["Delete", list, at],
        () => deleteRule(config, list, contentOf(list, rule as RuleOf<typeof list>)),
      );
    }
  }
  for (const list of RULE_LISTS) {
    for (const [at, rule] of (Put[list] ?? []).entries()) {
      [config] = pointing(["Put", list, at], () => put(config, list, rule));
    }
  }
  return [config, undefined];
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

function pointing<T>(path: readonly PropertyKey[], write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.status, error.message, {
      errors: error.errors.map((one) => ({ ...one, pointer: pointer(path) + one.pointer })),
      members: error.members,
      cause: error,
    });
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

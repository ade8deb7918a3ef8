import type { Config } from "../config.ts";
import { errorText } from "../core/errors/error_text.ts";
import { invalid, notFound, pointer, Problem, sentence } from "../core/errors/problem.ts";
import { compileCondition } from "../events/jpath/condition.ts";
import { ALERTS } from "../events/settings_schema.ts";
import { patternOf } from "./evaluate.ts";
import { type AlertAction, AlertRule, type AlertRuleUpdate } from "./schema.ts";

/** Rules that there may be. */
const MAX_RULES = 200;

/** Adds a rule under a new id, or replaces the one that has its `RuleId`. Throws Problem 400. */
export function putRule(config: Config, sent: AlertRule, newId: string): Config {
  const rules = config.alerts;
  const known = rules.findIndex(({ RuleId }) => RuleId !== "" && RuleId === sent.RuleId);
  const rule = checked({ ...sent, RuleId: known < 0 ? newId : sent.RuleId });
  if (known >= 0) return { ...config, alerts: rules.with(known, rule) };
  if (rules.length >= MAX_RULES) {
    throw new Problem(400, sentence("There are {limit} rules already", { limit: MAX_RULES }));
  }
  return { ...config, alerts: [...rules, rule] };
}

/**
 * Changes the rule at an index or of an id: what is missing stays, an index without a rule adds one at
 * the end. Throws Problem 400, and 404 for an id without a rule.
 */
export function updateRule(
  config: Config,
  reference: string,
  { sent, newId }: { readonly sent: AlertRuleUpdate; readonly newId: string },
): Config {
  const at = indexOf(config.alerts, reference);
  const known = config.alerts[at];
  const given = Object.fromEntries(
    Object.entries(sent).filter(([, value]) => value !== undefined && value !== null),
  );
  const merged = AlertRule.safeParse({ ...known, ...given, RuleId: known?.RuleId ?? newId });
  if (!merged.success) {
    const [issue] = merged.error.issues;
    throw invalid(pointer(issue!.path), issue!.message);
  }
  if (known === undefined) return putRule(config, { ...merged.data, RuleId: "" }, newId);
  return { ...config, alerts: config.alerts.with(at, checked(merged.data)) };
}

/** Deletes the rule at an index or of an id. Throws Problem 404. */
export function deleteRule(config: Config, reference: string): Config {
  const at = indexOf(config.alerts, reference);
  if (config.alerts[at] === undefined) throw noRule();
  return { ...config, alerts: config.alerts.toSpliced(at, 1) };
}

/** Name of a rule for the history. */
export function ruleName(rules: readonly AlertRule[], reference: string): string {
  const at = /^\d{1,4}$/.test(reference)
    ? Number(reference)
    : rules.findIndex(({ RuleId }) => RuleId === reference);
  return rules[at]?.Name ?? reference;
}

function indexOf(rules: readonly AlertRule[], reference: string): number {
  if (/^\d{1,4}$/.test(reference)) return Number(reference);
  const at = rules.findIndex(({ RuleId }) => RuleId === reference);
  if (at < 0) throw noRule();
  return at;
}

function noRule(): Problem {
  return notFound("There is no such alert rule");
}

/** A rule whose parts can be used, with both names of its topics' ends. Throws Problem 400. */
export function checked(rule: AlertRule): AlertRule {
  const { TopicPrefix } = rule;
  if (TopicPrefix.startsWith(ALERTS) || ALERTS.startsWith(TopicPrefix)) {
    throw invalid("/TopicPrefix", "Alerts about alerts would never end; use another topic");
  }
  if (/[*?]/.test(TopicPrefix)) {
    throw invalid("/TopicPrefix", "Write the beginning of topics, without * and ?");
  }
  rule.Conditions.forEach(({ JPath }, index) =>
    tried(["Conditions", index, "JPath"], () => compileCondition(JPath))
  );
  rule.Actions.forEach(({ GrabFields }, index) =>
    GrabFields.forEach((field, at) =>
      tried(["Actions", index, "GrabFields", at], () => patternOf(field))
    )
  );
  return { ...rule, Actions: rule.Actions.map(withSuffix) };
}

function withSuffix(action: AlertAction): AlertAction {
  const suffix = action.StoreTopicSuffix || action.BucketSuffix;
  return { ...action, StoreTopicSuffix: suffix, BucketSuffix: suffix };
}

function tried(path: readonly (string | number)[], work: () => unknown): void {
  try {
    work();
  } catch (error) {
    throw invalid(pointer([...path]), errorText(error));
  }
}

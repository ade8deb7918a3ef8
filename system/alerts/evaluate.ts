import { isRecord } from "../core/config/json.ts";
import { compileCondition, type Condition, isMatch } from "../events/jpath/condition.ts";
import { compilePattern, type Pattern } from "../events/jpath/values.ts";
import { ALERTS } from "../events/settings_schema.ts";
import type { AlertAction, AlertRule } from "./schema.ts";

/** A rule whose conditions are compiled. */
export interface CompiledRule {
  readonly rule: AlertRule;
  readonly conditions: readonly Condition[];
}

/** An event, as rules look at it. */
export interface Candidate {
  readonly topic: string;
  readonly data: unknown;
}

/** An alert under the names of existing clients. */
export interface AlertInfo {
  readonly Topic: string;
  readonly RuleId: string;
  readonly NotificationType?: string;
  readonly Title?: string;
  readonly Body?: string;
  readonly Event?: unknown;
  readonly Values?: readonly unknown[];
  readonly State: string;
}

/** What one action of a rule makes of an event. */
export interface Alert {
  readonly topic: string;
  readonly info: AlertInfo;
  readonly action: AlertAction;
}

/** Compiles a rule. A condition that is none, as of an older file, has no value and never matches. */
export function compileRule(rule: AlertRule): CompiledRule {
  return { rule, conditions: rule.Conditions.map(({ JPath }) => compiled(JPath)) };
}

function compiled(text: string): Condition {
  try {
    return compileCondition(text);
  } catch {
    return { value: () => undefined };
  }
}

/**
 * The alerts of a rule for an event: of one whose topic begins as the rule says and whose payload is an
 * object, where its conditions are satisfied. Alerts cause no alerts.
 */
export function alertsOf({ rule, conditions }: CompiledRule, event: Candidate): readonly Alert[] {
  const { topic, data } = event;
  if (rule.Disabled || !topic.startsWith(rule.TopicPrefix) || topic.startsWith(ALERTS)) return [];
  if (!isRecord(data)) return [];
  const values: unknown[] = [];
  if (!isSatisfied({ rule, conditions }, data, values)) return [];
  return rule.Actions.map((action) => ({
    topic: `${ALERTS}${topic}:${action.StoreTopicSuffix}`,
    info: infoOf(rule, action, { topic, data, values }),
    action,
  }));
}

/** Fills `values` with those of the conditions that were looked at. */
function isSatisfied(
  { rule, conditions }: CompiledRule,
  data: unknown,
  values: unknown[],
): boolean {
  // A rule without conditions always fires, also an inverted one.
  if (conditions.length === 0) return true;
  let met = 0;
  for (const condition of conditions) {
    const value = condition.value(data);
    if (value !== undefined) values.push(value);
    if (!isMatch(value)) continue;
    met++;
    if (rule.MatchAnyOne) break;
  }
  const isMet = rule.MatchAnyOne ? met > 0 : met === conditions.length;
  return isMet !== rule.InvertRule;
}

function infoOf(
  rule: AlertRule,
  action: AlertAction,
  { topic, data, values }: {
    readonly topic: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly values: readonly unknown[];
  },
): AlertInfo {
  const { NotificationType, MessageTitle, MessageBody } = action;
  return {
    Topic: topic,
    RuleId: rule.RuleId,
    ...(NotificationType ? { NotificationType } : {}),
    ...(MessageTitle ? { Title: MessageTitle } : {}),
    ...(MessageBody ? { Body: MessageBody } : {}),
    ...(action.GrabEvent || action.GrabFields.length > 0
      ? { Event: grabbed(data, action.GrabFields) }
      : {}),
    ...(action.GrabValues ? { Values: values } : {}),
    State: "",
  };
}

/** The event, or only its fields of these names. */
function grabbed(
  data: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Readonly<Record<string, unknown>> {
  if (fields.length === 0) return data;
  const patterns = fields.flatMap((field) => patternOf(field) ?? []);
  return Object.fromEntries(
    Object.entries(data).filter(([name]) =>
      fields.includes(name) || patterns.some((pattern) => pattern.matcher(name).find())
    ),
  );
}

/** The regular expression between two slashes; null for a plain name. Throws where it is none. */
export function patternOf(field: string): Pattern | null {
  return field.length > 2 && field.startsWith("/") && field.endsWith("/")
    ? compilePattern(field.slice(1, -1))
    : null;
}

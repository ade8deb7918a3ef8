import type { Context } from "hono";
import type { Config } from "../../system/config.ts";
import type { Identity } from "../../system/access/identity.ts";
import { checked, deleteRule, putRule, ruleName, updateRule } from "../../system/alerts/rules.ts";
import {
  AlertReference,
  AlertRule,
  AlertRules,
  AlertRuleUpdate,
  AlertTrial,
} from "../../system/alerts/schema.ts";
import { tryRule } from "../../system/alerts/trial.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import type { EventStore } from "../../system/events/store/event_store.ts";
import { readsBeginning, topicAccess } from "../../system/events/topics/topic_access.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of alerts need from outside. */
export interface AlertRulesDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly eventStore: Pick<EventStore, "ask">;
  readonly identity: (c: Context) => Promise<Identity>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The rules of alerts. */
export function alertRuleRoutes({ engine, eventStore, identity, now }: AlertRulesDeps): Route[] {
  const common = { tag: "Alerts", access: "auth" } as const;
  const list = { ...common, document: "alerts", response: AlertRules } as const;
  const oneRule = { path: "/alerts/{index}", params: AlertReference } as const;
  const example = { parameters: { index: "0" } };
  const answered = (config: Config): [Config, AlertRule[]] => [config, [...config.alerts]];

  /** Throws Problem 403 where a token sets a rule for events that it may not read. */
  async function checkerFor(c: Context): Promise<(before: Config, after: Config) => Config> {
    const reads = topicAccess(await identity(c));
    return (before, after) => {
      for (const rule of after.alerts) {
        if (before.alerts.includes(rule) || readsBeginning(reads, rule.TopicPrefix)) continue;
        throw new Problem(
          403,
          `This token does not cover the events that begin with ${rule.TopicPrefix}`,
        );
      }
      return after;
    };
  }

  return [
    route({
      method: "GET",
      path: "/alerts",
      ...list,
      summary: "Alert rules",
      description: "The rules in their order. A rule makes alerts of events whose topic begins so.",
    }, () => [...engine.config.alerts]),
    route({
      method: "PUT",
      path: "/alerts",
      ...list,
      summary: "Add an alert rule",
      description:
        "Adds the rule at the end under a new `RuleId`, or replaces the one whose `RuleId` is sent. " +
        "Responds with all rules. A token with scopes sets only rules for topics that it may read.",
      body: AlertRule,
      errors: [403, 409, 412],
    }, async (call) => {
      const id = crypto.randomUUID();
      const check = await checkerFor(call.c);
      return await call.decide({
        kind: "alerts.put",
        summary: `Set alert rule ${call.body.Name}`,
        reduce: (config) => answered(check(config, putRule(config, call.body, id))),
      }, (rules) => rules);
    }),
    route({
      method: "PUT",
      path: "/alerts/try",
      ...common,
      summary: "Try an alert rule on the events of the last day",
      description:
        "Says which stored events of the last day would have been alerts, with the title and text that people " +
        "would have read. Nothing is saved, published or sent.",
      examples: {
        response: {
          ...{ looked: 12, matched: 1, complete: true },
          items: [{
            ...{ topic: "auth:failure", at: 1769860800000, title: "Sign-in failed" },
            body: "admin: bad password",
            event: { type: "user", name: "admin", reason: "bad password" },
          }],
        },
      },
      body: AlertRule,
      response: AlertTrial,
      errors: [503],
    }, async ({ c, body }) =>
      await tryRule(checked(body), {
        ...{ store: eventStore, config: engine.config, now: now() },
        mayRead: topicAccess(await identity(c)),
      })),
    route({
      method: "PUT",
      ...oneRule,
      ...list,
      summary: "Change an alert rule",
      description:
        "Changes the rule at this index, or of this `RuleId`: what is left out stays, an empty list or " +
        "text clears. An index without a rule adds one at the end. Responds with all rules.",
      examples: example,
      body: AlertRuleUpdate,
      errors: [403, 404, 409, 412],
    }, async (call) => {
      const newId = crypto.randomUUID();
      const { index } = call.params;
      const check = await checkerFor(call.c);
      return await call.decide({
        kind: "alerts.put",
        summary: `Changed alert rule ${call.body.Name || ruleName(engine.config.alerts, index)}`,
        reduce: (config) =>
          answered(check(config, updateRule(config, index, { sent: call.body, newId }))),
      }, (rules) => rules);
    }),
    route({
      method: "DELETE",
      ...oneRule,
      ...list,
      summary: "Delete an alert rule",
      description:
        "Deletes the rule at this index, or of this `RuleId`. Later rules move up. Responds with those " +
        "that are left.",
      examples: example,
      errors: [404, 409, 412],
    }, (call) =>
      call.decide({
        kind: "alerts.delete",
        summary: `Deleted alert rule ${ruleName(engine.config.alerts, call.params.index)}`,
        reduce: (config) => answered(deleteRule(config, call.params.index)),
      }, (rules) => rules)),
  ];
}

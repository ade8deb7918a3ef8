import assert from "node:assert/strict";
import { alertsOf, compileRule } from "../../../system/alerts/evaluate.ts";
import { AlertRule } from "../../../system/alerts/schema.ts";
import { DEFAULT_RULES } from "../../../system/alerts/default_rules.ts";
import { checked } from "../../../system/alerts/rules.ts";

const EVENT = { type: "user", name: "admin", count: 3, off: false, none: null };

function rule(given: Record<string, unknown>): AlertRule {
  return checked(AlertRule.parse({
    TopicPrefix: "auth:",
    Name: "test",
    Actions: [{ StoreAlert: true }],
    RuleId: "an id",
    ...given,
  }));
}

const MEETS = '$[?(@.type=="user")]', MISSES = '$[?(@.type=="token")]';
const ERRS = "$[0].missing", FALSE = "$[0].off", NULL = "$[0].none";

/** `[conditions, any, inverted, fires]` */
const CASES: readonly (readonly [readonly string[], boolean, boolean, boolean])[] = [
  [[], false, false, true],
  [[], false, true, true],
  [[], true, false, true],
  [[MEETS], false, false, true],
  [[MISSES], false, false, false],
  [[MEETS, MISSES], false, false, false],
  [[MEETS, MEETS], false, false, true],
  [[MEETS, MISSES], true, false, true],
  [[MISSES, MEETS], true, false, true],
  [[MISSES, MISSES], true, false, false],
  [[MEETS], false, true, false],
  [[MISSES], false, true, true],
  [[MEETS, MISSES], false, true, true],
  [[MEETS, MISSES], true, true, false],
  [[ERRS], false, false, false],
  [[ERRS], false, true, true],
  [[FALSE], false, false, true],
  [[NULL], false, false, false],
  [["$..name"], false, false, true],
];

for (const [conditions, any, inverted, fires] of CASES) {
  const name = `${any ? "any" : "all"} of [${conditions}]${inverted ? ", inverted" : ""}`;
  Deno.test(`a rule with ${name} ${fires ? "fires" : "does not fire"}`, () => {
    const compiled = compileRule(rule({
      Conditions: conditions.map((JPath) => ({ JPath })),
      MatchAnyOne: any,
      InvertRule: inverted,
    }));
    assert.equal(alertsOf(compiled, { topic: "auth:success", data: EVENT }).length, fires ? 1 : 0);
  });
}

Deno.test("a rule looks at objects of its topics only, and never at alerts", () => {
  const fires = (topic: string, data: unknown, given = {}) =>
    alertsOf(compileRule({ ...rule({}), ...given }), { topic, data }).length;
  assert.equal(fires("auth:failure", EVENT), 1);
  assert.equal(fires("other:auth:failure", EVENT), 0);
  for (const data of [[EVENT], "text", 1, null]) assert.equal(fires("auth:failure", data), 0);
  assert.equal(fires("auth:failure", EVENT, { Disabled: true }), 0);
  assert.equal(fires("alert:x", EVENT, { TopicPrefix: "alert:" }), 0);
});

Deno.test("each action makes an alert with what it grabs", () => {
  const compiled = compileRule(rule({
    Conditions: [{ JPath: MEETS }, { JPath: "$[0].count" }],
    Actions: [
      { GrabEvent: true, StoreTopicSuffix: "user", MessageTitle: "{{name}}" },
      { GrabFields: ["name", "/^co/"], GrabValues: true, NotificationType: "error" },
      { BucketSuffix: "other" },
    ],
  }));
  const alerts = alertsOf(compiled, { topic: "auth:failure", data: EVENT });
  assert.deepEqual(alerts.map(({ topic }) => topic), [
    "alert:auth:failure:user",
    "alert:auth:failure:",
    "alert:auth:failure:other",
  ]);
  const common = { Topic: "auth:failure", RuleId: "an id", State: "" };
  assert.deepEqual(alerts.map(({ info }) => info), [
    { ...common, Title: "{{name}}", Event: EVENT },
    {
      ...common,
      NotificationType: "error",
      Event: { name: "admin", count: 3 },
      Values: [[EVENT], 3],
    },
    common,
  ]);
});

for (
  const [what, bad] of [
    ["alerts about alerts", { TopicPrefix: "alert:x" }],
    ["everything, alerts included", { TopicPrefix: "a" }],
    ["a condition that is none", { Conditions: [{ JPath: "$[" }] }],
    ["a pattern that is none", { Actions: [{ GrabFields: ["/(/"] }] }],
  ] as const
) {
  Deno.test(`no rule: ${what}`, () => {
    assert.throws(() => rule(bad), { status: 400 });
  });
}

Deno.test("no rule: a wildcard", () => {
  assert.throws(() => rule({ TopicPrefix: "auth:*" }), { name: "ZodError" });
});

Deno.test("the default rules are rules, of which five are on", () => {
  for (const one of DEFAULT_RULES) assert.deepEqual(checked(AlertRule.parse(one)), one);
  assert.equal(new Set(DEFAULT_RULES.map(({ RuleId }) => RuleId)).size, 10);
  assert.equal(DEFAULT_RULES.filter(({ Disabled }) => !Disabled).length, 5);
});

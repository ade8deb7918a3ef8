import assert from "node:assert/strict";
import { watchAlerts } from "../../../system/alerts/alert_watch.ts";
import { AlertRule } from "../../../system/alerts/schema.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { letOthers } from "../../../system/core/time/slices.ts";
import { configWith } from "../../kit/builders/device_config.ts";

Deno.test("stopping lists the alerts that wait, and resolves when they are stored", async () => {
  const bus = new Bus();
  const rule = AlertRule.parse({
    TopicPrefix: "auth:",
    Name: "sign-in",
    Actions: [{ StoreAlert: true }],
    RuleId: "an id",
  });
  const stored: [string, number][] = [];
  const failures: unknown[] = [];
  const stop = watchAlerts({
    engine: { config: configWith({ alerts: [rule] }) },
    bus,
    list: async ({ ruleId }, times) => {
      await letOthers();
      stored.push([ruleId, times]);
    },
    failed: (error) => failures.push(error),
  });
  bus.publish("auth:success", {});
  bus.publish("auth:success", {});
  await letOthers();
  await stop();
  assert.deepEqual(stored, [["an id", 2]]);
  assert.deepEqual(failures, []);
});

import assert from "node:assert/strict";
import { type AlertMessage, watchAlerts } from "../../../system/alerts/alert_watch.ts";
import { AlertRule } from "../../../system/alerts/schema.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { TURN_MS } from "../../../system/core/time/slices.ts";
import { configWith } from "../../kit/builders/device_config.ts";

/** Watches a bus by so many rules; `take` gets the names of those that send, in order. */
function watched(count: number, take: (name: string) => void) {
  const alerts = Array.from({ length: count }, (_, n) =>
    AlertRule.parse({
      ...{ RuleId: `r${n}`, Name: `rule ${n}`, TopicPrefix: "test" },
      Actions: [{ SendNotification: true }],
    }));
  const bus = new Bus();
  const stop = watchAlerts({
    ...{ bus, engine: { config: configWith({ alerts }) } },
    list: () => Promise.resolve(),
    send: ({ name }: AlertMessage) => take(name),
    failed: (error) => assert.fail(String(error)),
  });
  return { bus, stop };
}

/** Works for as long as one turn takes. */
function workForATurn(): void {
  const end = performance.now() + TURN_MS;
  while (performance.now() < end);
}

Deno.test("rules that take long let others have a turn, and look at every event in order", async () => {
  const seen: string[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const { bus, stop } = watched(3, (name) => {
    workForATurn();
    seen.push(name);
    if (seen.filter((one) => one !== "other").length === 6) resolve();
  });
  bus.publish("test:1", {});
  bus.publish("test:2", {});
  setTimeout(() => seen.push("other"), 0);
  await all;
  await stop();
  assert.ok(seen.slice(0, 3).includes("other"), seen.join());
  const names = ["rule 0", "rule 1", "rule 2"];
  assert.deepEqual(seen.filter((one) => one !== "other"), [...names, ...names]);
});

Deno.test("an event that comes once the rules are done with all others is looked at", async () => {
  const seen: string[] = [];
  const { bus, stop } = watched(1, (name) => seen.push(name));
  for (let n = 1; n <= 20; n++) {
    bus.publish("test", {});
    // At different distances from the end of the last look.
    for (let wait = 0; wait < n; wait++) await Promise.resolve();
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(seen.length, 20);
  await stop();
});

Deno.test("what waits for the rules when the watch stops is looked at before", async () => {
  const seen: string[] = [];
  const { bus, stop } = watched(3, (name) => seen.push(name));
  bus.publish("test:1", {});
  bus.publish("test:2", {});
  await stop();
  assert.equal(seen.length, 6);
  bus.publish("test:3", {});
  assert.equal(seen.length, 6);
});

Deno.test("a burst beyond what may wait is looked at whole, in order", async () => {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  const { bus, stop } = watched(1, () => ++seen === 10_050 ? resolve() : undefined);
  for (let n = 0; n < 10_050; n++) bus.publish("test", { n }, { kept: false });
  await all;
  await stop();
  assert.equal(seen, 10_050);
});

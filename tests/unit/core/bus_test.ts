import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";

Deno.test("a listener gets the events of its topics, one without topics every event, until it ends", () => {
  const bus = new Bus(() => 0, 0);
  const seen: string[] = [];
  const end = bus.subscribe(({ topic }) => seen.push(`some ${topic}`), ["devices", "groups"]);
  bus.subscribe(({ topic }) => seen.push(`all ${topic}`));
  for (const topic of ["devices", "devices:save", "groups"]) bus.publish(topic, null);
  end();
  bus.publish("devices", null);
  assert.deepEqual(seen, [
    "some devices",
    "all devices",
    "all devices:save",
    "some groups",
    "all groups",
    "all devices",
  ]);
});

Deno.test("a topic with a colon at its end stands for all that begin like it", () => {
  const bus = new Bus(() => 0, 0);
  const seen: string[] = [];
  bus.subscribe(({ topic }) => seen.push(topic), ["dns:serve:", "rules"]);
  for (const topic of ["dns:serve:192.168.2.6", "dns:serve:", "dns", "rules", "rules:more"]) {
    bus.publish(topic, null);
  }
  assert.deepEqual(seen, ["dns:serve:192.168.2.6", "dns:serve:", "rules"]);
});

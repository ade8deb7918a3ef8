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

import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { publishDeviceEvents } from "../../../system/devices/device_events.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

Deno.test("events that could not be published keep back none of a later change", async () => {
  const engine = new PlainEngine(configWith());
  const bus = new Bus();
  const topics: string[] = [];
  const fault = new Error("a listener failed");
  bus.subscribe(({ topic }) => {
    if (topic === "devices") return;
    topics.push(topic);
    if (topics.length === 1) throw fault;
  });
  const failures: unknown[] = [];
  const stop = publishDeviceEvents({ engine, bus, failed: (error) => failures.push(error) });
  const add = (n: number) => {
    const devices = { ...engine.config.devices, [mac(n)]: device(mac(n)) };
    engine.config = { ...engine.config, devices };
    bus.publish("devices", {});
  };
  add(1);
  add(2);
  await eventually(
    "the events of the second change",
    () => assert.deepEqual(topics, ["devices:save", "devices:save", "device:save"]),
  );
  assert.deepEqual(failures, [fault]);
  stop();
});

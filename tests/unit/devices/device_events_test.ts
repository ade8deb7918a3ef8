import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { letOthers, TURN_MS } from "../../../system/core/time/slices.ts";
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
  await stop();
});

Deno.test("stopping ends the events under way, and waits for that", async () => {
  const engine = new PlainEngine(configWith());
  const bus = new Bus();
  const failures: unknown[] = [];
  const stop = publishDeviceEvents({ engine, bus, failed: (error) => failures.push(error) });
  const stopped = Promise.withResolvers<void>();
  let stoppedIn: string | null = null;
  const read = (identity: string) => ({
    ...device(identity),
    get Name() {
      if (stoppedIn !== null && stoppedIn !== identity) throw new Error("read after the stop");
      if (stoppedIn === identity) return "";
      stoppedIn = identity;
      stopped.resolve(stop());
      // Others have their turn next, which a timer gives them.
      for (const began = performance.now(); performance.now() - began < 2 * TURN_MS;);
      return "";
    },
  });
  const devices = { [mac(1)]: read(mac(1)), [mac(2)]: read(mac(2)) };
  engine.config = { ...engine.config, devices };
  bus.publish("devices", {});
  await stopped.promise;
  for (let turn = 0; turn < 3; turn++) await letOthers();
  assert.deepEqual(failures, []);
});

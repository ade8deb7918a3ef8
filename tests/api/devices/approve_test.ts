import assert from "node:assert/strict";
import { devicesRoutes } from "../../../routes/devices.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { plainApp } from "../../kit/plain_app.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

Deno.test("PUT /devices/approve decides about several devices as one change", async () => {
  const waiting = { Name: "x", Policies: ["noapi" as const] };
  const [a, b] = [mac(1), mac(2)];
  const devices = { [a]: device(a, waiting), [b]: device(b, waiting) };
  const engine = new PlainEngine(configWith({ devices }));
  const routes = devicesRoutes({
    tagKey: crypto.getRandomValues(new Uint8Array(32)),
    engine,
    bus: new Bus(() => NOW),
    now: () => NOW,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
  const call = plainApp(engine, routes);
  const approve = (body: Record<string, unknown>) => call("PUT", "/devices/approve", body);
  const now = (identity: string) => engine.config.devices[identity]!;

  const both = await approve({ Identities: [a, b], Access: "internet", Groups: ["Kids"] });
  assert.deepEqual(both.json, { updated: [a, b], count: 2 });
  assert.deepEqual(now(b).Policies, ["wan", "dns", "noapi"]);
  assert.deepEqual(now(b).Groups, ["kids"]);

  const name = { Name: "TV", Style: { Icon: "tv" } };
  await approve({ Identities: [a], Access: "guest", ...name });
  assert.deepEqual([now(a).Name, now(a).Style.Icon], ["TV", "tv"]);
  assert.equal(now(a).DeviceExpiration, Math.floor(NOW / 1000) + 86_400, "a guest stays a day");
  assert.deepEqual(now(a).DeviceTags, ["guest"]);
  await approve({ Identities: [a], Access: "local", DeviceExpiration: -1 });
  assert.deepEqual(now(a).Policies, ["dns", "noapi"]);
  assert.deepEqual([now(a).DeviceTags, now(a).DeviceExpiration], [[], 0]);

  await approve({ Identities: [a, b], Access: "blocked" });
  assert.deepEqual([a, b].map((one) => now(one).DeviceDisabled), [true, true]);
  await approve({ Identities: [a], Access: "internet" });
  assert.equal(now(a).DeviceDisabled, false, "approving ends the block");

  assert.equal((await approve({ Identities: [a, b], Access: "local", ...name })).status, 400);
  assert.equal((await approve({ Identities: [mac(9)], Access: "local" })).status, 404);
  assert.equal((await approve({ Identities: [a], Access: "everything" })).status, 400);
});

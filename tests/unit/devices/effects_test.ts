import assert from "node:assert/strict";
import { appearedDevice } from "../../../system/devices/device.ts";
import { deviceEffects } from "../../../system/devices/effects.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

const TABLET = mac(1);

function effects(before: Partial<Device> | null, after: Partial<Device>): readonly string[] {
  const config = (fields: Partial<Device> | null) =>
    configWith({
      devices: fields === null ? {} : { [TABLET]: device(TABLET, { Name: "Tablet", ...fields }) },
    });
  return deviceEffects({
    before: config(before),
    after: config(after),
    observed: { devices: {} },
    patch: [],
  });
}

Deno.test("admin access that comes or goes is reported, also with a new device", () => {
  const gains = "Tablet can open this router's web UI and SSH";
  assert.deepEqual(effects({ Policies: ["noapi"] }, { Policies: ["dns"] }), [gains]);
  assert.deepEqual(effects(null, { Policies: ["dns"] }), [gains]);
  assert.deepEqual(effects({}, { Policies: ["noapi"] }), [
    "Tablet cannot open this router's web UI or SSH",
  ]);
  assert.deepEqual(effects({}, { Policies: ["wan", "dns"] }), []);
  assert.deepEqual(effects(null, { Policies: ["noapi"] }), []);
});

Deno.test("what time will do to a device is reported when it is decided", () => {
  const at = Date.UTC(2026, 10, 30, 10) / 1000;
  assert.deepEqual(effects({}, { DeviceExpiration: at }), [
    "Tablet is blocked at 2026-11-30 10:00 UTC",
  ]);
  assert.deepEqual(
    effects({ DeviceExpiration: at }, { DeviceExpiration: at, DeleteExpiration: true }),
    [
      "Tablet is deleted at 2026-11-30 10:00 UTC",
    ],
  );
  assert.deepEqual(effects({ DeviceExpiration: at }, { DeviceExpiration: 0 }), []);
});

Deno.test("a device whose name looks like that of another is reported, with both identities", () => {
  const tv = mac(2);
  const config = (Name: string) =>
    configWith({
      devices: {
        [TABLET]: device(TABLET, { Name, Policies: ["noapi"] }),
        [tv]: device(tv, { Name: "TV" }),
      },
    });
  const effects = (name: string) =>
    deviceEffects({
      before: config("Tablet"),
      after: config(name),
      observed: { devices: {} },
      patch: [],
    });
  // Cyrillic Т
  assert.deepEqual(effects("\u0422V"), [
    `\u0422V (${TABLET}) has a name that looks like that of TV (${tv})`,
  ]);
  assert.deepEqual(effects("tv"), [`tv (${TABLET}) has a name that looks like that of TV (${tv})`]);
  assert.deepEqual(effects("TV 2"), []);
  const joined = configWith({
    devices: {
      [TABLET]: appearedDevice(TABLET, "\u0422V"),
      [tv]: device(tv, { Name: "TV" }),
    },
  });
  const approved = {
    ...joined,
    devices: {
      ...joined.devices,
      [TABLET]: { ...joined.devices[TABLET]!, Policies: ["wan" as const, "noapi" as const] },
    },
  };
  assert.match(
    deviceEffects({ before: joined, after: approved, observed: { devices: {} }, patch: [] }).join(),
    /has a name that looks like that of TV/,
    "a device that named itself so, when it is approved",
  );
});

Deno.test("Internet access without DNS is reported when it begins", () => {
  const warning = "Tablet has Internet access without DNS, and finds no site by its name";
  const noapi = "noapi" as const;
  assert.deepEqual(effects({ Policies: [noapi] }, { Policies: ["wan", noapi] }), [warning]);
  assert.deepEqual(effects({ Policies: ["wan", "dns", noapi] }, { Policies: ["wan", noapi] }), [
    warning,
  ]);
  assert.deepEqual(effects({ Policies: ["wan"] }, { Policies: ["wan", "lan"] }), []);
  assert.deepEqual(effects(null, { Policies: ["wan", "dns", noapi] }), []);
  const custom = { Policies: ["wan" as const, noapi], DNSCustom: "192.0.2.1" };
  assert.deepEqual(effects({ Policies: [noapi] }, custom), []);
});

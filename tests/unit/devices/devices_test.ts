import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { devicesAnswerSteps, devicesTextSteps } from "../../../system/devices/answer.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { bulkAdd } from "../../../system/devices/bulk/add.ts";
import { deleteDevices } from "../../../system/devices/delete.ts";
import { devicesDocument } from "../../../system/devices/document.ts";
import { expireDevices, GUEST_AWAY, nextExpiry } from "../../../system/devices/expiry/expiry.ts";
import { startExpiry } from "../../../system/devices/expiry/expiry_timer.ts";
import { groupsDocument } from "../../../system/devices/groups/group_document.ts";
import { deleteGroup, upsertGroup } from "../../../system/devices/groups/group_rules.ts";
import { canonicalIdentity, kindOf } from "../../../system/devices/identity.ts";
import { generatePsk } from "../../../system/devices/psk.ts";
import { Device } from "../../../system/devices/schema.ts";
import { syncDevices } from "../../../system/devices/sync.ts";
import { updateDevice } from "../../../system/devices/update.ts";
import { DeviceUpdate } from "../../../system/devices/wire.ts";
import { associate } from "../../../system/wifi/station.ts";
import { configWith, device, KEY, mac } from "../../kit/builders/device_config.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

const NOTHING_SEEN = { devices: {} };

Deno.test("every spelling of a MAC has one canonical form, which is its own", () => {
  const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 })
    .filter((bytes) => (bytes[0]! & 1) === 0 && bytes.some((byte) => byte !== 0));
  fc.assert(
    fc.property(octets, fc.boolean(), fc.constantFrom(":", "-", "", "."), (bytes, up, by) => {
      const pairs = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
      const joined = by === "." ? pairs.join("").match(/..../g)!.join(".") : pairs.join(by);
      const identity = canonicalIdentity(up ? joined.toUpperCase() : joined);
      assert.equal(identity, pairs.join(":"));
      assert.equal(canonicalIdentity(identity!), identity);
      assert.equal(kindOf(identity!), "mac");
    }),
  );
});

Deno.test("any other text is an identity in its canonical form or none at all", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const identity = canonicalIdentity(text);
    if (identity !== null) assert.equal(canonicalIdentity(identity), identity);
  }));
  for (const text of ["pending", "PENDING", " pending-2 "]) {
    assert.equal(kindOf(canonicalIdentity(text)!), "pending");
  }
  for (const text of ["pending-1", "pending-0", "pending-02", "pending-", "__proto__", ""]) {
    assert.equal(canonicalIdentity(text), null, text);
  }
  assert.equal(canonicalIdentity(KEY), KEY);
  assert.notEqual(canonicalIdentity(KEY.toLowerCase()), KEY);
});

Deno.test("a made password uses only clear characters and every one of them", () => {
  let state = 1;
  const random = (length: number) =>
    Uint8Array.from({ length }, () => (state = state * 48271 % 2147483647) & 255);
  const seen = new Set<string>();
  for (let n = 0; n < 200; n++) {
    const psk = generatePsk(random);
    assert.equal(psk.length, 16);
    for (const character of psk) seen.add(character);
  }
  assert.equal(
    [...seen].sort().join(""),
    "#%*+-23456789=ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz",
  );
});

/** Freezes a value all through, so that a rule that changes it throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

function household(): Config {
  return frozen(configWith({
    devices: {
      [mac(1)]: device(mac(1), {
        Name: "tablet",
        Groups: ["kids"],
        Policies: ["wan"],
        RecentIP: "192.168.2.2",
        DeviceExpiration: 100,
      }),
      [mac(2)]: device(mac(2), {
        DeviceTags: ["guest"],
        DeviceExpiration: 50,
        DeleteExpiration: true,
      }),
      pending: device("pending", { PSKEntry: { Type: "sae", Psk: "correct horse" } }),
    },
    groups: [{ Name: "kids", Disabled: false, GroupTags: [], ServiceDestinations: [] }],
  }));
}

Deno.test("no rule changes the configuration that it is given", () => {
  const config = household();
  const update = (identity: string, sent: unknown) =>
    updateDevice(config, {
      identity,
      update: DeviceUpdate.parse(sent),
      copy: null,
      generated: "generated pass",
      now: 1000,
    });
  update(mac(1), { Policies: ["dns", "disabled"], Groups: ["new"], PSKEntry: { Type: "sae" } });
  update("pending", { Name: "x" });
  bulkAdd(config, { Identities: [mac(1), mac(2)], Policies: ["dns"], Groups: ["all"] });
  deleteDevices(config, [mac(1)]);
  syncDevices(config, { [mac(1)]: { DeviceDisabled: true } }, { force: true });
  upsertGroup(config, { Name: "kids", Disabled: true, GroupTags: [] });
  deleteGroup(config, "kids");
  expireDevices(config, NOTHING_SEEN, 200_000);
  associate(config, { mac: mac(9), link: "wlan0", router: "", keyId: undefined });
});

Deno.test("a write to pending is about the device that waits, until another comes with a password", () => {
  const waits = device("pending", {
    Name: "tv",
    Groups: ["kids"],
    PSKEntry: { Type: "sae", Psk: "correct horse" },
  });
  const config = configWith({ devices: { pending: waits } });
  const after = (sent: unknown) =>
    updateDevice(config, {
      identity: "pending",
      update: DeviceUpdate.parse(sent),
      copy: null,
      generated: "generated pass",
      now: 1000,
    })[0].devices["pending"]!;
  const cases: ReadonlyArray<readonly [unknown, string, readonly string[]]> = [
    [{ Name: "radio" }, "correct horse", ["kids"]],
    [{ Name: "radio", PSKEntry: { Type: "sae", Psk: "**" } }, "correct horse", ["kids"]],
    // As any other password: groups that stay would say that it is the one that waits.
    [{ Name: "radio", PSKEntry: { Psk: "correct horse" } }, "correct horse", []],
    [{ PSKEntry: { Type: "wpa2", Psk: "battery staple" } }, "battery staple", ["kids"]],
    [{ Name: "tv", PSKEntry: { Psk: "battery staple" } }, "battery staple", ["kids"]],
    [{ PSKEntry: { Type: "sae" } }, "generated pass", ["kids"]],
    [{ Name: "radio", PSKEntry: { Type: "wpa2", Psk: "battery staple" } }, "battery staple", []],
    [{ Name: "radio", PSKEntry: { Type: "sae" } }, "generated pass", []],
    [{ Name: "radio", PSKEntry: { Type: "sae", Psk: "" } }, "generated pass", []],
  ];
  for (const [sent, psk, groups] of cases) {
    const { PSKEntry, Groups } = after(sent);
    assert.equal(PSKEntry.Psk, psk, JSON.stringify(sent));
    assert.deepEqual(Groups, groups, JSON.stringify(sent));
  }
});

Deno.test("the policy disabled and the flag never differ, whatever is sent", () => {
  const policies = fc.subarray(["wan", "dns", "disabled", "lan"]);
  const sent = fc.record({
    Policies: policies,
    DeviceDisabled: fc.boolean(),
    Name: fc.constant("x"),
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.array(sent, { maxLength: 6 }), (updates) => {
    let config = configWith();
    for (const update of updates) {
      const before = config.devices[mac(1)]?.DeviceDisabled ?? false;
      [config] = updateDevice(config, {
        identity: mac(1),
        update: DeviceUpdate.parse(update),
        copy: null,
        generated: "generated pass",
        now: 0,
      });
      const after = config.devices[mac(1)]!;
      assert.equal(after.DeviceDisabled, after.Policies.includes("disabled"));
      const named = update.DeviceDisabled ??
        (before || (update.Policies ?? []).includes("disabled"));
      assert.equal(after.DeviceDisabled, named);
      Device.parse(after);
    }
  }));
});

Deno.test("at its expiry a device is deleted or disabled, and only once", () => {
  const config = household();
  assert.equal(nextExpiry(config, NOTHING_SEEN), 50_000);
  assert.equal(expireDevices(config, NOTHING_SEEN, 49_999)[0], config);
  const [next, what] = expireDevices(config, NOTHING_SEEN, 100_000);
  assert.deepEqual(what, { deleted: [mac(2)], disabled: [mac(1)], away: [] });
  assert.deepEqual(next.devices[mac(1)]!.Policies, ["wan", "disabled"]);
  assert.equal(next.devices[mac(1)]!.DeviceExpiration, 0);
  assert.equal(nextExpiry(next, NOTHING_SEEN), null);
});

Deno.test("a guest without a lease for 30 days is disabled", () => {
  const guest = device(mac(1), { DeviceTags: ["guest"] });
  const config = configWith({ devices: { [mac(1)]: guest } });
  const seen = { devices: { [mac(1)]: { firstSeen: 1, lastSeen: 7, link: null, online: false } } };
  assert.equal(nextExpiry(config, seen), 7 + GUEST_AWAY);
  assert.equal(expireDevices(config, seen, 6 + GUEST_AWAY)[0], config);
  const [next] = expireDevices(config, seen, 7 + GUEST_AWAY);
  assert.equal(next.devices[mac(1)]!.DeviceDisabled, true);
  assert.equal(nextExpiry(next, seen), null);
});

Deno.test("the expiry timer rings when the next time is up, follows changes, and stops", async () => {
  const engine = new PlainEngine(household());
  const bus = new Bus(() => 0);
  const clock = { now: 40_000 };
  const alarms: number[] = [];
  const timer = startExpiry({
    engine,
    bus,
    now: () => clock.now,
    surely: () => clock.now,
    alarm: (_, milliseconds) => {
      alarms.push(milliseconds);
      return () => {};
    },
    log: (error) => assert.fail(String(error)),
  });
  assert.deepEqual(alarms, [10_000]);
  await timer.tick();
  assert.deepEqual(engine.kinds, []);
  clock.now = 50_000;
  await timer.tick();
  assert.deepEqual(engine.kinds, ["device.expire"]);
  assert.equal(engine.requested[0]!.caller.by, "expiry");
  assert.equal(engine.config.devices[mac(2)], undefined);
  assert.equal(alarms.at(-1), 50_000);
  bus.publish("devices", {});
  assert.equal(alarms.length, 4);
  timer.stop();
  bus.publish("devices", {});
  assert.equal(alarms.length, 4);
});

Deno.test("a guest that was away and is let in again stays in, and what is no device is forgotten", async () => {
  const guest = device(mac(1), { DeviceTags: ["guest"] });
  const engine = new PlainEngine(configWith({ devices: { [mac(1)]: guest } }));
  const seen = { firstSeen: 1, lastSeen: 7, link: "wlan0.ap0", online: false };
  engine.observed = { devices: { [mac(1)]: seen, [mac(2)]: seen } };
  const timer = startExpiry({
    engine,
    bus: new Bus(() => 0),
    now: () => 7 + GUEST_AWAY,
    surely: () => 7 + GUEST_AWAY,
    alarm: () => () => {},
    log: (error) => assert.fail(String(error)),
  });
  await timer.tick();
  assert.equal(engine.config.devices[mac(1)]!.DeviceDisabled, true);
  assert.deepEqual(engine.observed.devices, { [mac(1)]: { ...seen, lastSeen: 0 } });
  engine.config = { ...engine.config, devices: { [mac(1)]: guest } };
  await timer.tick();
  assert.equal(engine.config.devices[mac(1)]!.DeviceDisabled, false);
  timer.stop();
});

Deno.test("an existing router's device file is read as it stands", () => {
  const { value, rejected } = devicesDocument.read({
    "AA-BB-CC-00-11-22": {
      Name: "old",
      MAC: "aa:bb:cc:00:11:22",
      WGPubKey: "",
      VLANTag: "0",
      RecentIP: "192.168.2.6",
      PSKEntry: { Type: "wpa2", Psk: "correct horse" },
      Policies: null,
      Groups: ["WAN", "Kids", "dns"],
      DeviceTags: null,
      DHCPFirstTime: "2023-01-02 03:04:05.678901234 +0000 UTC m=+12.345",
      DHCPLastTime: "",
      Style: { Icon: "Laptop", Color: "" },
      DeviceDisabled: true,
    },
    pending: { PSKEntry: { Type: "sae", Psk: "correct horse" } },
    [KEY]: { Name: "phone", WGPubKey: KEY, RecentIP: "192.168.2.6" },
  });
  assert.deepEqual(rejected, []);
  const old = value["aa:bb:cc:00:11:22"]!;
  assert.deepEqual(old.Policies, ["wan", "dns", "disabled"]);
  assert.deepEqual(old.Groups, ["kids"]);
  assert.equal(old.VLANTag, "");
  assert.equal(value.pending!.PSKEntry.Psk, "correct horse");
  assert.equal(value[KEY]!.RecentIP, "");
  for (const entry of Object.values(value)) Device.parse(entry);
});

Deno.test("an entry that the API would refuse is rejected with the reason", () => {
  const { value, rejected } = devicesDocument.read({
    [mac(1)]: { Name: "good" },
    [mac(1).toUpperCase().replaceAll(":", "-")]: { Name: "twice" },
    nonsense: {},
    [mac(3)]: { PSKEntry: { Type: "sae", Psk: "short" } },
    [mac(4)]: null,
    [mac(5)]: { Policies: ["everything"] },
    [mac(6)]: { Groups: "kids" },
  });
  assert.deepEqual(Object.keys(value), [mac(1)]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), [
    "/02-00-00-00-00-01",
    "/nonsense",
    `/${mac(3)}`,
    `/${mac(4)}`,
    `/${mac(5)}`,
    `/${mac(6)}`,
  ]);
  assert.match(rejected[2]!.message, /^\/PSKEntry\/Psk: Use 8 to 63/);
  assert.throws(() => devicesDocument.read([]), { status: 400 });
});

Deno.test("what the device document writes it reads back the same", () => {
  const { devices } = household();
  const { value, rejected } = devicesDocument.read(
    JSON.parse(JSON.stringify(devicesDocument.write!(devices))),
  );
  assert.deepEqual(value, devices);
  assert.deepEqual(rejected, []);
  assert.equal(devicesDocument.secret!([mac(1), "PSKEntry", "Psk"]), true);
  assert.equal(devicesDocument.secret!([mac(1), "PSKEntry", "Type"]), false);
});

Deno.test("groups named as policies or twice are rejected", () => {
  const { value, rejected } = groupsDocument.read([
    { Name: "Kids", GroupTags: null },
    { Name: "wan" },
    { Name: "kids" },
    7,
  ]);
  assert.deepEqual(value.map(({ Name }) => Name), ["kids"]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/1", "/2", "/3"]);
});

Deno.test("the written list of devices follows devices and what is seen of them", () => {
  const first = device(mac(1), { PSKEntry: { Type: "sae", Psk: "a password" } });
  const devices = { [mac(1)]: first, [mac(2)]: device(mac(2)) };
  const seen = { firstSeen: 1, lastSeen: 2, link: "lan0", online: true };
  const follows = (
    list: typeof devices,
    observed: Parameters<typeof devicesTextSteps>[1],
  ): void => {
    for (let time = 0; time < 2; time++) {
      const text = atOnce(devicesTextSteps(list, observed));
      assert.deepEqual(JSON.parse(text), atOnce(devicesAnswerSteps(list, observed)));
    }
  };
  follows(devices, {});
  follows(devices, { [mac(1)]: seen });
  follows(devices, { [mac(1)]: { ...seen, online: false } });
  follows({ ...devices, [mac(1)]: { ...first, Name: "other" } }, { [mac(1)]: seen });
  follows(devices, {});
});

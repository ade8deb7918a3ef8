import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const TABLET = "02:00:00:00:0a:01";
const PENDING = "/device?identity=pending";

// deno-lint-ignore no-explicit-any -- devices as they are answered
type Shown = Record<string, any>;

async function add(router: TestRouter, path: string, body: unknown): Promise<Shown> {
  return await router.json<Shown>("PUT", path, { body });
}

Deno.test("a device to come is added as the word pending, in the query and in the body", async () => {
  await using router = await testRouter();
  const answer = await add(router, PENDING, {
    MAC: "pending",
    Name: "rpi4",
    Policies: ["dns", "wan"],
    Groups: [],
    PSKEntry: { Type: "sae", Psk: "password1234" },
  });
  assert.equal(answer.Name, "rpi4");
  assert.equal(answer.MAC, "pending");
  assert.deepEqual(answer.PSKEntry, { Type: "sae", Psk: "**" });
  assert.equal(await router.json("GET", "/pendingPSK"), true);
  const listed = await router.json<Shown>("GET", "/devices");
  assert.equal(listed["pending"].MAC, "pending");
  await add(router, PENDING, listed["pending"]);
  assert.deepEqual(await router.json("GET", "/devices"), listed);
  assert.equal((await router.ask("DELETE", PENDING, { body: {} })).status, 200);
  assert.equal(await router.json("GET", "/pendingPSK"), false);
});

Deno.test("a new password replaces the one that waits and keeps what was decided", async () => {
  await using router = await testRouter();
  await add(router, PENDING, {
    MAC: "pending",
    Name: "rpi4",
    Groups: ["lab"],
    PSKEntry: { Type: "sae", Psk: "password1234" },
  });
  await add(router, PENDING, { PSKEntry: { Type: "wpa2", Psk: "another password" } });
  assert.deepEqual(Object.keys(router.engine.config.devices), ["pending"]);
  const { Name, Groups, PSKEntry } = router.engine.config.devices["pending"]!;
  assert.deepEqual([Name, Groups], ["rpi4", ["lab"]]);
  assert.deepEqual(PSKEntry, { Type: "wpa2", Psk: "another password" });
});

Deno.test("the next device to come takes the place of the last and inherits nothing", async () => {
  await using router = await testRouter();
  const form = { MAC: "pending", PSKEntry: { Type: "sae", Psk: "" } };
  await add(router, PENDING, { ...form, Name: "laptop", Groups: ["staff"], Policies: ["lan"] });
  const { PSKEntry } = await add(router, PENDING, { ...form, Name: "lamp", Policies: ["dns"] });
  const lamp = router.engine.config.devices["pending"]!;
  assert.equal(PSKEntry.Psk, lamp.PSKEntry.Psk);
  assert.deepEqual([lamp.Name, lamp.Groups, lamp.Policies], ["lamp", [], ["dns"]]);
  assert.deepEqual(Object.keys(router.engine.config.devices), ["pending"]);
});

Deno.test("a device is copied to one that has yet to join, which a station then becomes", async () => {
  await using router = await testRouter();
  await add(router, `/device?identity=${TABLET}`, {
    MAC: TABLET,
    Name: "tablet",
    Policies: ["dns", "wan"],
    Groups: ["kids"],
    DeviceTags: ["toy"],
    PSKEntry: { Type: "wpa2", Psk: "password1234" },
  });
  const copy = `${PENDING}&copy=${TABLET.toUpperCase()}`;
  await add(router, copy, { MAC: "pending", Name: "tablet 2" });
  const MAC = "02:00:00:00:0b:02";
  const report = { Iface: "wlan0", Event: "AP-STA-CONNECTED", Mac: MAC };
  const echo = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", report);
  assert.equal((await echo.json()).Status, "Installed Pending PSK");
  const copied = (await router.json<Shown>("GET", "/devices"))[MAC];
  assert.deepEqual(
    [copied.MAC, copied.Name, copied.Policies, copied.Groups, copied.DeviceTags],
    [MAC, "tablet 2", ["dns", "wan"], ["kids"], ["toy"]],
  );
  assert.equal(router.engine.config.devices[MAC]!.PSKEntry.Psk, "password1234");
});

Deno.test("each field of a device is edited by itself, in any case of its name", async () => {
  await using router = await testRouter();
  const path = `/device?identity=${encodeURIComponent(TABLET)}`;
  await add(router, path, {
    MAC: TABLET.toUpperCase(),
    Name: "tablet",
    Policies: ["dns", "wan"],
    PSKEntry: { Type: "sae", Psk: "password1234" },
  });
  const edits: ReadonlyArray<readonly [Shown, Shown]> = [
    [{ Name: "new name" }, { Name: "new name" }],
    [{ Groups: ["Media", " kids "] }, { Groups: ["media", "kids"] }],
    [{ DeviceTags: ["Camera"] }, { DeviceTags: ["camera"] }],
    [{ Policies: ["wan", "dns", "lan_upstream"] }, { Policies: ["wan", "dns", "lan_upstream"] }],
    [{ Style: { Icon: "Laptop", Color: "tealgray" } }, {
      Style: { Icon: "Laptop", Color: "tealgray" },
    }],
    [{ Style: { Color: "red" } }, { Style: { Icon: "Laptop", Color: "red" } }],
    [{ VLANTag: "7" }, { VLANTag: "7" }],
    [{ VLANTag: "0" }, { VLANTag: "" }],
    [{ RecentIP: "192.168.2.18" }, { RecentIP: "192.168.2.18" }],
    [{ DNSCustom: "9.9.9.9" }, { DNSCustom: "9.9.9.9" }],
    [{ DNSCustom: "0" }, { DNSCustom: "" }],
    [{ DeleteExpiration: true, DeviceExpiration: 0 }, { DeleteExpiration: true }],
    [{ DeviceExpiration: -1 }, { DeviceExpiration: 0 }],
    [{ DeviceDisabled: true }, { DeviceDisabled: true }],
    [{ DeviceDisabled: false }, { DeviceDisabled: false }],
    [{ PSKEntry: { Type: "wpa2", Psk: "another password" } }, {
      PSKEntry: { Type: "wpa2", Psk: "**" },
    }],
    [{ Groups: [] }, { Groups: [] }],
  ];
  for (const [sent, expected] of edits) {
    const before = (await router.json<Shown>("GET", "/devices"))[TABLET];
    const wire = Object.fromEntries(Object.entries(sent).map(([k, v]) => [k.toLowerCase(), v]));
    const answer = await add(router, path, wire);
    const after = { ...before, ...expected };
    // The flag and the policy `disabled` are one fact.
    if (expected.DeviceDisabled) after.Policies = [...before.Policies, "disabled"];
    if (expected.DeviceDisabled === false) {
      after.Policies = before.Policies.filter((policy: string) => policy !== "disabled");
    }
    assert.deepEqual(answer, after, JSON.stringify(sent));
  }
});

Deno.test("a whole device comes back with times and fields that nobody sets", async () => {
  await using router = await testRouter();
  const path = `/device?identity=${TABLET}`;
  const shown = await add(router, path, { Name: "tablet", Policies: ["dns"] });
  const answer = await add(router, path, {
    ...shown,
    Name: "renamed",
    DHCPFirstTime: "2024-01-01 00:00:00 +0000 UTC m=+1.000000001",
    DHCPLastTime: "",
    oui: "a vendor",
    isConnected: true,
    Type: "",
  });
  assert.deepEqual(answer, { ...shown, Name: "renamed" });
});

Deno.test("a VPN peer is edited by its key, with its signs written out or not", async () => {
  await using router = await testRouter();
  const key = "ab+jJYyUhGhGQMQLBPFjYSbE0Y0/1mxjPmJkVOLrRVE=";
  for (const [index, identity] of [key, encodeURIComponent(key)].entries()) {
    const answer = await add(router, `/device?identity=${identity}`, {
      MAC: "",
      Name: `phone ${index}`,
      WGPubKey: key,
    });
    assert.deepEqual([answer.WGPubKey, answer.MAC], [key, ""]);
  }
  assert.deepEqual(Object.keys(router.engine.config.devices), [key]);
});

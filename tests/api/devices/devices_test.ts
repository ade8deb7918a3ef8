import assert from "node:assert/strict";
import fc from "fast-check";
import { devicesRoutes } from "../../../routes/devices.ts";
import type { Config } from "../../../system/config.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { devicesDocument } from "../../../system/devices/document.ts";
import { canonicalIdentity } from "../../../system/devices/identity.ts";
import { Device } from "../../../system/devices/schema.ts";
import { DeviceUpdate } from "../../../system/devices/wire.ts";
import { configWith, device, KEY, mac } from "../../kit/builders/device_config.ts";
import { type CallApp, plainApp } from "../../kit/plain_app.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

function start(parts: Partial<Config> = {}): { engine: PlainEngine; call: CallApp } {
  const engine = new PlainEngine(configWith(parts));
  const routes = devicesRoutes({
    tagKey: crypto.getRandomValues(new Uint8Array(32)),
    engine,
    bus: new Bus(() => NOW),
    now: () => NOW,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
  return { engine, call: plainApp(engine, routes) };
}

const TABLET = mac(1);
const QUERY = `/device?identity=${encodeURIComponent(TABLET)}`;

function withTablet(fields: Parameters<typeof device>[1] = {}) {
  return start({
    devices: {
      [TABLET]: device(TABLET, {
        Name: "tablet",
        Policies: ["wan", "dns"],
        PSKEntry: { Type: "sae", Psk: "correct horse" },
        ...fields,
      }),
    },
  });
}

Deno.test("PUT /device creates a device and its groups and answers it with the password masked", async () => {
  const { engine, call } = start();
  const answer = await call("PUT", "/device?identity=02-00-00-00-00-01", {
    name: "tablet",
    groups: ["Kids", " "],
    policies: ["WAN", "dns"],
    pskentry: { type: "wpa", psk: "correct horse" },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.json.MAC, TABLET);
  assert.deepEqual(answer.json.Policies, ["wan", "dns"]);
  assert.deepEqual(answer.json.PSKEntry, { Type: "wpa", Psk: "**" });
  assert.equal(answer.headers.get("device-identity"), TABLET);
  assert.deepEqual(engine.config.groups.map(({ Name }) => Name), ["kids"]);
  assert.equal(engine.config.devices[TABLET]!.PSKEntry.Psk, "correct horse");
});

Deno.test("PUT /device makes a password when only its kind is sent and shows it once", async () => {
  const { call } = start();
  const made = await call("PUT", QUERY, { PSKEntry: { Type: "sae" } });
  assert.match(made.json.PSKEntry.Psk, /^[A-HJKMNP-Za-hjkmnp-z2-9=#%+*-]{16}$/);
  const again = await call("PUT", QUERY, { PSKEntry: { Type: "sae" } });
  assert.equal(again.json.PSKEntry.Psk, "**");
  assert.equal(again.headers.get("change-id"), null);
});

Deno.test("every spelling of a MAC is one device, in the query and in the path", async () => {
  const { engine, call } = start();
  const spellings = ["02:00:00:00:0A:01", "02-00-00-00-0a-01", "0200.0000.0a01", "020000000A01"];
  for (const [index, spelling] of spellings.entries()) {
    const { status } = await call("PUT", `/device?identity=${spelling}`, { Name: `n${index}` });
    assert.equal(status, 200, spelling);
    assert.equal((await call("GET", `/device/${spelling}`)).json.Name, `n${index}`);
  }
  assert.deepEqual(Object.keys(engine.config.devices), ["02:00:00:00:0a:01"]);
});

Deno.test("a WireGuard key with slash and plus names a device in both forms, also unencoded", async () => {
  const key = "ab+jJYyUhGhGQMQLBPFjYSbE0Y0/1mxjPmJkVOLrRVE=";
  const { engine, call } = start();
  assert.equal((await call("PUT", `/device?identity=${key}`, { Name: "phone" })).status, 200);
  assert.equal((await call("GET", `/device/${encodeURIComponent(key)}`)).json.Name, "phone");
  assert.equal(engine.config.devices[key]!.WGPubKey, key);
});

Deno.test("PUT /device without DeviceDisabled never lets a disabled device in", async () => {
  const { engine, call } = withTablet({ DeviceDisabled: true, Policies: ["wan", "disabled"] });
  await call("PUT", QUERY, { Name: "renamed" });
  assert.equal(engine.config.devices[TABLET]!.DeviceDisabled, true);
  await call("PUT", QUERY, { Policies: ["dns"] });
  assert.deepEqual(engine.config.devices[TABLET]!.Policies, ["dns", "disabled"]);
  await call("PUT", QUERY, { DeviceDisabled: false });
  assert.equal(engine.config.devices[TABLET]!.DeviceDisabled, false);
  assert.deepEqual(engine.config.devices[TABLET]!.Policies, ["dns"]);
  await call("PUT", QUERY, { Policies: ["dns", "disabled"] });
  assert.equal(engine.config.devices[TABLET]!.DeviceDisabled, true);
});

Deno.test("PUT /device: null leaves, empty clears", async () => {
  const { engine, call } = withTablet({ Groups: ["kids"], VLANTag: "7", DNSCustom: "9.9.9.9" });
  await call("PUT", QUERY, { Name: null, Groups: null, VLANTag: null });
  assert.equal(engine.kinds.length, 0);
  await call("PUT", QUERY, { Name: "", Groups: [], VLANTag: "0", DNSCustom: "" });
  const { Name, Groups, VLANTag, DNSCustom } = engine.config.devices[TABLET]!;
  assert.deepEqual([Name, Groups, VLANTag, DNSCustom], ["", [], "", ""]);
});

Deno.test("PUT /device takes back what GET /devices gave without changing anything", async () => {
  const { engine, call } = withTablet({ RecentIP: "192.168.2.2", DeviceExpiration: 2_000_000_000 });
  const shown = (await call("GET", "/devices")).json[TABLET];
  const answer = await call("PUT", QUERY, shown);
  assert.equal(answer.status, 200);
  assert.deepEqual(engine.kinds, []);
});

const BAD: ReadonlyArray<readonly [string, unknown, string]> = [
  ["a name with NUL", { Name: "a\0b" }, "/Name"],
  ["a name of 10 kB", { Name: "x".repeat(10_000) }, "/Name"],
  ["a name that is a number", { Name: 7 }, "/Name"],
  ["a VLAN tag beyond 4094", { VLANTag: "4095" }, "/VLANTag"],
  ["a VLAN tag that is a number", { VLANTag: 7 }, "/VLANTag"],
  ["a password of 7", { PSKEntry: { Psk: "1234567" } }, "/PSKEntry/Psk"],
  ["a password of 65", { PSKEntry: { Psk: "x".repeat(65) } }, "/PSKEntry/Psk"],
  ["a password with a line break", { PSKEntry: { Psk: "correct\nhorse" } }, "/PSKEntry/Psk"],
  ["a password with a bar", { PSKEntry: { Psk: "correct|horse" } }, "/PSKEntry/Psk"],
  ["a password beyond ASCII", { PSKEntry: { Psk: "pässwörter" } }, "/PSKEntry/Psk"],
  ["an unknown kind of password", { PSKEntry: { Type: "wep" } }, "/PSKEntry/Type"],
  ["an unknown policy", { Policies: ["wan", "everything"] }, "/Policies/1"],
  ["policies that are no list", { Policies: "wan" }, "/Policies"],
  ["a group named as a policy", { Groups: ["kids", "WAN"] }, "/Groups/1"],
  ["a tag named as a policy", { DeviceTags: ["Lan_Upstream"] }, "/DeviceTags/0"],
  ["a group name with a line break", { Groups: ["a\nb"] }, "/Groups/0"],
  ["an address with a zone", { DNSCustom: "fe80::1%eth0" }, "/DNSCustom"],
  ["an IPv4 address in IPv6 clothes", { DNSCustom: "::ffff:192.0.2.1" }, "/DNSCustom"],
  ["an IPv6 address where IPv4 is due", { RecentIP: "::ffff:192.168.2.2" }, "/RecentIP"],
  ["the router's own address", { RecentIP: "192.168.2.1" }, "/RecentIP"],
  ["an address outside the pools", { RecentIP: "192.168.3.2" }, "/RecentIP"],
  ["an icon with signs", { Style: { Icon: "a[b" } }, "/Style/Icon"],
  ["a key that is none", { WGPubKey: "abc" }, "/WGPubKey"],
  ["another MAC for a new device", { MAC: mac(9) }, "/MAC"],
  ["a flag that is text", { DeviceDisabled: "yes" }, "/DeviceDisabled"],
  ["a time before never", { DeviceExpiration: -2 }, "/DeviceExpiration"],
];

for (const [what, body, at] of BAD) {
  Deno.test(`PUT /device refuses ${what} and changes nothing`, async () => {
    const { engine, call } = start();
    const answer = await call("PUT", QUERY, body);
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer), [at]);
    assert.deepEqual(engine.config.devices, {});
  });
}

Deno.test("names that name no device are 400, unknown devices 404", async () => {
  const { call } = start();
  for (const bad of ["", "abc", "01:00:5e:00:00:01", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"]) {
    for (const method of ["GET", "DELETE"]) {
      assert.equal((await call(method, `/device?identity=${bad}`)).status, 400, bad);
    }
    assert.equal((await call("PUT", `/device?identity=${bad}`, {})).status, 400, bad);
  }
  for (const method of ["GET", "HEAD", "DELETE"]) {
    assert.equal((await call(method, QUERY)).status, 404);
  }
});

Deno.test("a name with markup is kept as text", async () => {
  const { call } = start();
  const name = "<img src=x onerror=alert(1)>";
  assert.equal((await call("PUT", QUERY, { Name: name })).json.Name, name);
});

Deno.test("PUT /device refuses an address and a key that another device has", async () => {
  const { call } = start({
    devices: { [mac(2)]: device(mac(2), { RecentIP: "192.168.2.2", WGPubKey: KEY }) },
  });
  assert.equal((await call("PUT", QUERY, { RecentIP: "192.168.2.2" })).status, 409);
  assert.equal((await call("PUT", QUERY, { WGPubKey: KEY })).status, 409);
  assert.equal((await call("PUT", QUERY, { RecentIP: "192.168.2.6" })).status, 200);
});

Deno.test("several devices to come wait at once, each with its own password", async () => {
  const { engine, call } = start();
  assert.equal((await call("GET", "/pendingPSK")).json, false);
  for (const identity of ["pending", "pending-2"]) {
    const answer = await call("PUT", `/device?identity=${identity}`, { Name: `for ${identity}` });
    assert.notEqual(answer.json.PSKEntry.Psk, "**");
    assert.equal(answer.json.MAC, identity);
    assert.equal(answer.headers.get("device-identity"), identity);
  }
  const passwords = Object.values(engine.config.devices).map(({ PSKEntry }) => PSKEntry.Psk);
  assert.equal(new Set(passwords).size, 2);
  assert.equal((await call("GET", "/pendingPSK")).json, true);
});

Deno.test("If-None-Match creates a device and never replaces one", async () => {
  const { engine, call } = start();
  const create = (Name: string) =>
    call("PUT", "/device?identity=pending", { Name }, { "if-none-match": "*" });
  assert.equal((await create("one")).status, 200);
  assert.equal((await create("two")).status, 412);
  assert.equal(engine.config.devices["pending"]!.Name, "one");
  const odd = await call("PUT", "/device?identity=pending", {}, { "if-none-match": '"tag"' });
  assert.equal(odd.status, 400);
});

Deno.test("no more passwords wait for a device than may", async () => {
  const waiting = Array.from({ length: 64 }, (_, n) => n === 0 ? "pending" : `pending-${n + 1}`);
  const { call } = start({
    devices: Object.fromEntries(waiting.map((identity) => [identity, device(identity)])),
  });
  assert.equal((await call("PUT", "/device?identity=pending-65", {})).status, 409);
  assert.equal((await call("PUT", "/device?identity=pending-64", { Name: "x" })).status, 200);
});

Deno.test("copy= fills what is left out or empty", async () => {
  const { engine, call } = withTablet({ Groups: ["kids"], DeviceTags: ["toy"] });
  const answer = await call("PUT", `/device?identity=${mac(2)}&copy=${TABLET}`, {
    Name: "second",
    Policies: ["dns"],
  });
  assert.equal(answer.status, 200);
  const { PSKEntry, Groups, DeviceTags, Policies } = engine.config.devices[mac(2)]!;
  assert.equal(PSKEntry.Psk, "correct horse");
  assert.deepEqual([Groups, DeviceTags, Policies], [["kids"], ["toy"], ["dns"]]);
  assert.equal((await call("PUT", `${QUERY}&copy=${mac(9)}`, {})).status, 400);
  const blank = { PSKEntry: { Type: "", Psk: "" }, Groups: [], DeviceTags: [], Policies: [] };
  await call("PUT", `/device?identity=${mac(3)}&copy=${TABLET}`, blank);
  const third = engine.config.devices[mac(3)]!;
  assert.deepEqual(third.PSKEntry, { Type: "sae", Psk: "correct horse" });
  assert.deepEqual([third.Groups, third.DeviceTags, third.Policies], [["kids"], ["toy"], [
    "wan",
    "dns",
  ]]);
});

Deno.test("GET /device shows the password and what was seen; HEAD gives the same tag", async () => {
  const { engine, call } = withTablet();
  await engine.observe(() => ({
    devices: { [TABLET]: { firstSeen: 1000, lastSeen: 2500, link: "lan0", online: true } },
  }));
  const shown = await call("GET", QUERY);
  assert.equal(shown.json.PSKEntry.Psk, "correct horse");
  assert.equal(shown.json.DHCPFirstTime, "1970-01-01 00:00:01.000 +0000 UTC");
  assert.equal(shown.json.DHCPLastTime, "1970-01-01 00:00:02.500 +0000 UTC");
  assert.equal(shown.json.DHCPLastInterface, "lan0");
  const head = await call("HEAD", `/device/${TABLET}`);
  assert.equal(head.text, "");
  assert.equal(head.headers.get("etag"), shown.headers.get("etag"));
});

Deno.test("If-Match on a device is held against that device alone", async () => {
  const { engine, call } = withTablet();
  const tag = (await call("HEAD", QUERY)).headers.get("etag")!;
  await call("PUT", `/device?identity=${mac(2)}`, { Name: "other" });
  const first = await call("PUT", QUERY, { Name: "mine" }, { "if-match": tag });
  assert.equal(first.status, 200);
  const lost = await call("PUT", QUERY, { Name: "theirs" }, { "if-match": tag });
  assert.equal(lost.status, 412);
  assert.equal(lost.headers.get("etag"), first.headers.get("etag"));
  assert.equal(engine.config.devices[TABLET]!.Name, "mine");
  assert.equal((await call("DELETE", QUERY, undefined, { "if-match": tag })).status, 412);
  const gone = await call("DELETE", QUERY, {}, { "if-match": first.headers.get("etag")! });
  assert.equal(gone.status, 200);
  assert.equal(gone.headers.get("content-type"), null);
});

Deno.test("a device's tag does not give its password away to who guesses it", async () => {
  const one = await withTablet().call("HEAD", QUERY);
  const two = await withTablet().call("HEAD", QUERY);
  assert.notEqual(one.headers.get("etag"), two.headers.get("etag"));
});

Deno.test("DeviceExpiration counts from now, takes unix time, and -1 clears", async () => {
  const { engine, call } = withTablet();
  const expires = () => engine.config.devices[TABLET]!.DeviceExpiration;
  await call("PUT", QUERY, { DeviceExpiration: 3600 });
  assert.equal(expires(), NOW / 1000 + 3600);
  await call("PUT", QUERY, { DeviceExpiration: 0, Name: "x" });
  assert.equal(expires(), NOW / 1000 + 3600);
  await call("PUT", QUERY, { DeviceExpiration: 2_000_000_000 });
  assert.equal(expires(), 2_000_000_000);
  await call("PUT", QUERY, { DeviceExpiration: -1 });
  assert.equal(expires(), 0);
});

Deno.test("PUT /devices replaces all devices whole", async () => {
  const { engine, call } = withTablet({ RecentIP: "10.9.9.2" });
  const sent = (await call("GET", "/devices")).json;
  sent[mac(2).toUpperCase()] = { Name: "new", Groups: ["fresh"] };
  const answer = await call("PUT", "/devices", sent);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.text, "");
  assert.equal(engine.config.devices[TABLET]!.PSKEntry.Psk, "correct horse");
  assert.equal(engine.config.devices[mac(2)]!.Name, "new");
  assert.deepEqual(engine.config.groups.map(({ Name }) => Name), ["fresh"]);
});

Deno.test("PUT /devices refuses nothing, less than half, and any faulty device", async () => {
  const devices = Object.fromEntries([1, 2, 3].map((n) => [mac(n), device(mac(n))]));
  const { engine, call } = start({ devices });
  const refused: ReadonlyArray<readonly [unknown, number]> = [
    [{}, 409],
    [{ [mac(1)]: {} }, 409],
    [{ ...devices, nonsense: {} }, 400],
    [{ ...devices, [mac(1)]: { Name: 5 } }, 400],
    [{ ...devices, [mac(1).replaceAll(":", "-")]: {} }, 400],
    [{ ...devices, [mac(1)]: { PSKEntry: { Type: "sae", Psk: "**" } } }, 400],
    [{ ...devices, [mac(1)]: { RecentIP: "10.0.0.2" } }, 400],
    [
      { ...devices, [mac(1)]: { RecentIP: "192.168.2.2" }, [mac(2)]: { RecentIP: "192.168.2.2" } },
      400,
    ],
    [[], 400],
  ];
  for (const [body, status] of refused) {
    assert.equal((await call("PUT", "/devices", body)).status, status, JSON.stringify(body));
  }
  assert.equal(engine.config.devices, devices);
  assert.equal((await call("PUT", "/devices?force=true", { [mac(1)]: {} })).status, 200);
  assert.deepEqual(Object.keys(engine.config.devices), [mac(1)]);
});

Deno.test("DELETE /devices skips unknown devices and counts the others once", async () => {
  const { call } = withTablet();
  const body = [TABLET.toUpperCase(), TABLET, mac(7)];
  assert.deepEqual((await call("DELETE", "/devices", body)).json, { deleted: [TABLET], count: 1 });
  assert.deepEqual((await call("DELETE", "/devices", body)).json, { deleted: [], count: 0 });
  assert.equal((await call("DELETE", "/devices", [])).status, 400);
  assert.equal((await call("DELETE", "/devices", ["x"])).json.errors[0].pointer, "/0");
});

Deno.test("PUT /devices/bulk adds and reports what changed", async () => {
  const { engine, call } = withTablet();
  const body = { Identities: [TABLET, mac(7)], Groups: ["Kids"], Policies: ["lan"], Tags: ["toy"] };
  const expected = { updated: [TABLET], count: 1 };
  assert.deepEqual((await call("PUT", "/devices/bulk", body)).json, expected);
  assert.deepEqual(engine.config.devices[TABLET]!.Policies, ["wan", "dns", "lan"]);
  assert.deepEqual((await call("PUT", "/devices/bulk", body)).json, { updated: [], count: 0 });
  for (
    const bad of [
      { Identities: [], Groups: ["a"] },
      { Identities: [TABLET] },
      { Identities: [TABLET], Policies: ["disabled"] },
      { Identities: [TABLET], Groups: ["lan"] },
      { Groups: ["a"] },
    ]
  ) {
    assert.equal((await call("PUT", "/devices/bulk", bad)).status, 400, JSON.stringify(bad));
  }
});

Deno.test("GET /devices carries the document's tag and masks every password", async () => {
  const { engine, call } = withTablet();
  const answer = await call("GET", "/devices");
  assert.equal(answer.headers.get("etag"), engine.etag("devices"));
  assert.equal(answer.text.includes("correct horse"), false);
  assert.equal((await call("PUT", "/reloadPSKFiles")).headers.get("content-length"), "0");
});

Deno.test("whatever is sent, the answer is a decision or a refusal, and devices stay valid", async () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("", "0", "**", "wan", "disabled", "kids", "192.168.2.2", "7", "correct horse"),
  );
  const value = fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null), fc.array(text));
  const sent = fc.dictionary(
    fc.constantFrom(...Object.keys(DeviceUpdate.shape), "name", "Nonsense"),
    fc.oneof(value, fc.dictionary(fc.constantFrom("Type", "Psk", "Icon", "Color"), value)),
  );
  const named = fc.oneof(fc.constantFrom(TABLET, mac(2), KEY, "pending", "pending-2"), fc.string());
  const { engine, call } = withTablet();
  await fc.assert(
    fc.asyncProperty(named, sent, async (identity, body) => {
      const answer = await call("PUT", `/device?identity=${encodeURIComponent(identity)}`, body);
      assert.ok([200, 400, 404, 409].includes(answer.status), answer.text);
      if (answer.status === 200) return;
      assert.ok(answer.json.detail.length > 0);
    }),
    { numRuns: 400 },
  );
  for (const [identity, entry] of Object.entries(engine.config.devices)) {
    assert.equal(canonicalIdentity(identity), identity);
    assert.deepEqual(Device.parse(entry), entry);
  }
  const { value: read, rejected } = devicesDocument.read(
    JSON.parse(JSON.stringify(devicesDocument.write!(engine.config.devices))),
  );
  assert.deepEqual(read, engine.config.devices);
  assert.deepEqual(rejected, []);
});

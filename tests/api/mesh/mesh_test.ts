import assert from "node:assert/strict";
import { certificateHash } from "../../../system/mesh/certificate_hash.ts";
import { makeCaCertificate, makeCertificate } from "../../../system/certificates/x509.ts";
import { validFor } from "../../../system/certificates/rules.ts";
import { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import { type MeshRouter, meshRouter } from "../../kit/mesh/mesh_bed.ts";
import { testRouter } from "../../kit/router.ts";
import {
  addDevice,
  join,
  PATH,
  PSK,
  put,
  refused,
  stands,
  status,
} from "../../kit/mesh/joining.ts";

Deno.test("a router without a mesh says so, and offers no certificate to anybody", async () => {
  await using router = await testRouter();
  assert.deepEqual(await status(router), {
    ...{ Role: "off", TLS: false, Fingerprint: "", HasLeafToken: false, ParentIP: "" },
    ...{ SyncedAt: 0, SyncedDevices: 0, Leaves: [] },
  });
  assert.deepEqual(await router.json("GET", `${PATH}/config`), {
    ...{ LeafMode: false, ParentIP: "", ParentAPIToken: "", ParentCA: "", LeafRouters: [] },
    ParentCredentials: {
      ...{ ParentIP: "", ParentAPIToken: "", ParentCA: "", Link: null },
      ...{ PublicKey: "", PeerKey: "" },
    },
    Networks: ["192.168.2.0/24"],
  });
  assert.equal(await router.json("GET", `${PATH}/leafMode`), false);
  await refused(await router.ask("GET", "/mesh/cert", { as: null }), 404, /no mesh/);
  await refused(await router.ask("PUT", `${PATH}/leafToken`), 403, /Invalid JWT/);
  const certificate = { IP: "192.168.2.6", APIToken: "t", TLSCA: "-----BEGIN" };
  await refused(
    await router.ask("PUT", `${PATH}/leafRouter`, { body: certificate }),
    400,
    /TLSCA empty/,
  );
});

Deno.test("a leaf joins: its own devices are shown, then those of the parent take their place", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await addDevice(leaf.router, 7, "Old tablet");
  await refused(await put(parent, leaf, "another-token"), 502, /offers no certificate/);
  const token = await leaf.leafToken();
  const open = await leaf.router.ask("GET", "/mesh/cert", { as: null });
  const certificate = new Uint8Array(await open.arrayBuffer());
  assert.equal(open.headers.get("content-type"), "application/x-x509-ca-cert");
  assert.equal(open.headers.get("X-SVC-Mesh-TLS-Hash"), certificateHash(certificate, token));

  const probe = await parent.router.json<{ Fingerprint: string; Lost: unknown[] }>(
    "PUT",
    `${PATH}/probe`,
    { body: { IP: leaf.address, APIToken: token } },
  );
  assert.deepEqual(probe.Lost, [{ Identity: mac(7), Name: "Old tablet" }]);
  assert.equal(
    probe.Fingerprint,
    (await status(leaf.router)).Fingerprint,
    "the same on both sides",
  );
  await refused(await put(parent, leaf, token), 409, /1 devices of its own/);
  assert.deepEqual(Object.keys(leaf.router.engine.config.devices), [mac(7)]);

  const preview = await put(parent, leaf, token, "?force=true&dryRun=true");
  const shown = await preview.text();
  assert.equal(preview.status, 200, shown);
  assert.doesNotMatch(shown, new RegExp(token));
  assert.equal((await status(parent.router)).Role, "off", "a preview moves nothing");

  const before = leaf.router.engine.config.devices;
  const added = await put(parent, leaf, token, "?force=true");
  assert.deepEqual([added.status, await added.text()], [200, ""]);
  const state = await stands(parent, leaf, "synced");
  assert.deepEqual([state.Devices, state.Relation, state.Fingerprint], [
    1,
    "same",
    probe.Fingerprint,
  ]);
  assert.equal(await leaf.router.json("GET", `${PATH}/leafMode`), true);
  const { devices, groups } = leaf.router.engine.config;
  assert.deepEqual(Object.keys(devices), [mac(1)]);
  assert.equal(devices[mac(1)]!.PSKEntry.Psk, "password1234");
  assert.ok(groups.some(({ Name }) => Name === "kids"));

  // One change in the history of the leaf, which undo takes back.
  const { items } = await leaf.router.json<{ items: { id: string; kind: string }[] }>(
    "GET",
    "/changes",
  );
  const syncs = items.filter(({ kind }) => kind === "mesh.sync");
  assert.equal(syncs.length, 1);
  await leaf.router.json("PUT", `/plugins/mesh/leafMode/disable`).catch(() => {});
  const undone = await leaf.router.ask("PUT", `/changes/${syncs[0]!.id}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  assert.deepEqual(
    Object.keys(leaf.router.engine.config.devices),
    Object.keys(before),
  );
  const config = await (await parent.router.ask("GET", `${PATH}/config`)).text();
  assert.doesNotMatch(config, new RegExp(token));
  assert.match(config, /"APIToken":"\*\*"/);
});

Deno.test("changes of devices reach every leaf, and a leaf that was away afterwards", async () => {
  await using parent = await meshRouter(1);
  await using one = await meshRouter(2);
  await using two = await meshRouter(3);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, one);
  await join(parent, two);
  const has = (leaf: MeshRouter, ...numbers: number[]) =>
    eventually("the leaf has the devices", () => {
      const have = Object.keys(leaf.router.engine.config.devices);
      assert.deepEqual(have, numbers.map(mac));
    });
  await addDevice(parent.router, 2, "Laptop");
  await has(one, 1, 2);
  await has(two, 1, 2);
  await two.cut();
  await addDevice(parent.router, 3, "Watch");
  await has(one, 1, 2, 3);
  await stands(parent, two, "unreachable");
  await parent.router.json("DELETE", `/device?identity=${mac(1)}`).catch(() => {});
  two.heal();
  await stands(parent, two, "synced");
  await has(two, 2, 3);
  // A process that was killed in the middle knows nothing, and sends it all again: no change.
  const changes = async () =>
    (await two.router.json<{ items: { summary: string }[] }>("GET", "/changes")).items
      .map(({ summary }) => summary);
  const before = await changes();
  await parent.restartMesh();
  const sent = two.requests.filter((one) => one === "PUT /devices").length;
  await parent.router.ask("PUT", "/hostapd/syncMesh");
  await eventually("the devices are sent again", () => {
    assert.ok(two.requests.filter((one) => one === "PUT /devices").length > sent);
  });
  await stands(parent, two, "synced");
  assert.deepEqual(await changes(), before);
});

Deno.test("the map of anybody but the parent keeps the guard, and an empty one is refused", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  for (const n of [1, 2, 3, 4]) await addDevice(parent.router, n, `Device ${n}`);
  const token = await join(parent, leaf);
  const bearer = `Bearer ${token}`;
  const send = (body: unknown, as: string, query = "") =>
    leaf.router.ask("PUT", `/devices${query}`, { body, as });
  const few = { [mac(1)]: { Name: "Device 1", PSKEntry: PSK } };
  await refused(await leaf.router.ask("PUT", "/devices", { body: few }), 409, /Only 1 of/);
  await refused(await send({}, bearer), 409, /no device at all/);
  await refused(await send({}, bearer, "?force=true"), 409, /no device at all/);
  await refused(await send(few, bearer, "?count=4"), 400, /announced 4/);
  assert.equal(Object.keys(leaf.router.engine.config.devices).length, 4);
  const taken = await send(few, bearer, "?count=1");
  assert.deepEqual([taken.status, await taken.text()], [200, ""]);
  assert.deepEqual(Object.keys(leaf.router.engine.config.devices), [mac(1)]);
  // The token opens what a parent needs, and nothing more.
  for (const path of ["/tokens", "/firewall/config", "/backup"]) {
    assert.equal((await leaf.router.ask("GET", path, { as: bearer })).status, 403, path);
  }
});

Deno.test("a router that shows another certificate is sent nothing", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const trusted = parent.router.engine.config.mesh.LeafRouters[0]!.TLSCA;
  // Somebody in between, with a certificate of their own, who hands on what the leaf says.
  const authority = await makeCaCertificate("Sluice leaf", validFor(30, Date.now()));
  const theirs = await makeCertificate(authority, {
    ...{ dns: ["leaf.lan"], ip: [leaf.address], validity: validFor(30, Date.now()) },
  });
  await leaf.cut();
  leaf.heal(theirs);
  const seen = leaf.requests.length;
  await addDevice(parent.router, 2, "Laptop");
  const { Problem } = await stands(parent, leaf, "untrusted");
  assert.match(Problem, /certificate/);
  // The genuine certificate with its genuine hash came through, and did not help them.
  const since = leaf.requests.slice(seen);
  assert.ok(since.includes("GET /mesh/cert"));
  assert.deepEqual(since.filter((request) => request !== "GET /mesh/cert"), []);
  assert.equal(parent.router.engine.config.mesh.LeafRouters[0]!.TLSCA, trusted);
  const notices = await (await parent.router.ask("GET", "/notices")).text();
  assert.match(notices, /mesh-leaf/);
});

Deno.test("stations of a leaf move to the interface that leads to it", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  await using own = await new FakeWifid().listen(parent.router.home);
  await using others = await new FakeWifid().listen(leaf.router.home);
  const at = () => parent.router.engine.observed.devices[mac(1)];
  const local = { Iface: "wlan0.5", Event: "connect", Mac: mac(1) };
  await parent.router.json("PUT", "/reportPSKAuthSuccess", { body: local });
  assert.equal(at()?.link, "wlan0.5");
  // It roams: the leaf's own radio has it, and the process mesh tells the parent.
  await leaf.router.inside("wifi", "PUT", "/reportPSKAuthSuccess", {
    ...{ Iface: "wlan0.9", Event: "AP-STA-CONNECTED", MAC: mac(1) },
  });
  await eventually("the parent knows", () => assert.equal(at()?.link, "mesh-leaf1"));
  await eventually(
    "its own access points forget it",
    () => assert.deepEqual(own.requests, [`forget ${mac(1)} 0`]),
  );
  // They report it once more where they did not, as after a start of wifid: it joined them before.
  await parent.router.json("PUT", "/reportPSKAuthSuccess", { body: { ...local, Seconds: 900 } });
  assert.equal(at()?.link, "mesh-leaf1");
  await eventually("they get the request again", () => assert.equal(own.requests.length, 2));
  // The access point that it left says so late.
  await parent.router.json("PUT", "/reportDisconnect", {
    body: { Iface: "wlan0.5", Event: "disconnect", Mac: mac(1) },
  });
  assert.deepEqual([at()?.link, at()?.online], ["mesh-leaf1", true]);
  await leaf.router.inside("wifi", "PUT", "/reportDisconnect", {
    ...{ Iface: "wlan0.9", Event: "AP-STA-DISCONNECTED", MAC: mac(1) },
  });
  await eventually("the parent knows", () => assert.equal(at()?.online, false));
  for (const name of ["stationConnect", "stationDisconnect"]) {
    const Event = name === "stationConnect" ? "connect" : "disconnect";
    const body = { Iface: "wlan0.3", Event, Mac: mac(1), Router: leaf.address };
    await parent.router.json("PUT", `${PATH}/${name}`, { body });
    assert.equal(at()?.online, Event === "connect");
  }
  await eventually("its own get that request", () => assert.equal(own.requests.length, 3));
  // It comes back, and its leaf router forgets it, which reports it for longer than that.
  await parent.router.json("PUT", "/reportPSKAuthSuccess", { body: local });
  assert.equal(at()?.link, "wlan0.5");
  await eventually(
    "the leaf router forgets it",
    () => assert.deepEqual(others.requests, [`forget ${mac(1)} 0`]),
  );
  await leaf.router.inside("wifi", "PUT", "/reportPSKAuthSuccess", {
    ...{ Iface: "wlan0.9", Event: "AP-STA-CONNECTED", MAC: mac(1), Seconds: 900 },
  });
  await eventually(
    "the leaf router gets the request again",
    () => assert.equal(others.requests.length, 2),
  );
  assert.equal(at()?.link, "wlan0.5");
  assert.equal(own.requests.length, 3, "no access point of the parent forgets it");
  // A rule of the parent singles out what happens at the leaf.
  await parent.router.json("PUT", "/alerts", {
    body: {
      ...{ Name: "wrong passwords at the leaf", TopicPrefix: "wifi:auth:fail" },
      Conditions: [{ JPath: `$[?(@.Router=="${leaf.address}")]` }],
      Actions: [{ StoreAlert: true, StoreTopicSuffix: "leaf" }],
    },
  });
  const alerts: string[] = [];
  parent.router.bus.subscribe(({ topic }) => alerts.push(topic), ["alert:"]);
  const wrong = { Iface: "wlan0.9", Type: "sae", MAC: mac(1), Reason: "mismatch" };
  await leaf.router.inside("wifi", "PUT", "/reportPSKAuthFailure", wrong);
  await eventually("the alert is stored", () => {
    assert.ok(alerts.includes("alert:wifi:auth:fail:leaf"), alerts.join());
  });
  const failure = { Type: "connection_failure", MAC: mac(1), Router: leaf.address };
  await parent.router.json("PUT", `${PATH}/stationConnectFailure`, { body: failure });
});

Deno.test("the SSID and one-time passwords of the parent reach its leaves", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await leaf.router.engine.change({
    kind: "test",
    summary: "A radio",
    reduce: (config) => [{
      ...config,
      radios: { wlan0: RadioSettings.parse({ ssid: "old" }) },
    }, undefined],
  }, { caller: { by: "test", from: null, connection: null } });
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const set = await parent.router.ask("PUT", `${PATH}/setSSID`, { body: "home" });
  assert.deepEqual([set.status, await set.text()], [200, ""]);
  assert.equal(leaf.router.engine.config.radios["wlan0"]?.ssid, "home");
  const before = leaf.router.access.otp.users()[0]!.Secret;
  const synced = await parent.router.ask("PUT", `${PATH}/syncOTP`);
  assert.deepEqual([synced.status, await synced.text()], [200, ""]);
  const [mine] = parent.router.access.otp.users(), [theirs] = leaf.router.access.otp.users();
  const after = theirs!.Secret;
  assert.notEqual(after, before);
  assert.equal(after, mine!.Secret);
  const forged = { Token: "somebody's", Settings: { OTPUsers: [mine], JWTDurationSeconds: 0 } };
  await refused(await leaf.router.ask("PUT", `${PATH}/syncOTP`, { body: forged }), 403, /Token/);
  await leaf.cut();
  await refused(await parent.router.ask("PUT", `${PATH}/syncOTP`), 502, /does not respond/);
});

Deno.test("a leaf router is removed, and its notices with it", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const body = { IP: leaf.address, APIToken: "**", TLSCA: "", status: "online", version: "v1" };
  const removed = await parent.router.ask("DELETE", `${PATH}/leafRouter`, { body });
  assert.equal(removed.status, 200, await removed.text());
  assert.deepEqual((await status(parent.router)).Leaves, []);
  await refused(await parent.router.ask("DELETE", `${PATH}/leafRouter`, { body }), 404, /No leaf/);
  await parent.restartMesh(); // What was on its way has arrived once nothing is connected any more.
  await leaf.cut().then(() => leaf.heal());
  const seen = [...leaf.requests];
  await addDevice(parent.router, 2, "Laptop");
  await parent.restartMesh();
  assert.deepEqual(leaf.requests, seen, "it is sent nothing any more");
});

Deno.test("the topology of the parent has its leaf routers", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await meshRouter(2);
  await addDevice(parent.router, 1, "Phone");
  await join(parent, leaf);
  const { Nodes, Edges } = await parent.router.json<
    { Nodes: { ID: string; Online: boolean }[]; Edges: { From: string; To: string }[] }
  >("GET", "/topology");
  const ID = `spr:${leaf.address}`;
  assert.equal(Nodes.find((node) => node.ID === ID)?.Online, true);
  assert.ok(Edges.some(({ From, To }) => From === ID && To === "iface:lan0"));
  const [topology] = await parent.router.json<{ LeafIP: string; Online: boolean }[]>(
    "GET",
    `${PATH}/leafTopologies`,
  );
  assert.deepEqual([topology?.LeafIP, topology?.Online], [leaf.address, true]);
  assert.deepEqual(await parent.router.json("GET", `${PATH}/allLeafStations`), {
    [leaf.address]: { LeafIP: leaf.address, Stations: {}, Error: null },
  });
});

import assert from "node:assert/strict";
import { LEAF_TOKEN_NAME } from "../../../system/mesh/rules.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { eventually } from "../../kit/eventually.ts";
import { existingPeer } from "../../kit/mesh/existing_peer.ts";
import { addDevice, PATH, PSK, refused, status } from "../../kit/mesh/joining.ts";
import { meshRouter } from "../../kit/mesh/mesh_bed.ts";

Deno.test("a router of the existing API becomes a leaf without a link, and its stations are reported", async () => {
  await using parent = await meshRouter(1);
  await using leaf = await existingPeer(8);
  await using stubborn = await existingPeer(9, false);
  await addDevice(parent.router, 1, "Phone");
  const ask = (path: string, body: unknown) =>
    parent.router.ask("PUT", `${PATH}/${path}`, { body });
  const body = { IP: leaf.address, APIToken: leaf.token };
  const probe = await (await ask("probe", body)).json();
  assert.deepEqual([probe.Plain, probe.Version, probe.LeafMode], [true, "1.1.0", false]);
  const encrypted = await ask("leafRouter", { ...body, Link: "wireguard" });
  await refused(encrypted, 409, /Send Link none: .* not encrypted/);
  const preview = await (await ask("leafRouter?dryRun=true", body)).text();
  assert.match(preview, /come to this network by the cable, not encrypted/);
  assert.deepEqual(leaf.requests.filter((one) => one.startsWith("PUT")), []);

  const added = await ask("leafRouter", { ...body, TLSCA: "" });
  assert.equal(added.status, 200, await added.text());
  const state = await eventually("it is in step, though it was busy", async () => {
    const [one] = (await status(parent.router)).Leaves;
    assert.equal(one?.Status, "synced", one?.Problem ?? "no leaf");
    return one!;
  });
  assert.deepEqual([state.Link, state.Plain, state.Relation], [null, true, "unknown"]);
  assert.deepEqual(leaf.requests.filter((one) => one.startsWith("refused")), []);
  assert.deepEqual(Object.keys(leaf.devices), [mac(1)]);
  assert.equal((leaf.devices[mac(1)]!["PSKEntry"] as typeof PSK).Psk, PSK.Psk);
  const ca = await (await parent.router.ask("GET", "/plugins/mesh/cert")).text();
  assert.equal(leaf.parent["ParentCA"], ca);

  // Its station is on the interface that leads to it, which is a LAN port.
  const report = {
    ...{ Iface: "wlan1.4097", Event: "AP-STA-CONNECTED", MAC: mac(1), Status: "" },
    Router: leaf.address,
  };
  const as = `Bearer ${leaf.parent["ParentAPIToken"]}`;
  const told = await parent.router.ask("PUT", "/reportPSKAuthSuccess", { as, body: report });
  assert.deepEqual(await told.json(), { ...report, Status: "Okay" });
  assert.equal(parent.router.engine.observed.devices[mac(1)]?.link, "lan0");

  // It roams. The leaf would take a report of that for a station of its own, and report it in turn.
  const own = { Iface: "wlan0.5", Event: "connect", Mac: mac(1) };
  await parent.router.json("PUT", "/reportPSKAuthSuccess", { body: own });
  assert.equal(parent.router.engine.observed.devices[mac(1)]?.link, "wlan0.5");

  // Further contacts send nothing again.
  const credentials = () => leaf.requests.filter((one) => /setParentCredentials/.test(one)).length;
  const before = credentials(), met = leaf.requests.length;
  await addDevice(parent.router, 2, "Laptop");
  await eventually("it has the other device", () => assert.ok(mac(2) in leaf.devices));
  assert.equal(credentials(), before, leaf.requests.slice(met).join());
  const named = await ask("setSSID", "home");
  assert.equal(named.status, 200, await named.text());
  assert.deepEqual(leaf.requests.filter((one) => /station/i.test(one)), []);
  assert.equal(parent.router.engine.observed.devices[mac(1)]?.link, "wlan0.5");
  const notices = await (await parent.router.ask("GET", "/notices")).text();
  assert.doesNotMatch(notices, /mesh-/);

  // What a router said when it did not join is what its state says.
  const refusing = { IP: stubborn.address, APIToken: stubborn.token };
  assert.equal((await ask("leafRouter", refusing)).status, 200);
  await eventually("the reason is shown", async () => {
    const [, one] = (await status(parent.router)).Leaves;
    assert.equal(one?.Status, "notLeaf");
    assert.match(one!.Problem, /refused: it responded 400/);
  });
});

Deno.test("a parent of the existing API takes this router as its leaf, and its reports", async () => {
  await using leaf = await meshRouter(2);
  await using parent = await existingPeer(8);
  // A client makes the token on the leaf, for everything, and works with it from the page of the parent.
  const made = await leaf.router.json<{ Token: string }>("PUT", "/tokens", {
    headers: leaf.otp,
    body: { Name: LEAF_TOKEN_NAME, Expire: 0, ScopedPaths: [] },
  });
  const ask = (method: string, path: string, body?: unknown) =>
    leaf.router.ask(method, path, {
      as: `Bearer ${made.Token}`,
      headers: { origin: `http://${parent.address}` },
      ...(body === undefined ? {} : { body }),
    });
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    return text;
  };
  assert.equal(JSON.parse(await done("GET", `${PATH}/leafMode`)), false);
  const credentials = {
    ...{ ParentIP: parent.address, ParentAPIToken: parent.token, ParentCA: parent.certificate },
  };
  assert.match(await done("PUT", `${PATH}/setParentCredentials`, credentials), /^(true)?$/);
  assert.match(await done("PUT", `${PATH}/leafMode/enable`), /^(true)?$/);
  assert.equal(JSON.parse(await done("GET", `${PATH}/leafMode`)), true);
  const config = JSON.parse(await done("GET", `${PATH}/config`));
  assert.deepEqual([config.ParentIP, config.LeafRouters], [parent.address, []]);
  assert.equal(config.ParentCredentials.Link, null);
  await done("PUT", "/devices", {
    [mac(1)]: {
      ...{ Name: "Phone", MAC: mac(1), WGPubKey: "", VLANTag: "", RecentIP: "192.168.2.102" },
      ...{ PSKEntry: { Type: "wpa2", Psk: PSK.Psk }, Policies: ["wan", "dns"], Groups: null },
      ...{ DeviceTags: null, DHCPFirstTime: "", DHCPLastTime: "", DNSCustom: "" },
      ...{ Style: { Icon: "", Color: "" }, DeviceExpiration: 0, DeleteExpiration: false },
      DeviceDisabled: false,
    },
    pending: { Name: "Next", MAC: "pending", PSKEntry: { Type: "sae", Psk: PSK.Psk } },
  });
  assert.deepEqual(Object.keys(leaf.router.engine.config.devices).sort(), [mac(1), "pending"]);
  const station = { Iface: "wlan0.9", MAC: mac(1) };
  const heard = async (path: string, body: object) => {
    const before = parent.reports.length;
    const taken = await leaf.router.inside("wifi", "PUT", path, { ...station, ...body });
    assert.equal(taken.status, 200, await taken.text());
    return await eventually("the parent has the report", () => {
      assert.equal(parent.reports.length, before + 1, parent.requests.join());
      return parent.reports.at(-1)!;
    });
  };
  const joined = await heard("/reportPSKAuthSuccess", { Event: "AP-STA-CONNECTED" });
  assert.match(String(joined["Router"]), /^127\.0\.0\.\d+$/);
  assert.equal(joined["MAC"], mac(1));
  await heard("/reportPSKAuthFailure", { Type: "sae", Reason: "mismatch" });
  await heard("/reportDisconnect", { Event: "AP-STA-DISCONNECTED" });
});

import assert from "node:assert/strict";
import { Topology } from "../../../system/topology/schema.ts";
import { FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import { testRouter, WIRED } from "../../kit/router.ts";

Deno.test("the topology is the same outside and on the access points' socket", async () => {
  await using router = await testRouter({ files: { "base/interfaces.json": [...WIRED] } });
  const outside = Topology.parse(await router.json("GET", "/topology"));
  const answer = await router.inside("wifi", "GET", "/topology");
  const inside = Topology.parse(await answer.json());
  assert.deepEqual({ ...inside, GeneratedAt: "" }, { ...outside, GeneratedAt: "" });
  assert.ok(outside.Nodes.some(({ Kind }) => Kind === "router"));
});

Deno.test("a new device is there in the next answer; radios without wifid have no state", async () => {
  await using router = await testRouter({ files: { "base/interfaces.json": [...WIRED] } });
  const id = "02:00:00:00:0b:07";
  await router.json("PUT", `/device?identity=${id}`, { body: { Name: "scanner", MAC: id } });
  const { Nodes, Edges } = Topology.parse(await router.json("GET", "/topology"));
  const node = Nodes.find(({ ID }) => ID === `dev:${id}`);
  assert.deepEqual([node?.Name, node?.Online, node?.ConnType], ["scanner", false, "offline"]);
  assert.ok(Nodes.every(({ Radio }) => Radio === undefined));
  const ids = new Set(Nodes.map(({ ID }) => ID));
  assert.ok(Edges.every(({ From, To }) => ids.has(From) && ids.has(To)));
});

Deno.test("stations are taken from wifid", async () => {
  const radio = { Name: "wlan0", Type: "AP", Enabled: true } as const;
  await using router = await testRouter({ files: { "base/interfaces.json": [...WIRED, radio] } });
  await using _wifid = await new FakeWifid().listen(router.home);
  const mac = "02:00:00:00:0a:01";
  await router.json("PUT", `/device?identity=${mac}`, { body: { Name: "phone", MAC: mac } });
  const { Nodes, Edges } = Topology.parse(await router.json("GET", "/topology"));
  const phone = Nodes.find(({ ID }) => ID === `dev:${mac}`);
  assert.deepEqual([phone?.ConnType, phone?.Online, phone?.Iface], ["wifi", true, "wlan0"]);
  assert.ok(Edges.some(({ From, To }) => From === `dev:${mac}` && To === "iface:wlan0"));
  assert.equal(Nodes.find(({ ID }) => ID === "iface:wlan0")?.SSID, "a=b");
});

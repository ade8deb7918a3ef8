import assert from "node:assert/strict";
import { dhcpRoutes } from "../../../routes/dhcp.ts";
import { groupsRoutes } from "../../../routes/devices/groups.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { type CallApp, plainApp } from "../../kit/plain_app.ts";
import { PlainEngine } from "../../kit/fakes/plain_engine.ts";

function start(): { engine: PlainEngine; call: CallApp } {
  const engine = new PlainEngine(configWith({
    devices: { [mac(1)]: device(mac(1), { Groups: ["kids", "toys"], RecentIP: "192.168.2.2" }) },
  }));
  return {
    engine,
    call: plainApp(engine, [
      ...groupsRoutes({ engine }),
      ...dhcpRoutes({
        engine,
        otherAddresses: () => [],
        foreign: { serve: () => Promise.resolve() },
        now: () => 0,
      }),
    ]),
  };
}

Deno.test("PUT /groups twice is one group", async () => {
  const { engine, call } = start();
  for (const Name of ["Kids", " kids "]) {
    const answer = await call("PUT", "/groups", { Name, GroupTags: ["Home"] });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, "");
    assert.equal(answer.headers.get("content-type"), null);
  }
  assert.deepEqual((await call("GET", "/groups")).json, [
    { Name: "kids", Disabled: false, GroupTags: ["home"], ServiceDestinations: [] },
  ]);
  assert.deepEqual(engine.kinds, ["group.update"]);
});

Deno.test("PUT /groups without destinations keeps those of a service group", async () => {
  const { engine, call } = start();
  await call("PUT", "/groups", { Name: "tv", ServiceDestinations: ["tv.example"] });
  await call("PUT", "/groups", { Name: "tv", Disabled: true });
  assert.deepEqual(engine.config.groups, [
    { Name: "tv", Disabled: true, GroupTags: [], ServiceDestinations: ["tv.example"] },
  ]);
});

Deno.test("a group has its name in capitals, members, and access that they get", async () => {
  const { engine, call } = start();
  const device = () => engine.config.devices[mac(1)]!;
  const Guests = { Name: "Guests", Title: "Guests", Isolated: true, Policies: ["wan", "dns"] };
  await call("PUT", "/groups", { ...Guests, Members: [mac(1)] });
  const group = engine.config.groups.find(({ Name }) => Name === "guests");
  assert.deepEqual(group, {
    Name: "guests",
    Disabled: false,
    GroupTags: [],
    ServiceDestinations: [],
    Title: "Guests",
    Isolated: true,
    Policies: ["wan", "dns"],
  });
  assert.deepEqual(device().Groups, ["kids", "toys", "guests"]);
  assert.deepEqual(device().Policies.toSorted(), ["dns", "wan"]);
  // What clients of old send changes none of that.
  await call("PUT", "/groups", { Name: "guests", Disabled: true });
  assert.deepEqual(engine.config.groups.at(-1), { ...group, Disabled: true });
  await call("PUT", "/groups", { Name: "guests", Isolated: false, Policies: [], Members: [] });
  assert.deepEqual(device().Groups, ["kids", "toys"]);
  assert.deepEqual(device().Policies.toSorted(), ["dns", "wan"], "access stays with the device");
  const { Isolated, Policies } = engine.config.groups.at(-1)!;
  assert.deepEqual([Isolated, Policies], [undefined, undefined]);

  const other = await call("PUT", "/groups", { Name: "guests", Title: "Visitors" });
  assert.equal(other.status, 400);
  assert.equal(other.json.errors[0].pointer, "/Title");
  assert.equal((await call("PUT", "/groups", { Name: "guests", Members: [mac(9)] })).status, 404);
});

Deno.test("the name of a policy is no name of a group, in any case", async () => {
  const { call } = start();
  for (const Name of ["wan", "LAN", " Dns:Family ", "", "a".repeat(65), "a\nb", 5, null]) {
    const answer = await call("PUT", "/groups", { Name });
    assert.equal(answer.status, 400, String(Name));
    assert.equal(answer.json.errors[0].pointer, "/Name");
  }
});

Deno.test("DELETE /groups takes the name off every device", async () => {
  const { engine, call } = start();
  await call("PUT", "/groups", { Name: "kids" });
  assert.equal((await call("DELETE", "/groups", { Name: "KIDS" })).status, 200);
  assert.deepEqual(engine.config.groups, []);
  assert.deepEqual(engine.config.devices[mac(1)]!.Groups, ["toys"]);
  assert.equal((await call("DELETE", "/groups", { Name: "kids" })).status, 404);
});

Deno.test("If-Match on /groups is held against the document", async () => {
  const { call } = start();
  const etag = (await call("GET", "/groups")).headers.get("etag")!;
  assert.equal((await call("PUT", "/groups", { Name: "a" }, { "if-match": etag })).status, 200);
  assert.equal((await call("PUT", "/groups", { Name: "b" }, { "if-match": etag })).status, 412);
});

Deno.test("PUT /subnetConfig replaces both fields and leaves devices where they are", async () => {
  const { engine, call } = start();
  const next = { TinyNets: ["192.168.100.0/24", "10.0.0.0/8"], LeaseTime: "25h0m0s" };
  assert.deepEqual((await call("PUT", "/subnetConfig", next)).json, next);
  assert.deepEqual((await call("GET", "/subnetConfig")).json, next);
  assert.equal(engine.config.devices[mac(1)]!.RecentIP, "192.168.2.2");
});

const REFUSED: ReadonlyArray<readonly [unknown, string]> = [
  [{ TinyNets: ["192.168.2.0/24"] }, "/LeaseTime"],
  [{ LeaseTime: "24h0m0s" }, "/TinyNets"],
  [{ TinyNets: [], LeaseTime: "24h0m0s" }, "/TinyNets"],
  [{ TinyNets: ["192.168.2.0/31"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["192.168.2.0/25"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["8.0.0.0/7"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["192.168.256.0/24"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["192.168.2.5/24"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["192.168.2.0"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["224.0.0.0/8"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["127.0.0.0/8"], LeaseTime: "24h0m0s" }, "/TinyNets/0"],
  [{ TinyNets: ["10.0.0.0/8", "10.1.0.0/16"], LeaseTime: "24h0m0s" }, "/TinyNets/1"],
  [{ TinyNets: ["192.168.2.0/24"], LeaseTime: "1y0m0s" }, "/LeaseTime"],
  [{ TinyNets: ["192.168.2.0/24"], LeaseTime: "24h" }, "/LeaseTime"],
  [{ TinyNets: ["192.168.2.0/24"], LeaseTime: "100h0m0s" }, "/LeaseTime"],
  [{ TinyNets: ["192.168.2.0/24"], LeaseTime: "0h0m0s" }, "/LeaseTime"],
  [{ TinyNets: ["192.168.2.0/24"], LeaseTime: 86400 }, "/LeaseTime"],
];

for (const [body, at] of REFUSED) {
  Deno.test(`PUT /subnetConfig refuses ${JSON.stringify(body)}`, async () => {
    const { engine, call } = start();
    const answer = await call("PUT", "/subnetConfig", body);
    assert.equal(answer.status, 400);
    assert.equal(answer.json.errors[0].pointer, at);
    assert.deepEqual(engine.config.dhcp.TinyNets, ["192.168.2.0/24"]);
  });
}

Deno.test("PUT /subnetConfig refuses a pool that overlaps a fixed network of an uplink", async () => {
  const { engine, call } = start();
  const [wan, ...rest] = engine.config.interfaces;
  engine.config = { ...engine.config, interfaces: [{ ...wan!, IP: "10.1.2.3/16" }, ...rest] };
  const answer = await call("PUT", "/subnetConfig", {
    TinyNets: ["192.168.2.0/24", "10.1.0.0/20"],
    LeaseTime: "24h0m0s",
  });
  assert.equal(answer.status, 409);
  assert.equal(answer.json.errors[0].pointer, "/TinyNets/1");
  assert.equal(answer.json.proposal, "10.173.2.0/24");
});

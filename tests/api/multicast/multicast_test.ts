import assert from "node:assert/strict";
import { sockets } from "../../../system/processes.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { KEY } from "../../kit/builders/device_config.ts";
import { testRouter } from "../../kit/router.ts";

const DEVICE = "02:00:00:00:0a:01";

Deno.test("GET /multicastSettings has mDNS and SSDP by default", async () => {
  await using router = await testRouter();
  const settings = await router.json<{ Addresses: { Address: string }[] }>(
    "GET",
    "/multicastSettings",
  );
  assert.deepEqual(settings.Addresses.map(({ Address }) => Address), [
    "224.0.0.251:5353",
    "239.255.255.250:1900",
  ]);
});

Deno.test("PUT /multicastSettings returns the settings and stores them", async () => {
  await using router = await testRouter();
  const body = { Addresses: [{ Address: "239.1.1.1:4000", Tags: ["Media"] }], MDNSName: "Home" };
  const answer = await router.ask("PUT", "/multicastSettings", { body });
  assert.equal(answer.status, 200);
  assert.notEqual(answer.headers.get("change-id"), null);
  const settings = {
    Disabled: false,
    Addresses: [{ Address: "239.1.1.1:4000", Disabled: false, Tags: ["media"], Description: "" }],
    DisableMDNSAdvertise: false,
    MDNSName: "home",
  };
  assert.deepEqual(await answer.json(), settings);
  const again = await router.ask("PUT", "/multicastSettings", { body: settings });
  assert.equal(again.headers.get("change-id"), null);
  await again.body?.cancel();
  const reopened = await router.reopen();
  assert.deepEqual(await reopened.json("GET", "/multicastSettings"), settings);
  await reopened.close();
});

Deno.test("PUT /multicastSettings refuses invalid groups with a JSON pointer", async () => {
  await using router = await testRouter();
  const refused = async (Address: unknown, more: Readonly<Record<string, unknown>> = {}) => {
    const body = { Addresses: [Address], ...more };
    const answer = await router.ask("PUT", "/multicastSettings", { body });
    assert.equal(answer.status, 400);
    return await answer.text();
  };
  for (const text of ["192.168.2.1:5353", "224.0.0.251", "printer.local:5353", "224.0.0.1:0"]) {
    assert.match(await refused({ Address: text }), /\/Addresses\/0\/Address/);
  }
  await refused({ Address: "224.0.0.1:1" }, { MDNSName: "a.b" });
  const twice = { Addresses: [{ Address: "224.0.0.1:1" }, { Address: "224.0.0.1:1" }] };
  const answer = await router.ask("PUT", "/multicastSettings", { body: twice });
  assert.match(
    await answer.text(),
    /\/Addresses\/1\/Address.*twice|twice.*\/Addresses\/1\/Address/s,
  );
});

Deno.test("GET /multicast/discovered lists discovered senders with their device, latest first, bounded", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${DEVICE}`, {
    body: { MAC: DEVICE, Name: "printer", RecentIP: "192.168.2.6" },
  });
  const hear = async (source: string, ...services: string[]): Promise<void> => {
    const items = [{ address: "224.0.0.251:5353", source, link: "lan0", services }];
    const answer = await router.inside("multicast", "PUT", "/discovered", { items });
    assert.equal(answer.status, 200, await answer.text());
  };
  await hear("192.168.2.6", "_ipp._tcp");
  await hear("192.168.2.10", "_http._tcp");
  await hear("192.168.2.6", "_http._tcp");
  type Item = { source: string; identity: string; services: string[] };
  const read = async () =>
    (await router.json<{ items: Item[] }>("GET", "/multicast/discovered")).items;
  assert.deepEqual(
    (await read()).map(({ source, identity, services }) => [source, identity, services]),
    [
      ["192.168.2.6", DEVICE, ["_ipp._tcp", "_http._tcp"]],
      ["192.168.2.10", "", ["_http._tcp"]],
    ],
  );
  for (let i = 0; i < 5; i++) {
    const items = Array.from({ length: 256 }, (_, at) => ({
      address: "224.0.0.251:5353",
      source: `10.0.${i}.${at}`,
      link: "lan0",
      services: [],
    }));
    await (await router.inside("multicast", "PUT", "/discovered", { items })).body?.cancel();
  }
  assert.equal((await read()).length, 1024);
});

Deno.test("in demo mode the relay plan has no interfaces", async () => {
  await using router = await testRouter();
  const answer = await router.inside("multicast", "GET", "/plan");
  const plan = await answer.json();
  if (router.engine.network.state !== "applied") assert.deepEqual(plan.links, []);
  else assert.ok(!plan.links.some(({ name }: { name: string }) => name === "wan0"));
  assert.match(sockets("/srv").multicast, /state\/multicast\/socket$/);
});

Deno.test("a VPN peer gets unicast copies of reflected datagrams", async () => {
  const links = ["lo", "wan0", "lan0", "lan1", "wg0"];
  const host = Object.defineProperty(memoryHost({ links }), "kind", { value: "linux" });
  await using router = await testRouter({ host });
  const body = { IP: "192.168.2.6", PublicKey: KEY, Iface: "wg0" };
  const answer = await router.inside("wireguard", "PUT", "/wireguardUpdate", body);
  assert.equal(answer.status, 200, await answer.text());
  const plan = await (await router.inside("multicast", "GET", "/plan")).json();
  const [wg0] = plan.links.filter(({ name }: { name: string }) => name === "wg0");
  assert.deepEqual(wg0, {
    name: "wg0",
    addresses: ["192.168.2.5"],
    tags: [],
    peers: ["192.168.2.6"],
    senders: ["192.168.2.6"],
  });
});

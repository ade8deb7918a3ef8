import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

// deno-lint-ignore no-explicit-any -- rules as they are answered
type Shown = Record<string, any>;

async function status(
  router: TestRouter,
  method: string,
  path: string,
  body: unknown,
): Promise<number> {
  const answer = await router.ask(method, path, { body });
  await answer.body?.cancel();
  return answer.status;
}

/** The elements of a map as existing clients read it. */
async function elements(router: TestRouter, name: string): Promise<readonly unknown[]> {
  const { nftables } = await router.json<{ nftables: Shown[] }>("GET", `/nfmap/${name}`);
  return (nftables[1]!["map"].elem ?? []).map(([key]: [Shown]) => key["concat"] ?? key);
}

async function rules(router: TestRouter): Promise<Shown> {
  return await router.json<Shown>("GET", "/firewall/config");
}

async function lease(router: TestRouter, MAC: string, Iface: string): Promise<string> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface, Name: "a" });
  return (await answer.json()).IP;
}

const mac = (n: number) => `02:00:00:00:0a:${n.toString(16).padStart(2, "0")}`;

Deno.test("a port of the router opens on the LAN alone until UpstreamEnabled, and follows each switch", async () => {
  await using router = await testRouter();
  const port = { Protocol: "tcp", Port: "8123" };
  const open = async () =>
    await Promise.all(
      ["lan_tcp_accept", "wan_tcp_accept"].map(async (name) =>
        (await elements(router, name)).includes(8123)
      ),
    );
  assert.deepEqual(await open(), [false, false]);
  assert.equal(await status(router, "PUT", "/firewall/service_port", port), 200);
  assert.deepEqual(await open(), [true, false]);
  for (const UpstreamEnabled of [true, false, true]) {
    const body = { ...port, UpstreamEnabled };
    assert.equal(await status(router, "PUT", "/firewall/service_port", body), 200);
    assert.deepEqual(await open(), [true, UpstreamEnabled]);
    const shown = (await rules(router))["ServicePorts"]
      .filter(({ Port }: { Port: string }) => Port === "8123");
    assert.deepEqual(shown.map((one: Shown) => one["UpstreamEnabled"]), [UpstreamEnabled]);
  }
  assert.equal(await status(router, "DELETE", "/firewall/service_port", port), 200);
  assert.deepEqual(await open(), [false, false]);
});

Deno.test("a custom interface has its policies and both maps of its groups, as they were sent", async () => {
  await using router = await testRouter();
  const rule = (more: object) => ({
    ...{ Interface: "vbr0", SrcIP: "10.88.0.2", RouteDst: "", Policies: [], Groups: [], ...more },
  });
  const first = rule({ Policies: ["wan", "dns", "api"], Groups: ["zoo", "api-users"] });
  assert.equal(await status(router, "PUT", "/firewall/custom_interface", first), 200);
  const second = rule({ SrcIP: "10.88.0.3", Policies: ["dns", "wan"], Groups: ["zoo"] });
  assert.equal(await status(router, "PUT", "/firewall/custom_interface", second), 200);
  const shown = (await rules(router))["CustomInterfaceRules"];
  assert.deepEqual(shown.map(({ Policies, Groups }: Shown) => [Policies, Groups]), [
    [["wan", "dns", "api"], ["zoo", "api-users"]],
    [["dns", "wan"], ["zoo"]],
  ]);
  const state = async () => ({
    wan: await elements(router, "fwd_iface_wan"),
    dns: await elements(router, "dns_access"),
    from: await elements(router, "zoo_src_access"),
    to: await elements(router, "zoo_dst_access"),
  });
  const at = (host: string) => [host, "vbr0"];
  assert.deepEqual(await state(), {
    wan: [["vbr0", "10.88.0.2"], ["vbr0", "10.88.0.3"]],
    dns: [at("10.88.0.2"), at("10.88.0.3")],
    from: [at("10.88.0.2"), at("10.88.0.3")],
    to: [at("10.88.0.2"), at("10.88.0.3")],
  });
  const api = () =>
    [...router.engine.desired.ruleset.tables.find(({ name }) => name === "filter")!.sets
      .find(({ name }) => name === "api_interfaces")!.elements.keys()].join();
  assert.match(api(), /vbr0/);
  assert.equal(await status(router, "DELETE", "/firewall/custom_interface", second), 200);
  assert.deepEqual((await state()).from, [at("10.88.0.2")]);
  assert.match(api(), /vbr0/, "the first rule still needs it");
  assert.equal(await status(router, "DELETE", "/firewall/custom_interface", first), 200);
  assert.deepEqual(await state(), { wan: [], dns: [], from: [], to: [] });
  assert.doesNotMatch(api(), /vbr0/);
});

Deno.test("other protocols, and endpoints with both or neither of IP and Domain, are refused", async () => {
  await using router = await testRouter();
  const forward = { SrcIP: "0.0.0.0/0", SrcPort: "80", DstIP: "192.168.2.10", DstPort: "80" };
  const endpoint = { RuleName: "nas", Protocol: "tcp", Port: "443", Tags: ["nas"] };
  for (const Protocol of ["sctp", "icmp", "", "TCP "]) {
    const bodies: readonly (readonly [string, object])[] = [
      ["forward", forward],
      ["block", { SrcIP: "192.168.2.6", DstIP: "8.8.8.8" }],
      ["service_port", { Port: "81" }],
      ["endpoint", { ...endpoint, IP: "10.0.0.1" }],
    ];
    for (const [path, body] of bodies) {
      const got = await status(router, "PUT", `/firewall/${path}`, { ...body, Protocol });
      assert.equal(got, 400, `${path} ${Protocol}`);
    }
  }
  for (const ends of [{}, { IP: "10.0.0.1", Domain: "nas.example" }, { IP: "", Domain: "" }]) {
    assert.equal(await status(router, "PUT", "/firewall/endpoint", { ...endpoint, ...ends }), 400);
  }
  const { ForwardingRules, BlockRules, Endpoints } = await rules(router);
  assert.deepEqual([ForwardingRules, BlockRules, Endpoints], [[], [], []]);
});

Deno.test("twenty rules that are sent at once are all stored", async () => {
  await using router = await testRouter();
  const ports = Array.from({ length: 20 }, (_, n) => String(9000 + n));
  const got = await Promise.all(
    ports.map((Port) => status(router, "PUT", "/firewall/service_port", { Protocol: "tcp", Port })),
  );
  assert.deepEqual(new Set(got), new Set([200]));
  const stored = (await rules(router))["ServicePorts"].map(({ Port }: Shown) => Port);
  assert.deepEqual(stored.filter((port: string) => ports.includes(port)).sort(), ports);
});

Deno.test("a device is known on one interface at a time, and not at all while it is disabled", async () => {
  await using router = await testRouter();
  const ip = await lease(router, mac(1), "lan0");
  assert.deepEqual(await elements(router, "ethernet_filter"), [[ip, "lan0", mac(1)]]);
  assert.equal(await lease(router, mac(1), "lan1"), ip);
  assert.deepEqual(await elements(router, "ethernet_filter"), [[ip, "lan1", mac(1)]]);
  const device = `/device?identity=${mac(1)}`;
  assert.equal(await status(router, "PUT", device, { DeviceDisabled: true }), 200);
  assert.deepEqual(await elements(router, "ethernet_filter"), []);
  // Its client asks on, as clients do.
  await lease(router, mac(1), "lan1");
  assert.deepEqual(await elements(router, "ethernet_filter"), []);
  assert.equal(await status(router, "PUT", device, { DeviceDisabled: false }), 200);
  assert.deepEqual(await elements(router, "ethernet_filter"), [[ip, "lan1", mac(1)]]);
});

Deno.test("devices without admin access are closed one by one, never as a range", async () => {
  await using router = await testRouter();
  const ips: string[] = [];
  for (const n of [1, 2, 3]) {
    ips.push(await lease(router, mac(n), "lan0"));
    const body = { Policies: ["wan", "dns", "noapi"] };
    assert.equal(await status(router, "PUT", `/device?identity=${mac(n)}`, body), 200);
  }
  const blocked =
    () => [...router.engine.desired.ruleset.tables.find(({ name }) => name === "filter")!.sets
      .find(({ name }) => name === "api_block")!.elements.keys()];
  assert.deepEqual(blocked().toSorted(), ips.toSorted());
  assert.equal(await status(router, "DELETE", `/device?identity=${mac(2)}`, {}), 200);
  assert.deepEqual(blocked().toSorted(), [ips[0]!, ips[2]!].toSorted());
});

Deno.test("an address is one host, a network all of it, and ports are inclusive at both ends", async () => {
  await using router = await testRouter();
  const block = { Protocol: "tcp", SrcIP: "192.168.2.6", DstIP: "0.0.0.0/0", DstPort: "1000-2000" };
  assert.equal(await status(router, "PUT", "/firewall/block_forward", block), 200);
  const ip = await lease(router, mac(1), "lan0");
  assert.equal(
    await status(router, "PUT", `/device?identity=${mac(1)}`, { Policies: ["wan"] }),
    200,
  );
  const other = { ...block, SrcIP: ip };
  assert.equal(await status(router, "PUT", "/firewall/block_forward", other), 200);
  const reach = async (Port: number) =>
    (await router.json<{ verdict: string }>(
      "GET",
      `/reach?from=${mac(1)}&to=203.0.113.77&protocol=tcp&port=${Port}`,
    )).verdict;
  assert.deepEqual(
    await Promise.all([999, 1000, 1500, 2000, 2001].map(reach)),
    ["accept", "drop", "drop", "drop", "accept"],
  );
});

import assert from "node:assert/strict";
import { KEY } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

interface ListedMap {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly type: string | string[];
  readonly map: string;
  readonly elem?: [unknown, unknown][];
}

/** A map as existing clients read it: the second entry, after the facts about the tool. */
async function map(router: TestRouter, name: string): Promise<ListedMap> {
  const { nftables } = await router.json<{ nftables: Record<string, unknown>[] }>(
    "GET",
    `/nfmap/${name}`,
  );
  assert.deepEqual(nftables.map((entry) => Object.keys(entry)), [["metainfo"], ["map"]], name);
  const listed = nftables[1]!["map"] as ListedMap;
  assert.deepEqual([listed.family, listed.table, listed.name], ["inet", "filter", name]);
  return listed;
}

const TABLET = "02:00:00:00:0a:01";

async function lease(router: TestRouter, MAC: string, Iface: string): Promise<string> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface, Name: "tablet" });
  return (await answer.json()).IP;
}

Deno.test("the maps of a device's access have its address, interface and MAC address", async () => {
  await using router = await testRouter();
  for (const name of ["internet_access", "dns_access", "lan_access", "dhcp_access"]) {
    assert.equal((await map(router, name)).elem, undefined, name);
  }
  const ip = await lease(router, TABLET, "lan1");
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { Policies: ["wan", "dns"] } });
  const at = [[{ concat: [ip, "lan1"] }, { accept: null }]];
  assert.deepEqual((await map(router, "internet_access")).elem, at);
  assert.deepEqual((await map(router, "dns_access")).elem, at);
  assert.equal((await map(router, "lan_access")).elem, undefined);
  const dhcp = await map(router, "dhcp_access");
  assert.deepEqual(dhcp.type, ["ifname", "ether_addr"]);
  assert.deepEqual(dhcp.elem, [[{ concat: ["lan1", TABLET] }, { accept: null }]]);
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { DeviceDisabled: true } });
  for (const name of ["internet_access", "dhcp_access", "ethernet_filter"]) {
    assert.equal((await map(router, name)).elem, undefined, name);
  }
});

Deno.test("the maps of the router's ports have those that are open, without their counters", async () => {
  await using router = await testRouter();
  const ports = async (name: string) => {
    const { type, elem = [] } = await map(router, name);
    assert.equal(type, "inet_service");
    return elem.map(([port, verdict]) => {
      assert.deepEqual(verdict, { accept: null });
      return port as number;
    }).toSorted((a, b) => a - b);
  };
  assert.deepEqual(await ports("lan_tcp_accept"), [22, 80, 443]);
  assert.deepEqual(await ports("wan_tcp_accept"), []);
  const rule = { Protocol: "tcp", Port: "8443", UpstreamEnabled: true };
  await router.ask("PUT", "/firewall/service_port", { body: rule });
  assert.deepEqual(await ports("wan_tcp_accept"), [8443]);
  assert.deepEqual(await ports("lan_udp_accept"), []);
  await router.json("PUT", "/plugins/wireguard/peer", { body: { PublicKey: KEY } });
  const { ListenPort } = router.engine.config.wireguard;
  assert.deepEqual(await ports("lan_udp_accept"), [ListenPort]);
  assert.deepEqual(await ports("wan_udp_accept"), [ListenPort]);
});

Deno.test("the map of site traffic has who shares a group with a site", async () => {
  await using router = await testRouter();
  assert.equal((await map(router, "site_forward")).elem, undefined);
  const ip = await lease(router, TABLET, "lan0");
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { Groups: ["cabin"] } });
  const site = { Name: "Cabin", Networks: ["10.20.0.0/16"], Groups: ["cabin"] };
  await router.json("PUT", "/plugins/wireguard/site", { body: site });
  const { type, elem } = await map(router, "site_forward");
  assert.deepEqual(type, ["ipv4_addr", "ipv4_addr", "ifname"]);
  assert.deepEqual(elem, [[
    { concat: [ip, { prefix: { addr: "10.20.0.0", len: 16 } }, "site0"] },
    { accept: null },
  ]]);
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { Groups: [] } });
  assert.equal((await map(router, "site_forward")).elem, undefined);
});

Deno.test("the map of own resolvers has devices whose queries go elsewhere", async () => {
  await using router = await testRouter();
  const ip = await lease(router, TABLET, "lan0");
  await router.json("PUT", `/device?identity=${TABLET}`, { body: { DNSCustom: "9.9.9.9" } });
  assert.deepEqual((await map(router, "custom_dns_devices")).elem, [[ip, "9.9.9.9"]]);
});

Deno.test("maps are read only, and one that decides nothing here is not there", async () => {
  await using router = await testRouter();
  for (const method of ["PUT", "DELETE"]) {
    const answer = await router.ask(method, "/nfmap/dhcp_access", { body: {} });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("allow"), "GET, HEAD");
    await answer.body?.cancel();
  }
  for (const name of ["uplink_interfaces", "site_forward_tcp_port", "geo_route", "nothing"]) {
    const answer = await router.ask("GET", `/nfmap/${name}`);
    assert.equal(answer.status, 404, name);
    await answer.body?.cancel();
  }
});

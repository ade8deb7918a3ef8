import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

interface Subnets {
  readonly TinyNets: string[];
  readonly LeaseTime: string;
}

async function lease(router: TestRouter, MAC: string): Promise<Record<string, string>> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan0" });
  return await answer.json();
}

Deno.test("subnets that are wrong are refused, others shown at the next look", async () => {
  await using router = await testRouter();
  const before = await router.json<Subnets>("GET", "/subnetConfig");
  const put = async (body: unknown): Promise<number> => {
    const answer = await router.ask("PUT", "/subnetConfig", { body });
    await answer.body?.cancel();
    return answer.status;
  };
  const wrong = [
    { TinyNets: ["192.168.2.0/31"], LeaseTime: "24h0m0s" },
    { TinyNets: ["192.168.256.0/24"], LeaseTime: "24h0m0s" },
    { TinyNets: ["192.168.2.0/24"], LeaseTime: "1y0h0m0s" },
  ];
  for (const body of wrong) assert.equal(await put(body), 400, JSON.stringify(body));
  assert.deepEqual(await router.json("GET", "/subnetConfig"), before);
  assert.equal(await put({ tinynets: ["192.168.100.0/24"], leasetime: "25h0m0s" }), 200);
  const { TinyNets, LeaseTime } = await router.json<Subnets>("GET", "/subnetConfig");
  assert.deepEqual([TinyNets, LeaseTime], [["192.168.100.0/24"], "25h0m0s"]);
});

Deno.test("leases are the lowest free /30s, and a device keeps its own", async () => {
  await using router = await testRouter();
  const mac = (n: number) => `02:00:00:00:0a:0${n}`;
  const first = await lease(router, mac(1));
  assert.deepEqual(first, {
    Identifier: mac(1),
    IP: "192.168.2.2",
    RouterIP: "192.168.2.1",
    DNSIP: "192.168.2.1",
    LeaseTime: "24h0m0s",
  });
  const second = await lease(router, mac(2));
  assert.deepEqual([second["IP"], second["RouterIP"]], ["192.168.2.6", "192.168.2.5"]);
  assert.deepEqual(await lease(router, mac(1).toUpperCase().replaceAll(":", "-")), first);
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  assert.equal(devices[mac(2)]!.RecentIP, "192.168.2.6");
  const links = await router.json<Record<string, string>>("GET", "/ip/interfaces");
  assert.deepEqual(links, { "192.168.2.2": "lan0", "192.168.2.6": "lan0" });
});

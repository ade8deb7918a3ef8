import assert from "node:assert/strict";
import { dhcpRouter, SMALL } from "../../kit/dhcp/dhcp_router.ts";
import type { TestRouter } from "../../kit/router.ts";
import { type MemoryHost, memoryHost } from "../../../system/host/memory/host.ts";
import { device, mac } from "../../kit/builders/device_config.ts";
import { DECLINED_MS } from "../../../system/dhcp/server/offers.ts";

/** A model that passes for a kernel, so that what it holds counts as applied. */
function applied(): MemoryHost {
  return Object.defineProperty(memoryHost(), "kind", { value: "linux" });
}

Deno.test("DISCOVER offers an address without creating a device; REQUEST creates it", async () => {
  const { router, ip, devices } = await dhcpRouter();
  await using _ = router;
  assert.equal(await ip("discover", 1), "192.168.2.2");
  assert.equal(await ip("discover", 2), "192.168.2.6", "not offered twice");
  assert.equal(await ip("discover", 1), "192.168.2.2", "offered again");
  assert.deepEqual(await devices(), {});
  assert.equal(await ip("request", 2, { wanted: "192.168.2.6" }), "192.168.2.6");
  assert.deepEqual(Object.keys(await devices()), [mac(2)]);
});

Deno.test("REQUEST for a foreign address or another server's offer creates no device", async () => {
  const { router, ip, devices } = await dhcpRouter();
  await using _ = router;
  assert.notEqual(await ip("request", 1, { wanted: "192.168.1.77" }), "192.168.1.77");
  await ip("request", 2, { wanted: "192.168.2.2", server: "10.0.0.1" });
  assert.deepEqual(await devices(), {});
});

Deno.test("REQUEST of an offer that a restart lost is acknowledged when the address is free", async () => {
  const { router, ip } = await dhcpRouter();
  await using _ = router;
  assert.equal(await ip("request", 1, { wanted: "192.168.2.42" }), "192.168.2.42");
  assert.notEqual(await ip("request", 2, { wanted: "192.168.2.42" }), "192.168.2.42");
});

Deno.test("a thousand clients that only discover exhaust no pool", async () => {
  const { router, ip, join, devices } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  const own = await join(1);
  for (let n = 100; n < 600; n++) assert.notEqual(await ip("discover", n), own);
  assert.ok(await join(2));
  assert.equal(await ip("request", 1, { wanted: own }), own);
  assert.deepEqual(Object.keys(await devices()).length, 2);
});

Deno.test("DECLINE leads to another address, and the declined one is not offered for ten minutes", async () => {
  const { router, clock, ask, ip, join } = await dhcpRouter();
  await using _ = router;
  const events: string[] = [];
  router.bus.subscribe(({ topic }) => events.push(topic));
  const own = await join(1);
  await ask("decline", 2, { wanted: own });
  assert.equal(await ip("discover", 1), own, "another client cannot decline it");
  await ask("decline", 1, { wanted: own });
  assert.ok(events.includes("dhcp:decline"));
  const next = await join(1);
  assert.notEqual(next, own);
  assert.notEqual(await ip("discover", 2), own);
  clock.now += DECLINED_MS;
  assert.equal(await join(3, { wanted: own }), own);
});

Deno.test("RELEASE marks a device as offline and keeps its address", async () => {
  const { router, ask, join } = await dhcpRouter();
  await using _ = router;
  const own = await join(1);
  const leases = () => router.json<{ items: Record<string, unknown>[] }>("GET", "/dhcp/leases");
  assert.equal((await leases()).items[0]?.online, true);
  await ask("release", 1, { wanted: "192.168.2.250" });
  assert.equal((await leases()).items[0]?.online, true, "of another address");
  await ask("release", 1, { wanted: own });
  assert.equal((await leases()).items[0]?.online, false);
  assert.equal(await join(1), own);
});

Deno.test("a renewal writes no change, but updates when the device was last seen", async () => {
  const { router, clock, ip, join } = await dhcpRouter();
  await using _ = router;
  const own = await join(1);
  const seen = `${router.home}/state/devices/observed.json`;
  const state = async () => [
    (await router.json<{ items: unknown[] }>("GET", "/changes")).items.length,
    await Deno.readTextFile(seen),
  ];
  const before = await state();
  clock.now += 3_600_000;
  assert.equal(await ip("request", 1, { wanted: own }), own);
  assert.deepEqual(await state(), before);
  const { items } = await router.json<{ items: { since: number }[] }>("GET", "/dhcp/leases");
  assert.equal(items[0]?.since, clock.now);
});

Deno.test("INFORM is answered for known devices only", async () => {
  const { router, ip, join, devices } = await dhcpRouter();
  await using _ = router;
  const own = await join(1);
  assert.equal(await ip("inform", 1), own);
  assert.equal(await ip("inform", 2), null);
  assert.equal(Object.keys(await devices()).length, 1);
});

Deno.test("two MAC addresses with one client identifier are two devices", async () => {
  const { router, join } = await dhcpRouter();
  await using _ = router;
  const clientId = "duid:00020000ab11";
  assert.notEqual(await join(1, { clientId }), await join(2, { clientId }));
  await join(3, { clientId: "010203" });
  await join(4, { clientId: "not hexadecimal" });
  type Item = { identity: string; clientId: string; sameClient: string[] };
  const leases = async (one: TestRouter) =>
    (await one.json<{ items: Item[] }>("GET", "/dhcp/leases")).items
      .map(({ clientId, sameClient }) => [clientId, sameClient]);
  const wanted = [[clientId, [mac(2)]], [clientId, [mac(1)]], ["010203", []], ["", []]];
  assert.deepEqual(await leases(router), wanted);
  const again = await router.reopen();
  assert.deepEqual(await leases(again), wanted, "kept across a restart");
  await again.close();
});

Deno.test("a device keeps its host name when a later request has none", async () => {
  const { router, join } = await dhcpRouter();
  await using _ = router;
  await join(1, { clientId: "0102" });
  await join(1);
  const { items } = await router.json<{ items: { clientId: string }[] }>("GET", "/dhcp/leases");
  assert.equal(items[0]?.clientId, "0102");
});

Deno.test("time servers are sent to clients, stay when pools change, and an empty list removes them", async () => {
  const { router, ask } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  const set = (body: Record<string, unknown>) =>
    router.ask("PUT", "/subnetConfig", {
      body: { TinyNets: ["192.168.2.0/24"], LeaseTime: "1h0m0s", ...body },
    });
  const ntp = async (): Promise<string[]> => (await ask("discover", 1)).json.decision.ntp;
  assert.deepEqual(await ntp(), []);
  assert.equal((await set({ NTPServers: ["192.168.2.1"] })).status, 200);
  assert.deepEqual(await ntp(), ["192.168.2.1"]);
  assert.deepEqual(await (await set({ LeaseTime: "2h0m0s" })).json(), {
    TinyNets: ["192.168.2.0/24"],
    LeaseTime: "2h0m0s",
    NTPServers: ["192.168.2.1"],
  });
  assert.deepEqual(await ntp(), ["192.168.2.1"]);
  for (const NTPServers of [["time.example"], Array(5).fill("10.0.0.1"), "10.0.0.1"]) {
    assert.equal((await set({ NTPServers })).status, 400);
  }
  assert.equal((await set({ NTPServers: [] })).status, 200);
  assert.deepEqual(await router.json("GET", "/subnetConfig"), {
    TinyNets: ["192.168.2.0/24"],
    LeaseTime: "1h0m0s",
  });
});

Deno.test("a client that is refused, or speaks in another's name, is one notice", async () => {
  const { router, join } = await dhcpRouter();
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string; detail: string; data: unknown }[] }>(
      "GET",
      "/notices",
    )).items.filter(({ kind }) => kind !== "new-device");
  const report = async (path: string, body: unknown): Promise<void> => {
    const answer = await router.inside("dhcp", "PUT", path, body);
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
  };
  await join(1, { name: "tv" });
  await join(1, { link: "lan1" });
  assert.deepEqual(await notices(), [], "a move alone is no news");
  await report("/duplicateMac", { mac: mac(1), link: "lan0", claimed: "lan2" });
  await report("/duplicateMac", { mac: mac(9), link: "lan1", claimed: "lan0" });
  assert.deepEqual(
    await notices(),
    [],
    "it is on another interface by now; the other MAC address is unknown",
  );
  const refused = { mac: mac(1), link: "lan1", claimed: "lan0" };
  await report("/duplicateMac", refused);
  await report("/duplicateMac", refused);
  assert.deepEqual((await notices()).map(({ kind, data }) => [kind, data]), [
    ["mac-on-two-interfaces", { subject: mac(1), interfaces: ["lan0", "lan1"] }],
  ]);
  await report("/foreignSender", { mac: mac(2), link: "lan0" });
  const repeater = (await notices()).filter(({ kind }) => kind === "dhcp-foreign-sender");
  assert.deepEqual(repeater.map(({ data }) => data), [
    { subject: "lan0", interface: "lan0", mac: mac(2) },
  ]);
  assert.match(repeater[0]!.detail, /repeater/);
  await join(2);
  assert.equal((await notices()).length, 1, "its own request was received");
});

Deno.test("a station's interface is served from its first report on, whatever the state of its lease", async () => {
  const files = {
    "base/interfaces.json": [
      { Name: "wlan0", Type: "AP", Enabled: true },
      { Name: "wlan1", Type: "AP", Enabled: false },
      { Name: "lan0", Type: "Downlink", Enabled: true },
      { Name: "wan0", Type: "Uplink", Enabled: true },
    ],
  };
  const { router, ask, join } = await dhcpRouter({ files, host: applied() });
  await using _ = router;
  const report = async (path: string, n: number, Iface: string): Promise<void> => {
    const Event = path.endsWith("Success") ? "AP-STA-CONNECTED" : "AP-STA-DISCONNECTED";
    const answer = await router.inside("wifi", "PUT", path, { Iface, Event, MAC: mac(n) });
    assert.equal(answer.status, 200, await answer.text());
  };
  const snapshot = async () => await (await router.inside("dhcp", "GET", "/snapshot")).json();
  await report("/reportPSKAuthSuccess", 1, "wlan0.4096");
  await report("/reportPSKAuthSuccess", 2, "wlan1.4096");
  const { links, serveAnyway } = await snapshot();
  assert.deepEqual(links, ["lan0", "wlan0.4096"], "none of a point that is off");
  assert.deepEqual(serveAnyway, ["wlan0.4096"], "behind it is the station alone");
  const own = await join(1, { link: "wlan0.4096" });
  await ask("release", 1, { link: "wlan0.4096", wanted: own });
  const { items } = await router.json<{ items: { online: boolean }[] }>("GET", "/dhcp/leases");
  assert.equal(items[0]?.online, true, "it is signed in");
  assert.deepEqual((await snapshot()).links, ["lan0", "wlan0.4096"]);
  await report("/reportDisconnect", 1, "wlan0.4096");
  assert.deepEqual((await snapshot()).links, ["lan0", "wlan0.4096"], "it may come back");
});

Deno.test("a host name is reduced to one line of text", async () => {
  const { router, ask, join } = await dhcpRouter();
  await using _ = router;
  for (const [n, name] of ["a\r\nb", "<img src=x>", "\0\0", "x".repeat(255)].entries()) {
    await join(n + 1, { name });
  }
  const names = Object.values(
    await router.json<Record<string, { Name: string }>>("GET", "/devices"),
  )
    .map(({ Name }) => Name);
  assert.deepEqual(names, ["ab", "<img src=x>", "", "x".repeat(63)]);
  assert.equal((await ask("discover", 9, { name: "x".repeat(5000) })).status, 400);
});

Deno.test("no address is offered or leased on an uplink", async () => {
  const { router, ask } = await dhcpRouter();
  await using _ = router;
  for (const kind of ["discover", "request", "decline"] as const) {
    assert.equal((await ask(kind, 1, { link: "wan0", wanted: "192.168.2.2" })).status, 400, kind);
  }
});

Deno.test("GET /dhcp/leases and /dhcp/pools return interface and expiry of each lease and the use of each pool", async () => {
  const { router, clock, join } = await dhcpRouter({ files: SMALL });
  await using _ = router;
  await join(1, { name: "tv" });
  await join(2, { link: "lan1" });
  assert.deepEqual(await router.json("GET", "/dhcp/leases"), {
    items: [[mac(1), "192.168.2.2", "lan0", "tv"], [mac(2), "192.168.2.6", "lan1", ""]].map(
      ([identity, address, link, name]) => ({
        identity,
        address,
        interface: link,
        since: clock.now,
        until: clock.now + 3_600_000,
        name,
        online: true,
        clientId: "",
        sameClient: [],
      }),
    ),
  });
  assert.deepEqual(await router.json("GET", "/dhcp/pools"), {
    items: [{ net: "192.168.2.0/24", size: 64, used: 2 }],
  });
});

Deno.test("at 80 % utilisation there is one notice, resolved when a network is added", async () => {
  const known = Array.from({ length: 51 }, (_, n) => [
    mac(n + 1),
    device(mac(n + 1), { RecentIP: `192.168.2.${4 * n + 2}`, Policies: ["wan"] }),
  ]);
  const { router, join } = await dhcpRouter({
    files: { ...SMALL, "devices/devices.json": Object.fromEntries(known) },
  });
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string }[] }>("GET", "/notices")).items
      .map(({ kind }) => kind).filter((kind) => kind !== "new-device");
  for (let n = 1; n < 52; n++) await join(n);
  assert.deepEqual(await notices(), []);
  await join(52);
  await join(53);
  assert.deepEqual(await notices(), ["dhcp-pool-low"]);
  await router.json("PUT", "/subnetConfig", {
    body: { TinyNets: ["192.168.2.0/24", "192.168.3.0/24"], LeaseTime: "1h0m0s" },
  });
  await join(54);
  assert.deepEqual(await notices(), []);
});

Deno.test("a foreign DHCP server is a notice until an admin confirms, also across a restart", async () => {
  const { router } = await dhcpRouter();
  await using _ = router;
  const notices = async () =>
    (await router.json<{ items: { kind: string; data: unknown }[] }>("GET", "/notices")).items;
  const report = async (server: string | null, serving = false): Promise<unknown> => {
    const body = { link: "lan1", server, serving };
    return await (await router.inside("dhcp", "PUT", "/foreignServer", body)).json();
  };
  assert.deepEqual(await report("192.168.2.1"), { foreign: false }, "that is us");
  assert.deepEqual(await report("10.0.0.138"), { foreign: true });
  const [notice, ...others] = await notices();
  assert.deepEqual([notice?.kind, notice?.data, others], [
    "dhcp-foreign-server",
    { subject: "lan1", interface: "lan1", server: "10.0.0.138" },
    [],
  ]);
  assert.deepEqual(await report(null), { foreign: false });
  assert.deepEqual(await notices(), [], "it is gone");
  assert.deepEqual(await report("10.0.0.138", true), { foreign: true });
  assert.deepEqual((await notices()).map(({ kind }) => kind), ["dhcp-second-server"]);
  await report("10.0.0.138");
  assert.deepEqual((await notices()).map(({ kind }) => kind), ["dhcp-foreign-server"]);
  assert.equal(
    (await router.ask("PUT", "/dhcp/serve", { body: { interface: "wan0" } })).status,
    400,
  );
  assert.equal(
    (await router.ask("PUT", "/dhcp/serve", { body: { interface: "lan1" } })).status,
    200,
  );
  assert.deepEqual(await notices(), []);
  const confirmed = async (one: TestRouter): Promise<string[]> =>
    (await (await one.inside("dhcp", "GET", "/snapshot")).json()).serveAnyway;
  assert.deepEqual(await confirmed(router), ["lan1"]);
  const again = await router.reopen();
  assert.deepEqual(await confirmed(again), ["lan1"]);
  await again.close();
});

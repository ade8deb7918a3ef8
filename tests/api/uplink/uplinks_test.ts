import assert from "node:assert/strict";
import type { UplinkSettings } from "../../../system/uplink/schema.ts";
import type { UplinkOutage } from "../../../system/uplink/status_schema.ts";
import { testRouter } from "../../kit/router.ts";
import { FILES, LEASE, put, send, status, TWO, uplink } from "../../kit/lab/two_uplinks.ts";

Deno.test("a lease is applied, kept across a restart, and removed when it ends", async () => {
  await using router = await testRouter({ files: FILES });
  assert.equal(await send(router, "/lease", { name: "lan1", lease: LEASE }), 200);
  const facts = await router.host.facts();
  assert.ok(
    facts.addresses.some(({ link, address }) => link === "lan1" && address === LEASE.address),
  );
  assert.deepEqual(facts.policyRouting?.routes.map(({ table, via }) => [table, via]), [
    [200, "203.0.113.1"],
    [201, "100.64.5.1"],
  ]);
  const again = await router.reopen();
  assert.equal((await uplink(again, "lan1")).IP, LEASE.address);
  const kept = await again.host.facts();
  assert.ok(
    kept.addresses.some(({ address }) => address === LEASE.address),
    "a restart cuts nothing",
  );
  assert.equal(await send(again, "/lease", { name: "lan1", lease: null }), 200);
  const ended = await again.host.facts();
  assert.ok(!ended.addresses.some(({ address }) => address === LEASE.address));
  assert.equal((await uplink(again, "lan1")).Reason, "it has no IP address");
  await again.close();
});

Deno.test("an uplink keeps its routing table across restarts, undo and file edits", async () => {
  await using router = await testRouter({ files: FILES });
  const kept = async () => {
    const text = await Deno.readTextFile(`${router.home}/state/devices/observed.json`);
    const { uplinks } = JSON.parse(text) as {
      readonly uplinks: Readonly<Record<string, { readonly table?: number }>>;
    };
    return Object.fromEntries(Object.entries(uplinks).map(([name, { table }]) => [name, table]));
  };
  // It is on the disk by now, so that it survives a kill.
  assert.deepEqual(await kept(), { wan0: 200, lan1: 201 });
  const tables = (at = router) =>
    Object.fromEntries(
      (at.engine.desired.facts?.uplinks ?? []).map(({ name, table }) => [name, table]),
    );
  const other = await put(router, "/link/config", { Name: "wan0", Type: "Other" });
  assert.deepEqual(tables(), { lan1: 201 });
  assert.equal(await status(router, "/link/config", { Name: "wan9", Type: "Uplink" }), 200);
  assert.deepEqual(await kept(), { wan0: 200, lan1: 201, wan9: 202 });
  const again = await router.reopen();
  assert.deepEqual(tables(again), { lan1: 201 });
  assert.equal(await status(again, `/changes/${other.headers.get("change-id")}/undo`), 200);
  assert.deepEqual(tables(again), { wan0: 200, lan1: 201 });
  await again.close();
  // An edit while nothing runs, as a restore of files would be.
  const file = `${router.home}/configs/base/interfaces.json`;
  await Deno.writeTextFile(file, JSON.stringify(TWO.toReversed()));
  const edited = await again.reopen();
  assert.deepEqual(tables(edited), { wan0: 200, lan1: 201 });
  await edited.close();
});

Deno.test("a lease expires without a report, also across a restart", async () => {
  let now = Date.now();
  await using router = await testRouter({ files: FILES, now: () => now });
  await send(router, "/lease", { name: "lan1", lease: LEASE });
  now += 59_000;
  await router.runDueTasks();
  assert.equal((await uplink(router, "lan1")).IP, LEASE.address);
  now += 2000;
  await router.runDueTasks();
  assert.equal((await uplink(router, "lan1")).IP, "");
  const facts = await router.host.facts();
  assert.ok(!facts.addresses.some(({ address }) => address === LEASE.address));
});

Deno.test("setting the clock neither shortens nor extends leases", async () => {
  for (const jump of [365 * 86_400_000, -3600_000, 20 * 365 * 86_400_000]) {
    let now = Date.now(), steady = 5000;
    await using router = await testRouter({
      files: FILES,
      now: () => now,
      steady: () => steady,
    });
    const pass = async (milliseconds: number): Promise<string> => {
      now += milliseconds;
      steady += milliseconds;
      await router.runDueTasks();
      return (await uplink(router, "lan1")).IP;
    };
    await send(router, "/lease", { name: "lan1", lease: LEASE });
    assert.equal(await pass(20_000), LEASE.address);
    now += jump;
    assert.equal(await pass(20_000), LEASE.address, `${jump}`);
    const until = router.engine.observed.uplinks?.["lan1"]?.lease?.until ?? 0;
    assert.ok(Math.abs(until - now - 20_000) < 1000, "its end is shown in the time that is right");
    now -= jump;
    assert.equal(await pass(19_000), LEASE.address, `${jump}`);
    assert.equal(await pass(2000), "", `${jump}`);
  }
});

Deno.test("a LAN subnet must not overlap a network leased from a provider", async () => {
  await using router = await testRouter({ files: FILES });
  const lease = { ...LEASE, address: "10.0.0.9/8", router: "10.0.0.1" };
  await send(router, "/lease", { name: "lan1", lease });
  const body = { TinyNets: ["10.99.0.0/16"], LeaseTime: "24h0m0s" };
  const answer = await put(router, "/subnetConfig", body);
  assert.equal(answer.status, 409);
  assert.match((await answer.json()).detail, /10\.99\.0\.0\/16 overlaps 10\.0\.0\.9\/8/);
});

Deno.test("the lease of a former uplink does not block LAN subnets", async () => {
  await using router = await testRouter({ files: FILES });
  await send(router, "/lease", { name: "lan1", lease: LEASE });
  const body = { TinyNets: ["100.64.5.0/24"], LeaseTime: "1h0m0s" };
  assert.equal(await status(router, "/subnetConfig?dryRun=true", body), 409);
  assert.equal(await status(router, "/link/config", { Name: "lan1", Type: "Downlink" }), 200);
  assert.equal(await status(router, "/subnetConfig", body), 200);
  assert.equal(router.engine.network.state, "model");
  const { addresses } = await router.host.facts();
  assert.ok(!addresses.some(({ address }) => address === "100.64.5.9/24"));
});

Deno.test("a lease in a LAN subnet, or with a gateway elsewhere, is not used and opens a notice", async () => {
  await using router = await testRouter({ files: FILES });
  type Notices = { items: { kind: string; detail: string }[] };
  const details = async () =>
    (await router.json<Notices>("GET", "/notices")).items
      .filter(({ kind }) => kind === "uplink-lease").map(({ detail }) => detail);
  const home = { ...LEASE, address: "192.168.2.9/24", router: "192.168.2.1" };
  await send(router, "/lease", { name: "lan1", lease: home });
  assert.match((await details())[0]!, /overlaps the LAN subnet 192\.168\.2\.0\/24/);
  await send(router, "/lease", { name: "lan1", lease: { ...LEASE, router: "100.64.6.1" } });
  assert.match((await details())[0]!, /is outside/);
  await send(router, "/lease", { name: "lan1", lease: LEASE });
  assert.deepEqual(await details(), []);
  for (
    const lease of [
      ...["100.64.5.9", "100.64.5.0/24", "127.0.0.1/8", "0.0.0.0/0", "x"].map((address) => ({
        ...LEASE,
        address,
      })),
      { ...LEASE, seconds: 0 },
      { ...LEASE, mtu: 1e9 },
      { ...LEASE, router: "gateway" },
    ]
  ) assert.equal(await send(router, "/lease", { name: "lan1", lease }), 400, JSON.stringify(lease));
  assert.equal(await send(router, "/lease", { name: "eth77", lease: LEASE }), 200, "of no uplink");
});

Deno.test("failover: an uplink that is down hands over, its outage is recorded, and it recovers", async () => {
  let now = Date.now();
  const events: string[] = [];
  await using router = await testRouter({ files: FILES, now: () => now });
  const unsubscribe = router.bus.subscribe(({ topic, data }) => {
    if (topic.startsWith("wan:")) events.push(`${topic} ${JSON.stringify(data)}`);
  });
  await put(router, "/wan/config", { Enabled: true, FailThreshold: 2, RecoverThreshold: 2 });
  await send(router, "/lease", { name: "lan1", lease: LEASE });
  const round = async (latency: number | null): Promise<void> => {
    now += 5000;
    const items = [{ name: "wan0", latency: 3 }, { name: "lan1", latency }];
    assert.equal(await send(router, "/probes", { items }), 200);
  };
  await round(4);
  assert.deepEqual(
    [(await uplink(router, "wan0")).Active, (await uplink(router, "lan1")).Active],
    [true, true],
  );
  router.host.track(
    {
      ...{
        protocol: "tcp",
        source: "192.168.2.6",
        destination: "198.51.100.7",
        sport: 1,
        dport: 80,
      },
      ...{ replySource: "198.51.100.7", replyDestination: "100.64.5.9" },
    },
    {
      ...{
        protocol: "tcp",
        source: "192.168.2.6",
        destination: "198.51.100.8",
        sport: 2,
        dport: 80,
      },
      ...{ replySource: "198.51.100.8", replyDestination: "203.0.113.2" },
    },
  );
  await round(null);
  await round(null);
  const dead = await uplink(router, "lan1");
  assert.deepEqual([dead.Up, dead.Active, dead.Reason], [
    false,
    false,
    "health checks get no reply",
  ]);
  assert.deepEqual(
    router.host.tracked().map(({ replyDestination }) => replyDestination),
    ["203.0.113.2"],
    "connections on the dead uplink end, those on the living one stay",
  );
  const [open] = await router.json<UplinkOutage[]>("GET", "/wan/outages");
  assert.deepEqual([open?.Iface, open?.End], ["lan1", 0]);
  await round(4);
  await round(4);
  assert.equal((await uplink(router, "lan1")).Up, true);
  const [ended] = await router.json<UplinkOutage[]>("GET", "/wan/outages");
  assert.equal(ended!.End - ended!.Start, 10);
  assert.equal((await uplink(router, "lan1")).Downtime24h, 10);
  assert.deepEqual(events.map((text) => text.split(" ")[0]), [
    ...["wan:uplink:down", "wan:failover", "wan:uplink:up", "wan:failover"],
  ]);
  unsubscribe();
  const again = await router.reopen();
  assert.deepEqual(await again.json("GET", "/wan/outages"), [ended]);
  await again.close();
});

Deno.test("an outage ends when its uplink is removed, also between checks", async () => {
  let now = Date.now();
  await using router = await testRouter({ files: FILES, now: () => now });
  now += 31_000;
  await router.runDueTasks();
  await (await router.ask("GET", "/wan/status")).body?.cancel();
  now += 31_000;
  await router.runDueTasks();
  const outages = () => router.json<UplinkOutage[]>("GET", "/wan/outages");
  assert.deepEqual((await outages()).map(({ Iface, End }) => [Iface, End]), [["lan1", 0]]);
  const file = `${router.home}/configs/base/interfaces.json`;
  await router.close();
  const rest = TWO.filter(({ Name }) => Name !== "lan1");
  await Deno.writeTextFile(file, JSON.stringify(rest));
  const again = await router.reopen();
  await again.runDueTasks();
  const [ended] = await again.json<UplinkOutage[]>("GET", "/wan/outages");
  assert.ok(ended!.End >= ended!.Start, JSON.stringify(ended));
  type Notices = { items: { kind: string }[] };
  const { items } = await again.json<Notices>("GET", "/notices");
  assert.ok(!items.some(({ kind }) => kind === "uplink-down"));
  await again.close();
});

Deno.test("uplink history is kept by the minute and by the hour, newest first", async () => {
  let now = Date.UTC(2026, 0, 1, 11, 58, 0);
  await using router = await testRouter({ files: FILES, now: () => now });
  for (let minute = 0; minute < 5; minute++) {
    for (const latency of [minute + 1, minute + 1, null]) {
      now += 20_000;
      await send(router, "/probes", { items: [{ name: "wan0", latency }] });
    }
  }
  type Sample = { Time: number; LatencyMs: number; LossPct: number; Up: boolean };
  const get = (path: string) => router.json<Sample[]>("GET", path);
  const minutes = await get("/wan/history/wan0?scale=minutes&count=2");
  assert.equal(minutes.length, 2);
  assert.ok(minutes[0]!.Time - minutes[1]!.Time === 60, JSON.stringify(minutes));
  const hours = await get("/wan/history/wan0?scale=hours");
  assert.deepEqual(hours.map(({ Time }) => new Date(Time * 1000).toISOString().slice(11, 13)), [
    "12",
    "11",
  ]);
  assert.deepEqual(await get("/wan/history/eth9"), []);
  for (const query of ["scale=days", "count=0", "count=x", "count=1.5"]) {
    const answer = await router.ask("GET", `/wan/history/wan0?${query}`);
    await answer.body?.cancel();
    assert.equal(answer.status, 400, query);
  }
  const bad = await router.ask("GET", "/wan/history/a%3Bb");
  await bad.body?.cancel();
  assert.equal(bad.status, 400);
});

Deno.test("PUT /wan/config repairs values, returns the result, and is undone", async () => {
  await using router = await testRouter({ files: FILES });
  const answer = await put(router, "/wan/config", { Enabled: false, IntervalSeconds: 999 });
  assert.equal(answer.status, 200);
  const config: UplinkSettings = await answer.json();
  assert.deepEqual([config.Enabled, config.IntervalSeconds], [false, 5]);
  const change = answer.headers.get("change-id");
  assert.equal(await status(router, `/changes/${change}/undo`), 200);
  assert.equal((await router.json<UplinkSettings>("GET", "/wan/config")).Enabled, true);
  assert.equal(await status(router, "/wan/config", [1]), 400);
});

Deno.test("a PPPoE account: set, masked, kept, previewed without its secret, removed", async () => {
  await using router = await testRouter();
  const body = { Iface: "eth7", Enabled: true, Username: "me@isp", Secret: "hunter22", VLAN: "7" };
  const preview = await put(router, "/uplink/ppp?dryRun=true", body);
  assert.doesNotMatch(await preview.text(), /hunter22/);
  assert.equal(await status(router, "/uplink/ppp", body), 200);
  const shown = await router.ask("GET", "/uplink/ppp");
  const text = await shown.text();
  assert.doesNotMatch(text, /hunter22/);
  const [account] = JSON.parse(text).PPPs;
  assert.deepEqual(account, { ...body, Secret: "**", PPPIface: "ppp0", MTU: "" });
  assert.equal(await status(router, "/uplink/ppp", { ...account, MTU: "1400" }), 200);
  const file = `${router.home}/configs/ppp/ppp.json`;
  assert.equal(JSON.parse(await Deno.readTextFile(file)).PPPs[0].Secret, "hunter22");
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  const history = await (await router.ask("GET", "/changes")).text();
  assert.doesNotMatch(history, /hunter22/);
  const links = await router.json<{ Name: string; Subtype: string }[]>(
    "GET",
    "/interfacesConfiguration",
  );
  assert.equal(links.find(({ Name }) => Name === "eth7")?.Subtype, "pppup");
  const gone = await router.ask("DELETE", "/uplink/ppp/eth7");
  await gone.body?.cancel();
  assert.equal(gone.status, 200);
  assert.deepEqual(await router.json("GET", "/uplink/ppp"), { PPPs: [] });
});

Deno.test("MAC addresses, additional IPs, trunks and states of interfaces are changes, stored and undone", async () => {
  await using router = await testRouter();
  const entry = async (name: string) =>
    (await router.json<Record<string, unknown>[]>("GET", "/interfacesConfiguration"))
      .find(({ Name }) => Name === name);
  assert.equal(await status(router, "/link/config", { Name: "lan1", MACRandomize: true }), 200);
  const drawn = (await router.host.facts()).links.find(({ name }) => name === "lan1")?.mac ?? "";
  assert.match(drawn, /^.[26ae]:/, "locally administered, one card's");
  assert.equal(await status(router, "/link/config", { Name: "lan1", MACRandomize: true }), 200);
  const facts = await router.host.facts();
  assert.equal(facts.links.find(({ name }) => name === "lan1")?.mac, drawn, "not drawn again");
  assert.equal((await entry("lan1"))?.["RandomMAC"], undefined);
  const AdditionalIPs = [{ IP: "198.51.100.9/24", Router: "198.51.100.1" }];
  assert.equal(await status(router, "/uplink/ip", { Name: "wan0", AdditionalIPs }), 200);
  assert.deepEqual((await entry("wan0"))?.["AdditionalIPs"], AdditionalIPs);
  assert.equal(await status(router, "/link/ip", { Name: "lan1", IP: "10.9.0.1/24" }), 200);
  const addresses = (await router.host.facts()).addresses.map(({ address }) => address);
  assert.ok(addresses.includes("198.51.100.9/24") && addresses.includes("10.9.0.1/24"));
  assert.equal(await status(router, "/link/vlan/lan1/enable"), 200);
  assert.equal((await entry("lan1"))?.["Subtype"], "VLAN-Trunk");
  assert.equal(await status(router, "/link/vlan/lan1/disable"), 200);
  assert.equal((await entry("lan1"))?.["Subtype"], "");
  assert.equal(await status(router, "/link/vlan/eth9/enable"), 200);
  assert.equal((await entry("eth9"))?.["Type"], "Downlink");
  const down = await put(router, "/ip/link/lan1/down");
  assert.equal(down.status, 200);
  const links = (await router.host.facts()).links;
  assert.equal(links.find(({ name }) => name === "lan1")?.up, false);
  const again = await router.reopen();
  const kept = await again.host.facts();
  assert.equal(kept.links.find(({ name }) => name === "lan1")?.up, false);
  assert.equal(await status(again, "/link/config", { Name: "eth8", Type: "Other" }), 200);
  assert.equal(await status(again, "/ip/link/eth8/down"), 200);
  const all = await again.json<{ Name: string }[]>("GET", "/interfacesConfiguration");
  assert.deepEqual(all.find(({ Name }) => Name === "eth8"), {
    ...{ Name: "eth8", Type: "Other", Subtype: "", Enabled: false, State: "down" },
  });
  const change = down.headers.get("change-id");
  assert.equal(await status(again, `/changes/${change}/undo`), 200);
  const back = await again.host.facts();
  assert.equal(back.links.find(({ name }) => name === "lan1")?.up, true);
  await again.close();
});

Deno.test("GET /ip/interfaces shows the interface of each device address", async () => {
  await using router = await testRouter();
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: "02:00:00:00:00:0a",
    Iface: "lan0",
    Name: "a",
  });
  const { IP } = await lease.json();
  assert.deepEqual(await router.json("GET", "/ip/interfaces"), { [IP]: "lan0" });
});

Deno.test("in demo mode uplinkd has nothing to do, and a speed test is 503", async () => {
  await using router = await testRouter({ files: FILES });
  const plan = await (await router.inside("uplink", "GET", "/plan")).json();
  assert.deepEqual([plan.dhcp, plan.ppp, plan.probes, plan.speed], [[], [], [], null]);
  await put(router, "/wan/config", { SpeedTestURL: "http://198.51.100.7/" });
  assert.equal(await status(router, "/wan/speedtest/wan0"), 503);
  await send(router, "/problem", { name: "lan1", detail: "The tool udhcpc is missing" });
  const notices = await router.json<{ items: { detail: string }[] }>("GET", "/notices");
  assert.ok(notices.items.some(({ detail }) => detail === "lan1: The tool udhcpc is missing"));
});

Deno.test("another router's health check settings are imported at the first start", async () => {
  const theirs = { Enabled: true, IntervalSeconds: 7, ProbeTargets: ["192.0.2.53", "x"] };
  await using router = await testRouter({
    files: { "base/interfaces.json": TWO, "base/wan_health.json": theirs },
  });
  const wan = await router.json<UplinkSettings>("GET", "/wan/config");
  assert.deepEqual([wan.IntervalSeconds, wan.ProbeTargets], [7, ["192.0.2.53"]]);
  assert.equal(await status(router, "/wan/config", { IntervalSeconds: 9 }), 200);
  const again = await router.reopen();
  assert.equal((await again.json<UplinkSettings>("GET", "/wan/config")).IntervalSeconds, 9);
  await again.close();
});

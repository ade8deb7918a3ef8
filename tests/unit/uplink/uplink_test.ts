import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { leasingInterfaces } from "../../../system/dhcp/leasing_interfaces.ts";
import { DhcpClients, type DhcpClientsDeps } from "../../../system/uplink/dhcp/dhcp_clients.ts";
import { parseDhcpLine } from "../../../system/uplink/dhcp/dhcp_lines.ts";
import {
  afterRound,
  downtime,
  type Health,
  latest,
  UNKNOWN,
} from "../../../system/uplink/health/health_rules.ts";
import {
  type DhcpClient,
  type LeaseReport,
  type ProblemReport,
  UplinkPlan,
} from "../../../system/uplink/plan_schema.ts";
import { probeRound } from "../../../system/uplink/health/probes.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { repairedUplinkSettings } from "../../../system/uplink/settings_rules.ts";
import { link, network } from "../../kit/builders/small_network.ts";

Deno.test("uplink settings are repaired: invalid values get their default", () => {
  assert.deepEqual(repairedUplinkSettings({}), DEFAULT_UPLINK_SETTINGS);
  assert.deepEqual(repairedUplinkSettings("x"), DEFAULT_UPLINK_SETTINGS);
  const given = {
    enabled: false,
    IntervalSeconds: 60,
    ProbeTargets: ["9.9.9.9", "example.org", "2001:db8::1", "9.9.9.9", 7, "0.0.0.0", "224.0.0.1"],
    FailThreshold: 0,
    RecoverThreshold: 61,
    SpeedTestURL: "https://speed.example/x?bytes=1",
    Balance: "source",
  };
  assert.deepEqual(repairedUplinkSettings(given), {
    ...DEFAULT_UPLINK_SETTINGS,
    Enabled: false,
    IntervalSeconds: 60,
    ProbeTargets: ["9.9.9.9"],
    SpeedTestURL: given.SpeedTestURL,
    Balance: "source",
  });
  for (
    const url of ["ftp://x/y", "file:///etc/passwd", "javascript:1", "https://u:p@x/", "x y", 7]
  ) {
    assert.equal(repairedUplinkSettings({ SpeedTestURL: url }).SpeedTestURL, "", String(url));
  }
  for (const seconds of [1, 61, 2.5, -1, 1e9, "5"]) {
    assert.equal(
      repairedUplinkSettings({ IntervalSeconds: seconds }).IntervalSeconds,
      5,
      String(seconds),
    );
  }
  const own = {
    ProbeGateway: false,
    Balance: "off",
    Failback: "all",
    AcceptSmallMTU: true,
    Uplinks: [{ Iface: "eth2", Weight: 7 }],
  } as const;
  const held = repairedUplinkSettings({ Enabled: true }, { ...own, Uplinks: [...own.Uplinks] });
  assert.deepEqual(
    held,
    { ...DEFAULT_UPLINK_SETTINGS, ...own },
    "who does not know a setting leaves it",
  );
  const listed = [{ Iface: "a b" }, { Iface: "eth0", Weight: 101 }, { Iface: "eth1" }, 7, {
    ...{ Iface: "eth1", Weight: 3 },
  }];
  assert.deepEqual(repairedUplinkSettings({ Uplinks: listed }).Uplinks, [{
    Iface: "eth1",
    Weight: 1,
  }]);
  const many = Array.from({ length: 40 }, (_, i) => `198.51.100.${i + 1}`);
  assert.equal(repairedUplinkSettings({ ProbeTargets: many }).ProbeTargets.length, 16);
});

Deno.test("the DHCP client's lines are parsed as lease, deconfig, nak, leasefail or malformed", () => {
  const bound = {
    ...{ event: "bound", ip: "100.64.5.9", mask: "24", router: "100.64.5.1 100.64.5.2" },
    ...{ dns: "9.9.9.9 1.1.1.1", lease: "3600", mtu: "1400" },
  };
  const parse = (change: Readonly<Record<string, unknown>>) =>
    parseDhcpLine(JSON.stringify({ ...bound, ...change }));
  assert.deepEqual(parse({}), {
    kind: "lease",
    lease: {
      address: "100.64.5.9/24",
      router: "100.64.5.1",
      dns: ["9.9.9.9", "1.1.1.1"],
      search: [],
      routes: [],
      mtu: 1400,
      seconds: 3600,
    },
  });
  const kept = parse({ event: "renew", router: "", mtu: "", lease: "4294967295", dns: "" });
  assert.deepEqual(kept.kind === "lease" && kept.lease, {
    ...{ address: "100.64.5.9/24", router: null, dns: [], mtu: null, seconds: null },
    ...{ search: [], routes: [] },
  });
  const given = (change: Readonly<Record<string, unknown>>) => {
    const line = parse(change);
    assert.equal(line.kind, "lease");
    return line.kind === "lease" ? line.lease : assert.fail();
  };
  const routes = "10.0.0.0/8 100.64.5.7 172.16.0.0/12 0.0.0.0 0.0.0.0/0 100.64.5.2";
  assert.deepEqual([given({ routes }).router, given({ routes }).routes], ["100.64.5.2", [
    { destination: "10.0.0.0/8", via: "100.64.5.7" },
    { destination: "172.16.0.0/12", via: null },
  ]], "with classless routes the router option does not count");
  assert.equal(given({ routes: "10.0.0.0/8 100.64.5.7" }).router, null);
  const onLink = given({ routes: "0.0.0.0/0 0.0.0.0" });
  assert.deepEqual([onLink.router, onLink.routes], [null, [
    { destination: "0.0.0.0/0", via: null },
  ]]);
  assert.deepEqual(given({ routes: "0.0.0.0/0 0.0.0.0 0.0.0.0/0 100.64.5.2" }).routes, []);
  assert.equal(
    given({ routes: "10.0.0.0/33 100.64.5.7 x 9.9.9.9 7.0.0.0/8" }).router,
    "100.64.5.1",
  );
  const many = Array.from({ length: 200 }, (_, at) => `10.${at}.0.0/16 100.64.5.7`).join(" ");
  assert.equal(given({ routes: many }).routes.length, 64);
  const names = { search: "a.example b_c.example -x ..", domain: "a.example" };
  assert.deepEqual(given(names).search, ["a.example", "b_c.example"]);
  for (
    const change of [
      ...["", "0.0.0.0", "127.0.0.1", "224.0.0.1", "100.64.5.0", "100.64.5.255", "x"]
        .map((ip) => ({ ip })),
      { mask: "0" },
      { event: "shell" },
    ]
  ) assert.equal(parse(change).kind, "malformed", JSON.stringify(change));
  const dns = parse({ dns: "9.9.9.9 224.0.0.1 x" });
  assert.deepEqual(dns.kind === "lease" && dns.lease.dns, ["9.9.9.9"]);
  const kinds = ["deconfig", "nak", "leasefail"].map((event) => parse({ event }).kind);
  assert.deepEqual(kinds, ["deconfig", "nak", "leasefail"]);
  fc.assert(fc.property(fc.string(), (line) => {
    parseDhcpLine(line);
  }));
});

Deno.test("the DHCP client's script reports addresses and numbers, whatever a server sends", async () => {
  const script = fileURLToPath(new URL("../../../system/uplink/dhcp/report.sh", import.meta.url));
  const run = async (event: string, env: Readonly<Record<string, string>>): Promise<string> => {
    const { stdout } = await new Deno.Command(script, { args: [event], env: { ...env } }).output();
    return new TextDecoder().decode(stdout);
  };
  const evil = '9.9.9.9"}\n{"event":"deconfig"} $(id) `id`';
  const text = await run("bound", { ip: "100.64.5.9", mask: "24", router: evil, lease: "60" });
  assert.equal(text.split("\n").length, 2, "one line");
  const line = parseDhcpLine(text.trim());
  assert.deepEqual(line.kind === "lease" && line.lease.router, "9.9.9.9");
  const more = await run("bound", {
    ...{ ip: "100.64.5.9", mask: "24", router: "100.64.5.1" },
    ...{
      staticroutes: `10.0.0.0/8 100.64.5.7 ${evil}`,
      search: `a.example ${evil}`,
      domain: "b$(id)",
    },
  });
  const whole = parseDhcpLine(more.trim());
  assert.equal(whole.kind, "lease");
  assert.deepEqual(whole.kind === "lease" && whole.lease.routes, [
    { destination: "10.0.0.0/8", via: "100.64.5.7" },
  ]);
  assert.equal(parseDhcpLine((await run("deconfig", {})).trim()).kind, "deconfig");
});

interface Bench {
  readonly clients: DhcpClients;
  readonly leases: LeaseReport[];
  readonly problems: ProblemReport[];
  readonly started: DhcpClient[];
  say(line: unknown): void;
  /** What waits for its time, with its milliseconds. */
  readonly timers: Map<() => void, number>;
  stopped: number;
}

function bench(): Bench {
  let hear: Parameters<DhcpClientsDeps["start"]>[1] | null = null;
  const made: Bench = {
    leases: [],
    problems: [],
    started: [],
    timers: new Map(),
    stopped: 0,
    say: (line) => hear!.line(typeof line === "string" ? line : JSON.stringify(line)),
    clients: new DhcpClients({
      start: (client, on) => {
        made.started.push(client);
        hear = on;
        return { stop: () => Promise.resolve(void made.stopped++) };
      },
      lease: (report) => void made.leases.push(report),
      reportProblem: (report) => void made.problems.push(report),
      later: (run, milliseconds) => {
        made.timers.set(run, milliseconds);
        return () => void made.timers.delete(run);
      },
    }),
  };
  return made;
}

const CLIENT: DhcpClient = {
  name: "eth0",
  link: "eth0",
  index: 2,
  running: true,
  carrierUps: null,
  mac: "",
  lastAddress: "",
};
const BOUND = { event: "bound", ip: "100.64.5.9", mask: "24", router: "100.64.5.1", lease: "60" };

Deno.test("a plan of an older api is accepted", () => {
  const { carrierUps: _, ...older } = CLIENT;
  const plan = {
    ...{ tag: "1", decided: true, ppp: [], probes: [], intervalSeconds: 5, speed: null },
    dhcp: [older],
  };
  assert.deepEqual(UplinkPlan.parse(plan).dhcp, [CLIENT]);
});

Deno.test("a DHCP client restarts when its interface changed or got its carrier, and only then", async () => {
  const { clients, started } = bench();
  await clients.reconcile([CLIENT]);
  await clients.reconcile([{ ...CLIENT, lastAddress: "100.64.5.9" }]);
  await clients.reconcile([{ ...CLIENT, running: false }]);
  assert.equal(started.length, 1);
  await clients.reconcile([CLIENT]);
  assert.equal(started.length, 2, "plugged in");
  await clients.reconcile([{ ...CLIENT, index: 9 }]);
  assert.equal(started.length, 3, "another card");
  await clients.reconcile([{ ...CLIENT, index: 9, mac: "02:00:00:00:0a:01" }]);
  assert.equal(started.length, 4, "another address of the card");
  const made = bench();
  await made.clients.reconcile([CLIENT]);
  await made.clients.reconcile([]);
  assert.equal(made.stopped, 1);
});

Deno.test("a DHCP client restarts once for each missed loss of carrier", async () => {
  const { clients, started } = bench();
  const after = async (carrierUps: number | null, running = true): Promise<number> => {
    await clients.reconcile([{ ...CLIENT, carrierUps, running }]);
    return started.length;
  };
  assert.equal(await after(1), 1);
  assert.equal(await after(1), 1);
  assert.equal(await after(2), 2, "out and in");
  assert.equal(await after(2, false), 2, "out");
  assert.equal(await after(3), 3, "in again");
  assert.equal(await after(5, false), 3, "out and in, and out again");
  assert.equal(await after(6), 4);
  assert.equal(await after(7, false), 4, "in again, and not seen to carry anything yet");
  assert.equal(await after(7), 5);
  assert.equal(await after(7), 5);
  assert.equal(await after(0), 6, "a counter that began anew");
  assert.equal(await after(null), 6, "another kernel does not tell");
  assert.equal(await after(null, false), 6);
  assert.equal(await after(null), 7);
});

Deno.test("a lease outlives its client, and ends by expiry, NAK or deconfig", async () => {
  const { clients, leases, say, timers } = bench();
  await clients.reconcile([CLIENT]);
  say({ event: "deconfig" });
  assert.equal(leases.length, 0, "a client begins with this word");
  say(BOUND);
  say({ ...BOUND, event: "renew" });
  assert.equal(leases.length, 2);
  assert.deepEqual([...timers.values()], [60_000], "one timer, set anew");
  [...timers.keys()][0]!();
  assert.deepEqual(leases[2], { name: "eth0", lease: null });
  say(BOUND);
  say({ event: "deconfig" });
  assert.deepEqual(leases.at(-1)?.lease, null);
  say(BOUND);
  await clients.reconcile([]);
  assert.notEqual(leases.at(-1)?.lease, null, "stopping a client ends no lease");
  assert.equal(timers.size, 0);
});

Deno.test("a lease longer than the largest timer ends on time", async () => {
  const { clients, leases, say, timers } = bench();
  await clients.reconcile([CLIENT]);
  say({ ...BOUND, lease: String(60 * 86_400) });
  let waited = 0;
  while (leases.length === 1) {
    const [[ring, milliseconds]] = [...timers] as [[() => void, number]];
    assert.ok(milliseconds < 2 ** 31, "no timer counts further");
    waited += milliseconds;
    timers.delete(ring);
    ring();
  }
  assert.equal(waited, 60 * 86_400_000);
  assert.deepEqual(leases[1], { name: "eth0", lease: null });
});

Deno.test("no DHCP client is started after they were stopped", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started: string[] = [];
  const clients = new DhcpClients({
    start: ({ link }) => {
      started.push(link);
      return { stop: () => promise };
    },
    lease: () => {},
    reportProblem: () => {},
    later: () => () => {},
  });
  await clients.reconcile([CLIENT]);
  const adapting = clients.reconcile([{ ...CLIENT, name: "eth1", link: "eth1" }]);
  const stopping = clients.stop();
  resolve();
  await Promise.all([adapting, stopping]);
  assert.deepEqual(started, ["eth0"]);
});

Deno.test("missing replies and malformed lines of a DHCP client are reported once, and resolved by a lease", async () => {
  const { clients, problems, say } = bench();
  await clients.reconcile([CLIENT]);
  say({ event: "leasefail" });
  say({ event: "leasefail" });
  say("Segmentation fault\u0007");
  say(BOUND);
  say(BOUND);
  assert.deepEqual(problems.map(({ detail }) => detail), [
    "No DHCP server responds",
    "Unexpected output of the DHCP client: Segmentation fault ",
    "",
  ]);
});

Deno.test("an uplink is down after FailThreshold failures, and up after RecoverThreshold replies", () => {
  const config = { FailThreshold: 3, RecoverThreshold: 2, ProbeTargets: [] as string[] };
  const run = (rounds: readonly (number | null)[], from: Health = UNKNOWN, on = config) =>
    rounds.reduce<Health>((health, round) => afterRound(health, round, on), from);
  assert.equal(run([1, null, null]).isDown, false);
  assert.equal(run([1, null, null, 5, null, null]).isDown, false);
  const dead = run([1, null, null, null]);
  assert.equal(dead.isDown, true);
  assert.equal(run([1], dead).isDown, true);
  assert.equal(run([1, null, 1], dead).isDown, true);
  assert.equal(run([1, 1], dead).isDown, false);
  const silent = Array.from({ length: 20 }, () => null);
  assert.equal(run(silent).isDown, false, "many gateways never answer");
  assert.equal(run(silent, UNKNOWN, { ...config, ProbeTargets: ["9.9.9.9"] }).isDown, true);
  assert.equal(run(Array.from({ length: 500 }, () => 1)).rounds.length, 60);
  assert.deepEqual(latest(run([10, 20, null, 40])), {
    LatencyMs: 23.33,
    JitterMs: 15,
    LossPct: 25,
  });
  assert.deepEqual(latest(UNKNOWN), { LatencyMs: 0, JitterMs: 0, LossPct: 0 });
});

Deno.test("downtime counts the requested period, a current outage until now", () => {
  const outages = [{ Start: 0, End: 50 }, { Start: 90, End: 110 }, { Start: 190, End: 0 }];
  assert.equal(downtime(outages, { since: 100, now: 200 }), 20);
});

Deno.test("the fastest reply of an uplink counts, and a failing probe is no reply", async () => {
  const report = await probeRound([
    { name: "eth0", link: "eth0", targets: ["192.0.2.1", "192.0.2.2"] },
    { name: "eth2", link: "eth2", targets: ["192.0.2.3"] },
    { name: "eth3", link: "eth3", targets: [] },
  ], ({ address }) => {
    if (address === "192.0.2.3") return Promise.reject(new Error("no such link"));
    return Promise.resolve(address === "192.0.2.1" ? null : 7);
  });
  assert.deepEqual(report.items, [{ name: "eth0", latency: 7 }, { name: "eth2", latency: null }]);
});

Deno.test("addresses are leased on the VLAN interfaces of tagged devices", () => {
  const config = network({ "02:00:00:00:00:0a": { ip: "192.168.2.6" } }, {
    interfaces: [link("eth1", "Downlink", { Subtype: "VLAN-Trunk" })],
  });
  const [identity, device] = Object.entries(config.devices)[0]!;
  const tagged = { ...config, devices: { [identity]: { ...device, VLANTag: "30" } } };
  const engine = {
    config: tagged,
    network: { state: "applied", detail: null },
    observed: { devices: {} },
  };
  assert.deepEqual(leasingInterfaces(engine as never).lan, ["eth1", "eth1.30"]);
});

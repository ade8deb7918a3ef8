import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import type { NetworkState } from "../../../system/core/engine/change.ts";
import { dnsSnapshot } from "../../../system/dns/config/snapshot.ts";
import { FeedFile } from "../../../system/core/ipc/feed.ts";
import { SnapshotShape } from "../../../system/dns/config/snapshot_schema.ts";
import { createDnsFeed } from "../../../system/dns/config/feed.ts";
import type { UplinkPath } from "../../../system/core/kernel/desired.ts";
import { LAN_LINK } from "../../../system/network/plan.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";

const HOME = {
  addresses: [{ link: LAN_LINK, address: "192.168.2.1/24" }, {
    link: "wan0",
    address: "203.0.113.2/24",
  }],
};
const SOURCES = {
  ...{ desired: HOME, applied: true, routerNames: ["box"], trusted: [] },
  observed: {},
};

Deno.test("the resolver listens on the LAN only, and nowhere while nothing is applied", () => {
  const listen = (applied: boolean | null) =>
    dnsSnapshot(configWith(), { ...SOURCES, applied }).listen;
  assert.deepEqual(listen(true), ["192.168.2.1"]);
  assert.deepEqual(listen(false), []);
  assert.equal(listen(null), null);
});

Deno.test("the tag of a snapshot changes with its content, and only with it", () => {
  const config = configWith();
  const { tag } = dnsSnapshot(config, SOURCES);
  assert.equal(dnsSnapshot({ ...config }, { ...SOURCES }).tag, tag);
  const devices = { [mac(1)]: device(mac(1), { RecentIP: "192.168.2.6", Policies: ["dns"] }) };
  assert.notEqual(dnsSnapshot(configWith({ devices }), SOURCES).tag, tag);
  assert.notEqual(dnsSnapshot(config, { ...SOURCES, applied: false }).tag, tag);
});

Deno.test("networks of custom interface rules with DNS access are included, those on an uplink are not", () => {
  const config = configWith();
  const rule = (Interface: string, SrcIP: string, Policies: string[]) => ({
    ...{ RuleName: "", Description: "", Disabled: false, Interface, SrcIP, RouteDst: "" },
    ...{ Policies, Groups: [], Tags: [] },
  });
  const firewall = {
    ...config.firewall,
    SystemDNSOverride: "nonsense",
    CustomInterfaceRules: [
      rule("docker0", "172.18.0.0/16", ["dns"]),
      rule("docker1", "172.19.0.0/16", ["wan"]),
      rule("wan0", "198.51.100.0/24", ["dns"]),
    ],
  } as typeof config.firewall;
  const snapshot = dnsSnapshot(configWith({ firewall }), SOURCES);
  assert.deepEqual(snapshot.networks, ["192.168.2.1/24", "172.18.0.0/16"]);
  assert.equal(snapshot.override, "");
});

Deno.test("a snapshot has every address of the router, so that no list is fetched from it", () => {
  const seen = { links: new Map(), addresses: ["198.51.100.9"] };
  const snapshot = dnsSnapshot(configWith(), { ...SOURCES, desired: { ...HOME, facts: seen } });
  assert.deepEqual(snapshot.routerAddresses, ["192.168.2.1", "203.0.113.2", "198.51.100.9"]);
});

Deno.test("a snapshot has ISP resolvers only where they are enabled", () => {
  const lease = (dns: readonly string[]) => ({
    lease: { address: "203.0.113.2/24", router: "203.0.113.1", dns, mtu: null, until: null },
    down: false,
  });
  const observed = {
    uplinks: {
      wan0: lease(["203.0.113.53", "203.0.113.2", "192.168.2.1"]),
      wan1: lease(["198.51.100.53", "203.0.113.53"]),
      gone: lease(["192.0.2.53"]),
      fixed: lease(["192.0.2.54"]),
      dialled: lease(["192.0.2.55"]),
    },
  };
  const path = (name: string, address = "203.0.113.2/24") =>
    ({ name, address, via: null, linkMtu: null }) as unknown as UplinkPath;
  const uplinks = [
    path("fixed"),
    // It dials now, and has another address than that of the lease which it had.
    path("dialled", "198.51.100.9/32"),
    path("wan1"),
    path("wan0"),
  ];
  const seen = { links: new Map(), addresses: [], uplinks };
  const interfaces = ["wan0", "wan1", "gone", "fixed", "dialled"].map((Name) => ({
    ...{ Name, Type: "Uplink", Enabled: true, DisableDHCP: Name === "fixed" },
  })) as unknown as Config["interfaces"];
  const snapshotWith = (ProviderResolvers: "never" | "fallback" | "first") => {
    const config = configWith({ interfaces });
    const sources = { ...SOURCES, observed, desired: { ...HOME, facts: seen } };
    return dnsSnapshot({ ...config, dns: { ...config.dns, ProviderResolvers } }, sources);
  };
  assert.deepEqual(snapshotWith("never").ispResolvers, []);
  for (const mode of ["fallback", "first"] as const) {
    assert.deepEqual(snapshotWith(mode).ispResolvers, ["198.51.100.53", "203.0.113.53"], mode);
  }
  const older: Record<string, unknown> = { ...snapshotWith("first") };
  delete older["ispResolvers"];
  assert.deepEqual(SnapshotShape.parse(older).ispResolvers, [], "one that an older version left");
});

Deno.test("a saved snapshot is used at the next start, an invalid one is not", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/snapshot.json`;
    const file = new FeedFile(path, SnapshotShape);
    assert.equal(await file.read(), null);
    const snapshot = dnsSnapshot(configWith(), SOURCES);
    file.write(snapshot);
    await file.settled();
    assert.deepEqual(await new FeedFile(path, SnapshotShape).read(), snapshot);
    assert.deepEqual(SnapshotShape.parse(JSON.parse(JSON.stringify(snapshot))), snapshot);
    const broken = [
      "",
      "{}",
      JSON.stringify({ ...snapshot, settings: {} }),
      JSON.stringify({ ...snapshot, listen: ["everywhere"] }),
      JSON.stringify({ ...snapshot, clients: [{ address: "192.168.2.6" }] }),
      (await Deno.readTextFile(path)).slice(0, 200),
    ];
    for (const text of broken) {
      await Deno.writeTextFile(path, text);
      assert.equal(await file.read(), null, text.slice(0, 60));
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a start of the api, or a kernel that refuses, does not change the listen addresses", async () => {
  const bus = new Bus(() => 0);
  const ending = new AbortController();
  const engine = {
    config: configWith(),
    desired: {
      ...HOME,
      ruleset: { tables: [] },
      links: [],
      neighbours: [],
      routes: [],
      forwarding: true,
    },
    observed: { devices: {} },
    network: { state: "model", detail: null } as NetworkState,
  };
  const snapshots = createDnsFeed({
    engine,
    bus,
    ending: ending.signal,
    names: () => ["localhost", "box", "box.local", "*.example.com", "box.example.com"],
    trusted: () => Promise.resolve([]),
  });
  const states = [
    ["model", null],
    ["broken", ["192.168.2.1"]],
    ["applied", ["192.168.2.1"]],
    ["blocked", []],
    ["released", []],
  ] as const;
  for (const [state, listen] of states) {
    engine.network = { state, detail: null };
    assert.deepEqual((await snapshots("")).listen, listen, state);
  }
  engine.desired = { ...engine.desired, addresses: [] };
  engine.network = { state: "broken", detail: null };
  const { listen, names } = await snapshots("");
  assert.equal(listen, null);
  assert.deepEqual(names, []);
  engine.desired = { ...engine.desired, ...HOME };
  assert.deepEqual((await snapshots("")).names.map(({ name }) => name), [
    "box.lan",
    "box.example.com",
  ]);
});

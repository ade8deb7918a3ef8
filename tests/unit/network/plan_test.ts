import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Observations } from "../../../system/core/engine/change.ts";
import type { AddressFact, Facts } from "../../../system/core/kernel/facts.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { diffRulesets } from "../../../system/core/kernel/nft/diff.ts";
import { intermediateRuleset } from "../../../system/firewall/sets/transition.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { locateDevices } from "../../../system/network/device_links.ts";
import { block, firewallWith } from "../../kit/builders/firewall_rules.ts";
import { anyNetwork } from "../../kit/builders/random_network.ts";
import { applyOps, canonical } from "../../kit/builders/ruleset_apply.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const locate = (config: Config, observed: Observations, facts: Facts) =>
  locateDevices({ config, observed, facts, networks: config.dhcp.TinyNets });

const A = "02:00:00:00:00:0a", B = "02:00:00:00:00:0b";

Deno.test("a device is where it was seen, else where the kernel has it, else on the first downlink", () => {
  const config = network({ [A]: { ip: "192.168.2.6" }, [B]: { ip: "192.168.2.10", wifi: true } });
  const where = (observed = seenOn(), facts = kernel()) =>
    locate(config, observed, facts).map(({ identity, link }) => [identity, link]);
  assert.deepEqual(where(), [[A, "eth1"]]);
  assert.deepEqual(where(seenOn({ [B]: "wlan1.4096" })), [[A, "eth1"], [B, "wlan1.4096"]]);
  const known = { address: "192.168.2.10", link: "wlan1.4097", mac: B, permanent: true };
  assert.deepEqual(where(seenOn(), kernel(undefined, { neighbours: [known] })), [
    [A, "eth1"],
    [B, "wlan1.4097"],
  ]);
  const route = { destination: "192.168.2.8/30", via: null, link: "wlan1.7", protocol: "kernel" };
  assert.deepEqual(where(seenOn(), kernel(undefined, { routes: [route] })), [
    [A, "eth1"],
    [B, "wlan1.7"],
  ]);
});

Deno.test("no device has a place on an uplink, an unknown link, or with a foreign address", () => {
  const device = (ip: string, name: string | null, more = {}) =>
    locate(
      network({ [A]: { ip, wifi: true, ...more } }),
      name === null ? seenOn() : seenOn({ [A]: name }),
      kernel(),
    ).length;
  assert.equal(device("192.168.2.6", "eth1"), 1);
  assert.equal(device("192.168.2.6", "eth1.30"), 1);
  for (const name of ["eth0", "eth7", "lo", "wlan12", "wg0", null]) {
    assert.equal(device("192.168.2.6", name), 0, String(name));
  }
  for (const ip of ["", "192.168.3.6", "192.168.2.5", "192.168.2.7", "192.168.2.1"]) {
    assert.equal(device(ip, "eth1"), 0, ip);
  }
  assert.equal(device("192.168.2.6", "eth1", { disabled: true }), 0);
  assert.equal(device("192.168.2.6", "eth1", { policies: ["disabled"] }), 0);
});

Deno.test("leftovers of a previous LAN subnet are not foreign", () => {
  const seen = (addresses: readonly AddressFact[]) =>
    planner.desire(
      network({ [A]: { ip: "192.168.2.6" } }),
      seenOn(),
      kernel(undefined, { addresses }),
    )
      .facts?.addresses;
  const left = [
    { link: "eth1", address: "10.77.0.5/30", ours: true },
    { link: "sluice0", address: "10.77.0.1/24" },
  ] as const;
  assert.deepEqual(seen(left), []);
  const others = [
    { link: "eth0", address: "10.77.0.5/30" },
    { link: "eth1", address: "10.77.0.5/30" },
    { link: "eth1", address: "192.168.2.5/30", ours: true },
  ] as const;
  assert.deepEqual(seen(others), ["10.77.0.5", "10.77.0.5"]);
  const uplink = [{ link: "eth0", address: "203.0.113.2/24", ours: true }] as const;
  const fixed = { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" };
  const config = network({}, { interfaces: [link("eth0", "Uplink", fixed)] });
  assert.deepEqual(
    planner.desire(config, seenOn(), kernel(undefined, { addresses: uplink })).facts?.addresses,
    ["203.0.113.2"],
    "what is wanted is elsewhere still",
  );
});

Deno.test("what we set and nothing asks for goes, with its device; what others set stays", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const facts = kernel(["lo", "eth0", "eth1", "wlan1", "sluice0"], {
    addresses: [
      { link: "sluice0", address: "192.168.2.1/24", ours: true },
      { link: "eth1", address: "192.168.2.5/30", ours: true },
      { link: "eth1", address: "10.77.0.5/30", ours: true },
      { link: "eth1", address: "10.78.0.5/30" },
      { link: "eth0", address: "198.51.100.9/24", ours: true },
    ],
    neighbours: [
      { address: "192.168.2.6", link: "eth1", mac: A, permanent: true },
      { address: "10.77.0.6", link: "eth1", mac: B, permanent: true },
      { address: "10.77.0.6", link: "eth0", mac: B, permanent: true },
      { address: "10.77.0.6", link: "wlan1", mac: B, permanent: false },
      { address: "10.78.0.6", link: "eth1", mac: B, permanent: true },
      { address: "198.51.100.10", link: "eth0", mac: B, permanent: true },
    ],
  });
  const plan = planner.reconcile(planner.desire(config, seenOn(), facts), facts);
  assert.deepEqual(planner.describe(plan).filter((line) => / del /.test(line)), [
    "ip neigh del 10.77.0.6 dev eth1",
    "ip addr del 10.77.0.5/30 dev eth1",
    "ip addr del 198.51.100.9/24 dev eth0",
  ]);
});

Deno.test("two devices with one address: only the first has a place", () => {
  const config = network({ [A]: { ip: "192.168.2.6" }, [B]: { ip: "192.168.2.6" } });
  assert.deepEqual(locate(config, seenOn(), kernel()).map((one) => one.identity), [A]);
});

Deno.test("a static uplink, the LAN subnet and a device become links, addresses and neighbours", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } }, {
    interfaces: [
      link("eth0", "Uplink", { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" }),
      link("eth1", "Downlink"),
      link("eth2", "Downlink", { Enabled: false }),
      link("eth9", "Downlink"),
    ],
  });
  const desired = planner.desire(config, seenOn(), kernel(["lo", "eth0", "eth1", "eth2"]));
  const { ruleset: _, facts: __, ...rest } = desired;
  assert.deepEqual(rest, {
    links: [
      { name: "sluice0", create: "dummy", up: true },
      { name: "eth0", create: null, up: true },
      { name: "eth1", create: null, up: true },
      { name: "eth2", create: null, up: false },
    ],
    addresses: [
      { link: "sluice0", address: "192.168.2.1/24" },
      { link: "eth0", address: "203.0.113.2/24" },
      { link: "eth1", address: "192.168.2.5/30" },
    ],
    routes: [{ destination: "default", via: "203.0.113.1", link: "eth0" }],
    neighbours: [{ address: "192.168.2.6", link: "eth1", mac: A }],
    forwarding: true,
  });
});

Deno.test("without dummy links the LAN address is on a bridge, without both nowhere", () => {
  const facts = kernel();
  const make = (dummy: boolean, bridge: boolean) =>
    planner.desire(network(), seenOn(), {
      ...facts,
      capabilities: { ...facts.capabilities, dummy, bridge },
    }).links.find((one) => one.name === "sluice0")?.create;
  assert.equal(make(true, true), "dummy");
  assert.equal(make(false, true), "bridge");
  assert.equal(make(false, false), undefined);
});

Deno.test("giving a policy is one transaction, and nothing needs judging again", () => {
  const before = planner.desire(network({ [A]: { ip: "192.168.2.6" } }), seenOn(), kernel());
  const config = network({ [A]: { ip: "192.168.2.6", policies: ["wan"] } });
  const plan = planner.diff(before, planner.desire(config, seenOn(), kernel()));
  assert.deepEqual(planner.describe(plan), [
    'nft add element inet filter internet_access { 192.168.2.6 . "eth1" : accept }',
  ]);
  assert.deepEqual(plan.recheck, []);
});

Deno.test("a device that moves loses its access before its address moves and gains it after", () => {
  const config = network({ [A]: { ip: "192.168.2.6", policies: ["wan"] } });
  const facts = kernel(["lo", "eth0", "eth1", "wlan1", "wlan1.5"]);
  const before = planner.desire(config, seenOn({ [A]: "eth1" }), facts);
  const plan = planner.diff(before, planner.desire(config, seenOn({ [A]: "wlan1.5" }), facts));
  assert.deepEqual(planner.describe(plan), [
    `nft delete element inet filter ethernet_filter { 192.168.2.6 . "eth1" . ${A} : return }`,
    'nft delete element inet filter internet_access { 192.168.2.6 . "eth1" : accept }',
    "ip neigh del 192.168.2.6 dev eth1",
    "ip addr del 192.168.2.5/30 dev eth1",
    "ip addr add 192.168.2.5/30 dev wlan1.5",
    `ip neigh replace 192.168.2.6 lladdr ${A} dev wlan1.5 nud permanent`,
    `nft add element inet filter ethernet_filter { 192.168.2.6 . "wlan1.5" . ${A} : return }`,
    'nft add element inet filter internet_access { 192.168.2.6 . "wlan1.5" : accept }',
  ]);
  assert.deepEqual(plan.recheck, ["192.168.2.6"]);
});

Deno.test("taking access away names whose connections must be judged again", () => {
  const state = (changes: Partial<Config>, policies: "noapi"[] | "quarantine"[] = []) =>
    planner.desire(
      network({ [A]: { ip: "192.168.2.6", policies, groups: ["kids"] } }, {
        groups: [group("kids")],
        ...changes,
      }),
      seenOn(),
      kernel(),
    );
  const plain = state({});
  assert.deepEqual(planner.diff(plain, state({}, ["noapi"])).recheck, ["192.168.2.6"]);
  assert.deepEqual(planner.diff(plain, state({}, ["quarantine"])).recheck, ["192.168.2.6"]);
  assert.deepEqual(planner.diff(plain, state({ groups: [] })).recheck, ["192.168.2.6"]);
  assert.deepEqual(planner.diff(state({}, ["noapi"]), plain).recheck, []);
  const closed = state({
    firewall: { ...DEFAULT_FIREWALL, ServicePorts: [], PingLan: true, PingWan: false },
  });
  assert.ok(planner.diff(plain, closed).recheck.includes("192.168.2.1"));
});

Deno.test("addresses of a link that is gone are not deleted from it", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const before = planner.desire(config, seenOn(), kernel());
  const after = planner.desire(config, seenOn(), kernel(["lo", "eth0", "wlan1"]));
  assert.deepEqual(planner.describe(planner.diff(before, after)), []);
});

Deno.test("a link that was unplugged and came back gets everything anew", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const before = planner.desire(config, seenOn(), kernel());
  const facts = kernel(["lo", "eth0", "wlan1", "eth1"]); // Another index than before.
  assert.deepEqual(
    planner.describe(planner.diff(before, planner.desire(config, seenOn(), facts))),
    [
      "ip link set eth1 up",
      "ip addr add 192.168.2.5/30 dev eth1",
      `ip neigh replace 192.168.2.6 lladdr ${A} dev eth1 nud permanent`,
    ],
  );
});

Deno.test("an address may be on a link already that came back: operations find links by name", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const facts = kernel(["lo", "eth0", "wlan1", "eth1"]); // Another index than before.
  const before = planner.desire(config, seenOn(), kernel());
  const { steps } = planner.diff(before, planner.desire(config, seenOn(), facts));
  const added = steps.flatMap((step) => step.kind === "ip" ? step.ops : [])
    .filter(({ op }) => op === "add-address");
  assert.deepEqual(added, [
    { op: "add-address", link: "eth1", address: "192.168.2.5/30", mayBeThere: true },
  ]);
});

Deno.test("reconciling loads the rules first, touches only what is ours, and forwards last", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const facts = kernel(["lo", "eth0", "eth1", "wlan1", "docker0"], {
    forwarding: true,
    addresses: [
      { link: "lo", address: "127.0.0.1/8" },
      { link: "eth0", address: "203.0.113.9/24" },
      { link: "docker0", address: "172.17.0.1/16" },
      { link: "eth1", address: "192.168.2.9/30" },
    ],
    neighbours: [
      { address: "192.168.2.10", link: "eth1", mac: B, permanent: true },
      { address: "203.0.113.1", link: "eth0", mac: B, permanent: true },
    ],
    tables: [
      { family: "inet", name: "mangle", comment: "sluice" },
      { family: "ip", name: "docker", comment: null },
    ],
  });
  const plan = planner.reconcile(planner.desire(config, seenOn(), facts), facts);
  const lines = planner.describe(plan);
  assert.deepEqual(lines.filter((line) => !line.startsWith("nft load")), [
    "sysctl net.ipv4.ip_forward=0",
    "nft delete table inet mangle",
    "ip neigh del 192.168.2.10 dev eth1",
    "ip addr del 192.168.2.9/30 dev eth1",
    "ip link add sluice0 type dummy",
    "ip link set sluice0 up",
    "ip addr add 192.168.2.1/24 dev sluice0",
    "ip addr add 192.168.2.5/30 dev eth1",
    `ip neigh replace 192.168.2.6 lladdr ${A} dev eth1 nud permanent`,
    "sysctl net.ipv4.ip_forward=1",
  ]);
  assert.match(lines[1]!, /^nft load table inet filter: \d+ chains/);
});

Deno.test("reconciling what stands already only loads the rules", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const desired = planner.desire(config, seenOn(), kernel());
  const facts = kernel(["lo", "eth0", "eth1", "wlan1", "sluice0"], {
    forwarding: true,
    addresses: desired.addresses,
    neighbours: desired.neighbours.map((one) => ({ ...one, permanent: true })),
    tables: desired.ruleset.tables.map(({ family, name }) => ({ family, name, comment: "sluice" })),
  });
  const again = planner.desire(config, seenOn(), facts);
  assert.deepEqual(planner.reconcile(again, facts).steps.map((step) => step.kind), ["load"]);
  assert.deepEqual(planner.diff(desired, again).steps, []);
});

const anyConfig = anyNetwork([
  link("eth0", "Uplink"),
  link("eth1", "Downlink"),
  link("wlan1", "AP"),
]);

Deno.test("a table is set anew where the kernel would be busy with deletions for long", () => {
  const blocks = Array.from(
    { length: 1000 },
    (_, i) => block(`10.0.${i >> 8}.${i & 255}`, "198.51.100.7", String(i + 1)),
  );
  const of = (ForwardingBlockRules: typeof blocks) =>
    planner.desire(
      network({}, { firewall: firewallWith({ ForwardingBlockRules }) }),
      seenOn(),
      kernel(),
    ).ruleset;
  const whole = of(blocks);
  const ops = (rest: typeof blocks) => diffRulesets(whole, of(rest)).map(({ op }) => op);
  assert.deepEqual(ops(blocks.slice(0, 700)), ["delete-elements"]);
  assert.deepEqual(ops(blocks.slice(0, 500)), ["delete-table", "add-table"]);
  const half = of(blocks.slice(0, 500));
  assert.deepEqual(canonical(applyOps(whole, diffRulesets(whole, half))), canonical(half));
});

Deno.test("the difference of two rulesets, applied to the first, is the second", () => {
  fc.assert(fc.property(anyConfig, anyConfig, (first, second) => {
    const a = planner.desire(first, seenOn(), kernel()).ruleset;
    const b = planner.desire(second, seenOn(), kernel()).ruleset;
    assert.deepEqual(canonical(applyOps(a, diffRulesets(a, b))), canonical(b));
    const between = intermediateRuleset(a, b);
    const there = applyOps(a, diffRulesets(a, between));
    assert.deepEqual(canonical(applyOps(there, diffRulesets(between, b))), canonical(b));
  }));
});

Deno.test("while a link ceases to be an uplink, no LAN address leaves through it", () => {
  const plan = (change: Parameters<typeof network>[1]) =>
    planner.desire(network({}, change), seenOn(), kernel());
  const blocks = firewallWith({
    OutputBlockRules: [block("0.0.0.0/0", "0.0.0.0/0", "any", { Protocol: "tcp" })],
  });
  const a = plan({ interfaces: [link("eth0", "Uplink")] });
  const b = plan({ interfaces: [], firewall: blocks });
  const between = { ...a, ruleset: intermediateRuleset(a.ruleset, b.ruleset) };
  const packet = planner.firstPacket(a, {
    source: "192.168.2.1",
    destination: "8.8.8.8",
    protocol: "tcp",
    dport: 22,
  });
  for (const state of [a, between, b]) assert.equal(planner.trace(state, packet).verdict, "drop");
});

Deno.test("no state on the way allows a packet that neither end allows", () => {
  const ips = ["192.168.2.6", "192.168.0.2", "192.168.1.6", "8.8.8.8", "192.168.2.1"];
  const query = fc.record({
    source: fc.constantFrom(...ips),
    destination: fc.constantFrom(...ips),
    dport: fc.constantFrom(22, 53, 443, 8443),
  });
  fc.assert(fc.property(anyConfig, anyConfig, query, (first, second, one) => {
    const a = planner.desire(first, seenOn(), kernel());
    const b = planner.desire(second, seenOn(), kernel());
    const between = { ...a, ruleset: intermediateRuleset(a.ruleset, b.ruleset) };
    for (const state of [a, b]) {
      const packet = planner.firstPacket(state, { ...one, protocol: "tcp" });
      if (planner.trace(between, packet).verdict !== "accept") continue;
      const ends = [a, b].map((end) => planner.trace(end, packet).verdict);
      assert.ok(ends.includes("accept"), JSON.stringify(packet));
    }
  }));
});

Deno.test("what follows from a device is kept while another configuration is looked at", () => {
  const config = network({ [A]: { ip: "192.168.2.6" } });
  const [before] = locate(config, seenOn(), kernel());
  const moved = {
    ...config,
    devices: { [A]: { ...config.devices[A]!, RecentIP: "192.168.2.10" } },
  };
  assert.notEqual(locate(moved, seenOn(), kernel())[0], before);
  assert.equal(locate(config, seenOn(), kernel())[0], before);
  const [elsewhere] = locate(config, seenOn({ [A]: "eth1.30" }), kernel());
  assert.equal(elsewhere!.link, "eth1.30");
});

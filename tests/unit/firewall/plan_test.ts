import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { PacketQuery } from "../../../system/core/engine/change.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { tracePacket } from "../../../system/firewall/trace/trace.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import {
  block,
  custom,
  endpoint,
  firewallWith,
  forward,
  outright,
} from "../../kit/builders/firewall_rules.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const A = "02:00:00:00:00:0a", B = "02:00:00:00:00:0b";
const IP_A = "192.168.2.6", IP_B = "192.168.2.10";
const WAN = "203.0.113.2", FAR = "198.51.100.7", BOX = "172.17.0.2";

function config(rules: Partial<Config["firewall"]>, changes: Partial<Config> = {}): Config {
  return network({
    [A]: { ip: IP_A, policies: ["wan"], tags: ["nas"] },
    [B]: { ip: IP_B, groups: ["kids"] },
  }, {
    interfaces: [
      link("eth0", "Uplink", { DisableDHCP: true, IP: `${WAN}/24`, Router: "203.0.113.1" }),
      link("eth1", "Downlink"),
    ],
    groups: [group("kids"), group("off", { Disabled: true })],
    firewall: firewallWith(rules),
    ...changes,
  });
}

function state(of: Config): Desired {
  const facts = kernel(["lo", "eth0", "eth1", "docker0"], {
    addresses: [{ link: "docker0", address: "172.17.0.1/16" }],
  });
  return planner.desire(of, seenOn(), facts);
}

/** The verdict on a connection from the Internet to the WAN address, unless the query says otherwise. */
function verdict(of: Config, query: Partial<PacketQuery>): string {
  const desired = state(of);
  const connection = { source: FAR, destination: WAN, protocol: "tcp", ...query } as const;
  return tracePacket(desired.ruleset, planner.firstPacket(desired, connection)).verdict;
}

/** Elements of a set as `key : value`. */
function elements(of: Config, table: string, name: string): readonly string[] {
  const set = state(of).ruleset.tables.find((one) => one.name === table)
    ?.sets.find((one) => one.name === name);
  assert.ok(set, `no set ${name}`);
  return [...set.elements].map(([key, { value }]) =>
    value === undefined ? key : `${key} : ${"kind" in value ? value.kind : value.join(" . ")}`
  );
}

const from = (source: string, destination: string, dport: number): Partial<PacketQuery> => ({
  source,
  destination,
  dport,
});

Deno.test("a forward leads its port home, from an uplink only", () => {
  const of = config({ ForwardingRules: [forward("8080", IP_B, "443")] });
  assert.deepEqual(elements(of, "nat", "tcpfwd"), ["0.0.0.0/0 . 8080 : 192.168.2.10 . 443"]);
  assert.equal(verdict(of, { dport: 8080 }), "accept");
  assert.equal(verdict(of, { dport: 8081 }), "drop");
  assert.equal(verdict(of, { dport: 8080, protocol: "udp" }), "drop");
  assert.equal(verdict(of, from(IP_A, WAN, 8080)), "drop", "no way round from home");
  assert.equal(verdict(config({}), { dport: 8080 }), "drop");
});

Deno.test("a forward that is disabled leads nowhere", () => {
  const of = config({ ForwardingRules: [forward("8080", IP_B, "443", { Disabled: true })] });
  assert.deepEqual(elements(of, "nat", "tcpfwd"), []);
  assert.equal(verdict(of, { dport: 8080 }), "drop");
});

Deno.test("a forward to a quarantined device, or with a home address as sender, is closed", () => {
  const rules = { ForwardingRules: [forward("8080", IP_B, "443")] };
  const of = config(rules, { devices: config({}).devices });
  const quarantined = network({ [B]: { ip: IP_B, policies: ["quarantine"] } }, {
    interfaces: of.interfaces,
    firewall: of.firewall,
  });
  assert.equal(verdict(quarantined, { dport: 8080 }), "drop");
  assert.equal(verdict(of, { source: IP_A, iif: "eth0", dport: 8080 }), "drop");
});

Deno.test("SrcIP is what the outside connects to, From is who may", () => {
  const at = config({ ForwardingRules: [forward("80", IP_B, "80", { SrcIP: WAN })] });
  assert.equal(verdict(at, { dport: 80 }), "accept");
  const other = config({ ForwardingRules: [forward("80", IP_B, "80", { SrcIP: "203.0.113.9" })] });
  assert.equal(verdict(other, { dport: 80 }), "drop");
  const some = config({
    ForwardingRules: [forward("80", IP_B, "80", { From: ["198.51.100.0/24"] })],
  });
  assert.deepEqual(elements(some, "nat", "tcpfwd_from"), [
    "198.51.100.0/24 . 0.0.0.0/0 . 80 : 192.168.2.10 . 80",
  ]);
  assert.equal(verdict(some, { dport: 80 }), "accept");
  assert.equal(verdict(some, { source: "192.0.2.1", dport: 80 }), "drop");
});

Deno.test("ranges map one to one, to one port, or keep their ports", () => {
  const of = config({
    ForwardingRules: [
      forward("9000-9002", IP_B, "80-82"),
      forward("7000-7100", IP_B, "443"),
      forward("6000-6100", IP_B, "any"),
    ],
  });
  assert.deepEqual(elements(of, "nat", "tcpfwd"), [
    "0.0.0.0/0 . 9000 : 192.168.2.10 . 80",
    "0.0.0.0/0 . 9001 : 192.168.2.10 . 81",
    "0.0.0.0/0 . 9002 : 192.168.2.10 . 82",
    "0.0.0.0/0 . 7000-7100 : 192.168.2.10 . 443",
  ]);
  assert.deepEqual(elements(of, "nat", "tcpsamefwd"), ["0.0.0.0/0 . 6000-6100 : 192.168.2.10"]);
  for (const dport of [9001, 7050, 6050]) assert.equal(verdict(of, { dport }), "accept");
});

Deno.test("a forward of every port never takes the router's own open ports", () => {
  const open = { Protocol: "tcp", Port: "22", UpstreamEnabled: true, Description: "" } as const;
  const of = config({ ForwardingRules: [forward("any", IP_B, "any")], ServicePorts: [open] });
  assert.deepEqual(elements(of, "nat", "tcpanyfwd"), ["0.0.0.0/0 : 192.168.2.10"]);
  const where = (dport: number): string | undefined => {
    const desired = state(of);
    const packet = planner.firstPacket(desired, {
      ...{ source: FAR, destination: WAN, protocol: "tcp" as const },
      dport,
    });
    return tracePacket(desired.ruleset, packet).steps.at(-1)?.comment;
  };
  assert.equal(where(443), "Allowed: port forward from the WAN");
  assert.equal(where(22), "Allowed: router port open to the WAN");
});

Deno.test("of two forwards that meet, the more special one holds", () => {
  const of = config({
    ForwardingRules: [
      forward("any", IP_A, "any"),
      forward("80-90", IP_A, "80-90"),
      forward("85", IP_B, "443"),
      forward("86", IP_B, "443", { SrcIP: WAN }),
    ],
  });
  const led = (dport: number): string => {
    const desired = state(of);
    const packet = planner.firstPacket(desired, {
      ...{ source: FAR, destination: WAN, protocol: "tcp" as const },
      dport,
    });
    const step = tracePacket(desired.ruleset, packet).steps.find((one) =>
      one.outcome === "translate"
    );
    return step?.element?.set ?? "";
  };
  assert.deepEqual([85, 86, 87, 4000].map(led), ["tcpfwd", "tcpfwd", "tcpsamefwd_2", "tcpanyfwd"]);
});

Deno.test("blocks stop their way and no other", () => {
  const blocked = config({ ForwardingBlockRules: [block(IP_A, "8.8.8.8", "443")] });
  assert.equal(verdict(blocked, from(IP_A, "8.8.8.8", 443)), "drop");
  assert.equal(verdict(blocked, from(IP_A, "8.8.8.8", 80)), "accept");
  assert.equal(verdict(blocked, { ...from(IP_A, "8.8.8.8", 443), protocol: "udp" }), "accept");
  const all = config({ BlockRules: [outright(IP_A, "8.8.8.0/24")] });
  assert.deepEqual(elements(all, "nat", "block"), ["192.168.2.6 . 8.8.8.0/24 . tcp : drop"]);
  assert.equal(verdict(all, from(IP_A, "8.8.8.8", 443)), "drop");
  assert.equal(verdict(all, from(IP_A, "9.9.9.9", 443)), "accept");
  const off = config({ BlockRules: [outright(IP_A, "8.8.8.8", { Disabled: true })] });
  assert.equal(verdict(off, from(IP_A, "8.8.8.8", 443)), "accept");
});

Deno.test("a block holds against a forward", () => {
  const rules = { ForwardingRules: [forward("8080", IP_B, "443")] };
  for (
    const more of [
      { BlockRules: [outright(FAR, "0.0.0.0/0")] },
      { ForwardingBlockRules: [block("0.0.0.0/0", IP_B, "443")] },
    ]
  ) {
    assert.equal(verdict(config({ ...rules, ...more }), { dport: 8080 }), "drop");
  }
});

Deno.test("an output block stops the router alone, on its port", () => {
  const of = config({ OutputBlockRules: [block("0.0.0.0/0", "8.8.8.8", "443")] });
  assert.equal(verdict(of, from(WAN, "8.8.8.8", 443)), "drop");
  assert.equal(verdict(of, from(WAN, "8.8.8.8", 80)), "accept");
  assert.equal(verdict(of, from(IP_A, "8.8.8.8", 443)), "accept");
  const every = config({ OutputBlockRules: [block("0.0.0.0/0", "0.0.0.0/0")] });
  assert.equal(verdict(every, from("127.0.0.1", "127.0.0.1", 80)), "accept", "loopback stays");
});

Deno.test("overlapping blocks and their like are one each", () => {
  const of = config({
    ForwardingBlockRules: [
      block(IP_A, "0.0.0.0/0", "80-90"),
      block(IP_A, "0.0.0.0/0", "85-100"),
      block("192.168.2.0/24", "8.8.8.8", "1-85"),
      block(IP_A, "8.8.8.8", "82"),
    ],
  });
  assert.deepEqual(elements(of, "filter", "fwd_block"), [
    "192.168.2.6 . 0.0.0.0/0 . tcp . 80-100 : drop",
  ]);
  assert.deepEqual(elements(of, "filter", "fwd_block_2"), [
    "192.168.2.0/24 . 8.8.8.8 . tcp . 1-85 : drop",
  ]);
  assert.equal(verdict(of, from(IP_A, "9.9.9.9", 95)), "drop");
  assert.equal(verdict(of, from(IP_A, "8.8.8.8", 7)), "drop");
  assert.equal(verdict(of, from(IP_A, "9.9.9.9", 7)), "accept");
});

Deno.test("an endpoint opens itself to devices that share a tag", () => {
  const of = config({ Endpoints: [endpoint("nas", "10.99.0.1", "443", ["nas"])] });
  assert.deepEqual(elements(of, "filter", "ept_tcpfwd"), [
    "192.168.2.6 . 10.99.0.1 . 443 : accept",
  ]);
  assert.equal(verdict(of, from(IP_A, "10.99.0.1", 443)), "accept");
  assert.equal(verdict(of, from(IP_A, "10.99.0.1", 80)), "drop");
  assert.equal(verdict(of, from(IP_B, "10.99.0.1", 443)), "drop", "no tag");
  for (
    const closed of [
      endpoint("nas", "10.99.0.1", "443", ["nas"], { Disabled: true }),
      endpoint("nas", "10.99.0.1", "443", []),
      endpoint("nas", "", "443", ["nas"], { Domain: "nas.example" }),
    ]
  ) {
    assert.deepEqual(elements(config({ Endpoints: [closed] }), "filter", "ept_tcpfwd"), []);
  }
});

Deno.test("endpoints that overlap are all open", () => {
  const of = config({
    Endpoints: [
      endpoint("a", "10.99.0.0/16", "1-100", ["nas"]),
      endpoint("b", "10.99.0.1", "50-443", ["nas"]),
      endpoint("c", "10.99.0.1", "443", ["nas"]),
    ],
  });
  for (const dport of [10, 75, 443]) {
    assert.equal(verdict(of, from(IP_A, "10.99.0.1", dport)), "accept");
  }
  assert.equal(verdict(of, from(IP_A, "10.99.0.2", 443)), "drop");
});

Deno.test("a container reaches what its policies say, and nobody reaches it", () => {
  const rule = (more: Parameters<typeof custom>[2]): Config =>
    config({ CustomInterfaceRules: [custom("docker0", BOX, more)] });
  const wan = rule({ Policies: ["wan"] });
  assert.deepEqual(elements(wan, "filter", "fwd_iface_wan"), ["docker0 . 172.17.0.2 : accept"]);
  assert.equal(verdict(wan, from(BOX, "8.8.8.8", 443)), "accept");
  assert.equal(verdict(wan, from("172.17.0.3", "8.8.8.8", 443)), "drop");
  assert.equal(verdict(wan, from(BOX, "10.99.0.1", 443)), "drop", "private behind the uplink");
  assert.equal(verdict(wan, from(BOX, IP_B, 443)), "drop");
  assert.equal(
    verdict(rule({ Policies: ["wan", "lan_upstream"] }), from(BOX, "10.99.0.1", 443)),
    "accept",
  );
  const lan = rule({ Policies: ["lan"] });
  assert.equal(verdict(lan, from(BOX, IP_B, 443)), "accept");
  assert.equal(verdict(lan, from(IP_A, BOX, 443)), "drop", "not the other way");
  assert.equal(verdict(lan, from(BOX, "8.8.8.8", 443)), "drop");
  const dns = rule({ Policies: ["dns"] });
  assert.equal(verdict(dns, from(BOX, "192.168.2.1", 53)), "accept");
  assert.equal(verdict(dns, from(BOX, "192.168.2.1", 80)), "drop");
  assert.equal(verdict(rule({ Policies: ["api"] }), from(BOX, "192.168.2.1", 80)), "accept");
  assert.equal(verdict(rule({ Policies: ["api"] }), from(BOX, "192.168.2.1", 22)), "drop");
  assert.equal(verdict(rule({ Policies: ["wan", "disabled"] }), from(BOX, "8.8.8.8", 443)), "drop");
  assert.equal(
    verdict(rule({ Policies: ["wan"], Disabled: true }), from(BOX, "8.8.8.8", 443)),
    "drop",
  );
});

Deno.test("a container and devices of one group reach each other, also as a whole network", () => {
  for (const address of [BOX, "172.17.0.0/16"]) {
    const of = config({ CustomInterfaceRules: [custom("docker0", address, { Groups: ["kids"] })] });
    assert.equal(verdict(of, from(BOX, IP_B, 443)), "accept");
    assert.equal(verdict(of, from(IP_B, BOX, 443)), "accept");
    assert.equal(verdict(of, from(IP_A, BOX, 443)), "drop", "no member");
    const off = config({ CustomInterfaceRules: [custom("docker0", address, { Groups: ["off"] })] });
    assert.equal(verdict(off, from(BOX, IP_B, 443)), "drop");
  }
});

Deno.test("a network on an interface holds policies as an address does", () => {
  const of = config({
    CustomInterfaceRules: [
      custom("docker0", "172.17.0.0/16", { Policies: ["wan", "dns", "api", "lan"] }),
      custom("docker0", BOX, { Policies: ["wan"] }),
    ],
  });
  assert.deepEqual(elements(of, "filter", "fwd_iface_wan"), ["docker0 . 172.17.0.0/16 : accept"]);
  assert.equal(verdict(of, from("172.17.3.4", "8.8.8.8", 443)), "accept");
  assert.equal(verdict(of, from("172.17.3.4", "192.168.2.1", 53)), "accept");
  assert.equal(verdict(of, from("172.17.3.4", IP_B, 80)), "accept");
});

Deno.test("a rule on an uplink opens nothing to the Internet", () => {
  const of = config({
    CustomInterfaceRules: ["eth0", "eth0.7"].map((name) =>
      custom(name, "0.0.0.0/0", { Policies: ["wan", "lan", "dns", "api"] })
    ),
  });
  assert.equal(verdict(of, { dport: 53 }), "drop");
  assert.equal(verdict(of, { dport: 80 }), "drop");
  assert.equal(verdict(of, { destination: IP_B, dport: 80 }), "drop");
});

Deno.test("a route to a container waits until its gateway is on the link's network", () => {
  const via = (RouteDst: string): Config =>
    config({ CustomInterfaceRules: [custom("docker0", "172.30.0.0/24", { RouteDst })] });
  assert.deepEqual(state(via("172.17.0.2")).routes.at(-1), {
    destination: "172.30.0.0/24",
    via: "172.17.0.2",
    link: "docker0",
  });
  assert.equal(state(via("192.0.2.1")).routes.length, 1, "the uplink's alone");
});

Deno.test("multicast reaches the router on its ports, from uplinks by choice", () => {
  const of = config({
    MulticastPorts: [{ Port: "5353", Upstream: false }, { Port: "1900", Upstream: true }],
  });
  const mdns = { destination: "224.0.0.251", protocol: "udp" } as const;
  assert.equal(verdict(of, { source: IP_A, ...mdns, dport: 5353 }), "accept");
  assert.equal(verdict(of, { source: IP_A, ...mdns, dport: 5354 }), "drop");
  assert.equal(verdict(of, { ...mdns, dport: 5353 }), "drop");
  assert.equal(verdict(of, { ...mdns, dport: 1900 }), "accept");
  assert.equal(verdict(of, from(IP_A, "192.168.2.1", 5353)), "drop", "not multicast");
});

const LOSING: Readonly<
  Record<
    string,
    readonly [Partial<Config["firewall"]>, Partial<Config["firewall"]>, readonly string[]]
  >
> = {
  "a forward goes": [{ ForwardingRules: [forward("80", IP_B, "80")] }, {}, [IP_B]],
  "a forward is disabled": [
    { ForwardingRules: [forward("80", IP_B, "80")] },
    { ForwardingRules: [forward("80", IP_B, "80", { Disabled: true })] },
    [IP_B],
  ],
  "a forward leads elsewhere": [
    { ForwardingRules: [forward("80", IP_B, "80")] },
    { ForwardingRules: [forward("80", IP_A, "80")] },
    [IP_B],
  ],
  "a way is blocked": [{}, { ForwardingBlockRules: [block(IP_A, "0.0.0.0/0")] }, [IP_A]],
  "a destination is blocked": [{}, { BlockRules: [outright("0.0.0.0/0", "8.8.8.8")] }, ["8.8.8.8"]],
  "the router is blocked": [{}, { OutputBlockRules: [block("0.0.0.0/0", "8.8.8.8")] }, ["8.8.8.8"]],
  "an endpoint goes": [{ Endpoints: [endpoint("n", "10.9.0.0/16", "1", ["nas"])] }, {}, [IP_A]],
  "a container's rule goes": [
    { CustomInterfaceRules: [custom("docker0", BOX, { Policies: ["wan"] })] },
    {},
    [BOX],
  ],
};

for (const [name, [before, after, addresses]] of Object.entries(LOSING)) {
  Deno.test(`where ${name}, the connections concerned are judged again`, () => {
    const plan = planner.diff(state(config(before)), state(config(after)));
    for (const address of addresses) assert.ok(plan.recheck.includes(address), address);
    assert.ok(plan.recheck.length <= 2, `no others: ${plan.recheck}`);
    const back = planner.diff(state(config(after)), state(config(before)));
    if (name !== "a forward leads elsewhere") assert.deepEqual(back.recheck, []);
  });
}

Deno.test("where a whole network is blocked, every connection is judged again", () => {
  const before = state(config({}));
  const after = state(config({ ForwardingBlockRules: [block("0.0.0.0/0", "8.0.0.0/8")] }));
  const { recheck } = planner.diff(before, after);
  for (const address of [IP_A, IP_B, WAN]) assert.ok(recheck.includes(address), address);
});

Deno.test("rules that come and go leave nothing behind", () => {
  const before = state(config({}));
  const after = state(config({
    ForwardingRules: [forward("any", IP_A, "any"), forward("80-90", IP_B, "any", { From: [FAR] })],
    ForwardingBlockRules: [block(IP_A, "0.0.0.0/0"), block("0.0.0.0/0", "8.8.8.8")],
    CustomInterfaceRules: [custom("docker0", "172.17.0.0/16", { Groups: ["kids"] })],
  }));
  assert.notDeepEqual(after.ruleset, before.ruleset);
  assert.deepEqual(state(config({})).ruleset, before.ruleset);
  const names = (desired: Desired): readonly string[] =>
    desired.ruleset.tables.flatMap((one) => one.sets.map((set) => `${one.name} ${set.name}`));
  assert.ok(names(after).includes("filter fwd_block_2"));
  assert.ok(!names(state(config({}))).includes("filter fwd_block_2"));
});

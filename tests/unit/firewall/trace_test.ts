import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import type { PacketQuery } from "../../../system/core/engine/change.ts";
import type { Packet } from "../../../system/core/kernel/ruleset.ts";
import type { Policy } from "../../../system/devices/policies.ts";
import { devicePolicyRule, TO_UPLINK } from "../../../system/firewall/chains/rule.ts";
import { tracePacket } from "../../../system/firewall/trace/trace.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import {
  group,
  kernel,
  network,
  seenOn,
  type SmallDevice,
} from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const A = "02:00:00:00:00:0a", B = "02:00:00:00:00:0b", C = "02:00:00:00:00:0c";
const IP = { A: "192.168.2.6", B: "192.168.2.10", C: "192.168.2.14" } as const;
const LINKS = ["lo", "eth0", "eth1", "wlan1", "wlan1.4096", "wlan1.4097"];
const SEEN = seenOn({ [B]: "wlan1.4096", [C]: "wlan1.4097" });

/** A laptop on eth1, a phone and a printer on Wi-Fi, of which the first holds what is asked. */
function config(first: Partial<SmallDevice> = {}, changes: Partial<Config> = {}): Config {
  return network({
    [A]: { ip: IP.A, ...first },
    [B]: { ip: IP.B, wifi: true, groups: ["kids"] },
    [C]: { ip: IP.C, wifi: true },
  }, { groups: [group("kids"), group("off", { Disabled: true })], ...changes });
}

function state(of: Config) {
  return planner.desire(of, SEEN, kernel(LINKS));
}

function verdict(of: Config, query: Partial<PacketQuery>, change: Partial<Packet> = {}): string {
  const desired = state(of);
  const packet = planner.firstPacket(desired, {
    source: IP.A,
    destination: "8.8.8.8",
    protocol: "tcp",
    dport: 443,
    ...query,
  });
  return tracePacket(desired.ruleset, { ...packet, ...change }).verdict;
}

const PROBES: Readonly<Record<string, Partial<PacketQuery>>> = {
  "internet": {},
  "private": { destination: "10.99.0.1" },
  "shared": { destination: "100.64.0.1" },
  "linklocal": { destination: "169.254.1.1" },
  "phone": { destination: IP.B },
  "printer": { destination: IP.C },
  "from phone": { source: IP.B, destination: IP.A },
  "from printer": { source: IP.C, destination: IP.A },
  "ssh": { destination: "192.168.2.1", dport: 22 },
  "https": { destination: "192.168.2.5", dport: 443 },
  "other port": { destination: "192.168.2.1", dport: 8080 },
  "dns udp": { destination: "192.168.2.1", protocol: "udp", dport: 53 },
  "dns tcp": { destination: "192.168.2.1", dport: 53 },
  "other dns": { destination: "9.9.9.9", protocol: "udp", dport: 53 },
  "ping": { destination: "192.168.2.1", protocol: "icmp" },
};

const API = ["ssh", "https"];
const DNS = ["dns udp", "dns tcp", "other dns"];

const TABLE: readonly (readonly [readonly Policy[], readonly string[], readonly string[]])[] = [
  [[], [], [...API, "ping"]],
  [["wan"], [], ["internet", ...API, "ping"]],
  [["dns"], [], [...API, ...DNS, "ping"]],
  [["lan"], [], ["phone", "printer", ...API, "ping"]],
  [["lan_upstream"], [], [...API, "ping"]],
  [["wan", "lan_upstream"], [], ["internet", "private", "shared", "linklocal", ...API, "ping"]],
  [["noapi"], [], ["ping"]],
  [["api", "guestonly", "dns:family"], [], [...API, "ping"]],
  [["quarantine"], [], DNS],
  [["quarantine", "wan", "lan", "dns", "lan_upstream"], ["kids"], DNS],
  [["disabled", "wan", "lan", "dns"], ["kids"], []],
  [[], ["kids"], ["phone", "from phone", ...API, "ping"]],
  [[], ["off", "unknown"], [...API, "ping"]],
];

for (const [policies, groups, opened] of TABLE) {
  Deno.test(`a device with [${[...policies, ...groups]}] reaches [${opened}] and nothing else`, () => {
    const of = config({ policies, groups });
    for (const [name, query] of Object.entries(PROBES)) {
      assert.equal(verdict(of, query), opened.includes(name) ? "accept" : "drop", name);
    }
  });
}

Deno.test("nobody reaches a quarantined device, not even who holds lan", () => {
  const of = network({
    [A]: { ip: IP.A, policies: ["lan"], groups: ["kids"] },
    [B]: { ip: IP.B, wifi: true, policies: ["quarantine"], groups: ["kids"] },
  }, { groups: [group("kids")] });
  assert.equal(verdict(of, { destination: IP.B }), "drop");
});

Deno.test("an address on another link or card than its device's goes nowhere", () => {
  const of = config({ policies: ["wan", "dns", "lan"] });
  const query = { destination: "192.168.2.1", protocol: "udp", dport: 53 } as const;
  for (const change of [{ iif: "wlan1.4096" }, { mac: B }, { mac: null }, { iif: "eth7" }]) {
    for (const state of ["new", "established"] as const) {
      assert.equal(verdict(of, {}, { ...change, state }), "drop");
      assert.equal(verdict(of, query, { ...change, state }), "drop");
    }
  }
});

Deno.test("home addresses neither come in from an uplink nor go out to one", () => {
  const of = config({ policies: ["wan"] });
  assert.equal(verdict(of, { source: IP.A, iif: "eth0", destination: IP.B }), "drop");
  assert.equal(verdict(of, { source: IP.A, iif: "eth0", destination: "203.0.113.2" }), "drop");
  assert.equal(verdict(of, { destination: "192.168.2.200" }, { oif: "eth0" }), "drop");
});

Deno.test("replies pass where the connection was opened, and only there", () => {
  const of = config({ policies: ["wan"] });
  const reply = { source: "8.8.8.8", destination: IP.A, iif: "eth0" } as const;
  assert.equal(verdict(of, reply, { state: "established" }), "accept");
  assert.equal(verdict(of, reply), "drop");
});

Deno.test("an uplink reaches the router's ports that are opened to it, and pings by choice", () => {
  const ports = [{ Protocol: "tcp" as const, Port: "22", UpstreamEnabled: true, Description: "" }];
  const open = config({}, {
    firewall: { ...DEFAULT_FIREWALL, ServicePorts: ports, PingLan: false, PingWan: true },
  });
  const query = { source: "198.51.100.7", destination: "203.0.113.2" } as const;
  assert.equal(verdict(open, { ...query, dport: 22 }), "accept");
  assert.equal(verdict(open, { ...query, dport: 80 }), "drop");
  assert.equal(verdict(open, { ...query, protocol: "icmp" }), "accept");
  assert.equal(verdict(open, { destination: "192.168.2.1", protocol: "icmp" }), "drop");
  assert.equal(verdict(config(), { ...query, dport: 22 }), "drop");
  assert.equal(verdict(config(), { ...query, protocol: "icmp" }), "drop");
});

Deno.test("addresses are resolved in the LAN, never on an uplink", () => {
  const ask = { source: "0.0.0.0", destination: "255.255.255.255", protocol: "udp" } as const;
  const ports = { sport: 68, dport: 67 };
  assert.equal(verdict(config(), { ...ask, ...ports, iif: "eth1" }), "accept");
  assert.equal(verdict(config(), { ...ask, ...ports, iif: "wlan1.4200" }), "accept");
  assert.equal(verdict(config(), { ...ask, ...ports, iif: "eth0" }), "drop");
});

Deno.test("a VPN peer is known by its address on its own link", () => {
  const key = "p0jJYyUhGhGQMQLBPFjYSbE0Y0/1mxjPmJkVOLrRVHs=";
  const of = network({ [key]: { ip: "192.168.2.18", key, policies: ["wan"] } });
  const desired = planner.desire(of, seenOn({ [key]: "wg0" }), kernel(["eth0", "eth1", "wg0"]));
  const packet = planner.firstPacket(desired, {
    source: "192.168.2.18",
    destination: "8.8.8.8",
    protocol: "tcp",
    dport: 443,
  });
  assert.equal(packet.iif, "wg0");
  assert.equal(tracePacket(desired.ruleset, packet).verdict, "accept");
  assert.equal(tracePacket(desired.ruleset, { ...packet, iif: "eth1" }).verdict, "drop");
});

Deno.test("IPv6 is not forwarded and reaches the router only for neighbours", () => {
  const desired = state(config({ policies: ["wan", "lan"] }));
  const packet: Packet = {
    iif: "eth1",
    oif: "eth0",
    source: "2001:db8::1",
    destination: "2001:db8::2",
    mac: A,
    protocol: "tcp",
    dport: 443,
  };
  assert.equal(tracePacket(desired.ruleset, packet).verdict, "drop");
  assert.equal(tracePacket(desired.ruleset, { ...packet, oif: null }).verdict, "drop");
  const lease = { source: "fe80::1", iif: "eth0", oif: null, sport: 547, dport: 546 };
  assert.equal(
    tracePacket(desired.ruleset, { ...packet, ...lease, protocol: "udp" }).verdict,
    "accept",
  );
  assert.equal(
    tracePacket(desired.ruleset, { ...packet, ...lease, iif: "eth1", protocol: "udp" }).verdict,
    "drop",
  );
});

Deno.test("a judgement names the deciding rule and element", () => {
  const desired = state(config({ policies: ["wan"] }));
  const packet = planner.firstPacket(desired, {
    source: IP.A,
    destination: "8.8.8.8",
    protocol: "tcp",
    dport: 443,
  });
  assert.deepEqual(tracePacket(desired.ruleset, packet).steps, [
    {
      table: "filter",
      chain: "DROP_MAC_SPOOF",
      comment: "Source matches a device: address, interface and MAC address",
      outcome: "continue",
      element: { set: "ethernet_filter", key: [IP.A, "eth1", A] },
    },
    {
      table: "filter",
      chain: "FORWARD",
      comment: "Allowed by policy wan",
      outcome: "accept",
      element: { set: "internet_access", key: [IP.A, "eth1"] },
    },
    {
      table: "nat",
      chain: "POSTROUTING",
      comment: "Masquerade to the WAN",
      outcome: "translate",
    },
  ]);
});

Deno.test("the set of a restriction is the reason, also where the rule looks at the uplinks", () => {
  const { ruleset } = state(config({ policies: ["wan", "noapi"] }));
  const tables = ruleset.tables.map((table) => ({
    ...table,
    chains: table.chains.map((chain) =>
      chain.name === "FORWARD" ? { ...chain, rules: [devicePolicyRule("noapi", TO_UPLINK)] } : chain
    ),
  }));
  const packet = planner.firstPacket(state(config()), {
    source: IP.A,
    destination: "8.8.8.8",
    protocol: "tcp",
    dport: 443,
  });
  const { verdict, steps } = tracePacket({ tables }, packet);
  assert.deepEqual([verdict, steps.at(-1)?.element?.set], ["drop", "api_block"]);
});

Deno.test("a judgement never throws, whatever the packet says", () => {
  const desired = state(config({ policies: ["wan", "dns"] }));
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string());
  const name = fc.option(fc.oneof(fc.constantFrom(...LINKS), fc.string()));
  const packet = fc.record({
    iif: name,
    oif: name,
    source: address,
    destination: address,
    mac: fc.option(fc.string()),
    protocol: fc.constantFrom("tcp" as const, "udp" as const, "icmp" as const),
    dport: fc.integer(),
    sport: fc.integer(),
    state: fc.constantFrom("new" as const, "established" as const),
  });
  fc.assert(fc.property(packet, (one) => {
    assert.match(tracePacket(desired.ruleset, one).verdict, /^(accept|drop|reject)$/);
    planner.firstPacket(desired, { ...one, iif: one.iif ?? "" });
  }));
});

import fc from "fast-check";
import type { Policy } from "../../../system/devices/policies.ts";
import type { Firewall } from "../../../system/firewall/schema.ts";
import { block, custom, endpoint, forward, outright } from "./firewall_rules.ts";

/** Addresses and networks that nest in each other, some of them devices'. */
const NETWORKS = [
  "0.0.0.0/0",
  "192.168.2.0/24",
  "192.168.2.6",
  "192.168.2.8/30",
  "192.168.2.10",
  "198.51.100.0/24",
  "198.51.100.7",
  "10.0.0.0/8",
];
const MACHINES = ["192.168.2.6", "192.168.2.10", "192.168.2.14", "172.17.0.2"];

const anyNetwork = fc.constantFrom(...NETWORKS);
const anyMachine = fc.constantFrom(...MACHINES);
const anyProtocol = fc.constantFrom("tcp" as const, "udp" as const);
const anyPorts = fc.constantFrom("any", "7", "1-10", "5-20", "80", "0-65535", "8000-8010", "443");
const anyTags = fc.subarray(["nas", "tv"]);
const anyAttributes = fc.record({
  Disabled: fc.boolean(),
  RuleName: fc.constantFrom("", "a rule"),
});

const anyForward = fc.record({
  SrcPort: anyPorts,
  DstPort: fc.constantFrom("7", "any", "443"),
  DstIP: anyMachine,
  more: fc.record({
    Protocol: anyProtocol,
    SrcIP: fc.constantFrom("0.0.0.0/0", "203.0.113.2", "203.0.113.0/24"),
    From: fc.subarray(["198.51.100.0/24", "198.51.100.7"]),
    Disabled: fc.boolean(),
  }),
}).map(({ SrcPort, DstIP, DstPort, more }) => forward(SrcPort, DstIP, DstPort, more));

const anyShift = fc.constantFrom(["8000-8010", "9000-9010"], ["1-3", "7-9"]).chain(([from, to]) =>
  anyMachine.map((machine) => forward(from!, machine, to!))
);

const anyBlock = fc.record({
  SrcIP: anyNetwork,
  DstIP: anyNetwork,
  DstPort: anyPorts,
  more: fc.record({ Protocol: anyProtocol, Disabled: fc.boolean() }),
}).map(({ SrcIP, DstIP, DstPort, more }) => block(SrcIP, DstIP, DstPort, more));

const anyOutright = fc.tuple(anyNetwork, anyNetwork, anyProtocol, anyAttributes)
  .map(([a, b, Protocol, more]) => outright(a, b, { Protocol, ...more }));

const anyEndpoint = fc.tuple(
  fc.constantFrom("one", "two", "three"),
  anyNetwork,
  anyPorts,
  anyTags,
  anyProtocol,
).map(([name, network, ports, tags, Protocol]) =>
  endpoint(name, network, ports, tags, { Protocol })
);

const anyCustom = fc.record({
  Interface: fc.constantFrom("docker0", "kbr0", "eth0", "eth1"),
  SrcIP: fc.constantFrom("172.17.0.2", "172.17.0.3"),
  Policies: fc.subarray<Policy>(["wan", "lan", "dns", "api", "lan_upstream"]),
  Groups: fc.subarray(["kids", 'Ünï"}', "off", "none"]),
  Disabled: fc.boolean(),
}).map(({ Interface, SrcIP, ...more }) => custom(Interface, SrcIP, more));

const anyCustomNet = fc.record({
  Interface: fc.constantFrom("docker0", "kbr0"),
  SrcIP: fc.constantFrom("172.17.0.0/16", "172.17.0.0/24", "0.0.0.0/0"),
  Policies: fc.subarray<Policy>(["wan", "lan", "dns", "api"]),
  Groups: fc.subarray(["kids", "off"]),
}).map(({ Interface, SrcIP, ...more }) => custom(Interface, SrcIP, more));

const anyPort = fc.constantFrom("53", "1900", "5353");

/** Every kind of rule beside the router's own ports and pings, with overlaps and contradictions. */
export const anyRules: fc.Arbitrary<Partial<Firewall>> = fc.record({
  ForwardingRules: fc.array(fc.oneof(anyForward, anyShift), { maxLength: 6 }),
  BlockRules: fc.array(anyOutright, { maxLength: 4 }),
  ForwardingBlockRules: fc.array(anyBlock, { maxLength: 6 }),
  OutputBlockRules: fc.array(anyBlock, { maxLength: 4 }),
  Endpoints: fc.uniqueArray(anyEndpoint, { maxLength: 3, selector: (one) => one.RuleName }),
  CustomInterfaceRules: fc.array(fc.oneof(anyCustom, anyCustomNet), { maxLength: 4 }),
  MulticastPorts: fc.uniqueArray(
    fc.record({ Port: anyPort, Upstream: fc.boolean() }),
    { selector: (one) => one.Port },
  ),
});

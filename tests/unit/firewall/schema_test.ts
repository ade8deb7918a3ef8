import assert from "node:assert/strict";
import type * as z from "zod";
import {
  BlockRule,
  CustomInterfaceRule,
  Endpoint,
  ForwardingBlockRule,
  ForwardingRule,
  MulticastPort,
  ServicePort,
} from "../../../system/firewall/schema.ts";

const FORWARD = {
  Protocol: "tcp",
  SrcIP: "203.0.113.2",
  SrcPort: "8080",
  DstIP: "192.168.2.10",
  DstPort: "443",
};
const BLOCK = { Protocol: "tcp", SrcIP: "192.168.2.6", DstIP: "0.0.0.0/0", DstPort: "443" };
const ENDPOINT = { RuleName: "nas", Protocol: "tcp", IP: "10.99.0.1", Port: "443", Tags: ["nas"] };
const CUSTOM = { Interface: "docker0", SrcIP: "172.17.0.2", Policies: ["wan"] };

/** The message for a value, as `field: message`; "" when it is taken. */
function fault(schema: z.ZodType, value: unknown): string {
  const parsed = schema.safeParse(value);
  const issue = parsed.error?.issues[0];
  return issue ? `${issue.path.join("/")}: ${issue.message}` : "";
}

const IPV6 = "Rules work on IPv4 only as yet; write an IPv4 address or network";
const ADDRESS = "Write an IPv4 address or network, such as 192.168.2.10 or 192.168.2.0/24";

const ADDRESSES: readonly (readonly [string, string])[] = [
  ["192.168.2.5/24", "The address has bits beyond its prefix; write 192.168.2.0/24"],
  ["10.1.2.3/8", "The address has bits beyond its prefix; write 10.0.0.0/8"],
  ["192.168.2.0/33", ADDRESS],
  ["192.168.2.0/", ADDRESS],
  ["example.org", ADDRESS],
  ["192.168.2", ADDRESS],
  ["192.168.02.1", ADDRESS],
  ["", ADDRESS],
  [" 192.168.2.1", ADDRESS],
  ["2001:db8::1", IPV6],
  ["2001:db8::/32", IPV6],
  ["::", IPV6],
  ["a:b", ADDRESS],
  ["0.0.0.0", "0.0.0.0 is one address that no packet has; write 0.0.0.0/0 for every address"],
  ["0.0.0.0/32", "0.0.0.0 is one address that no packet has; write 0.0.0.0/0 for every address"],
  ["1.2.3.4; flush ruleset", ADDRESS],
];

Deno.test("addresses that are none are refused with what would be right", () => {
  for (const [address, message] of ADDRESSES) {
    for (const field of ["SrcIP", "DstIP"]) {
      assert.equal(fault(BlockRule, { ...BLOCK, [field]: address }), `${field}: ${message}`);
      assert.equal(
        fault(ForwardingBlockRule, { ...BLOCK, [field]: address }),
        `${field}: ${message}`,
      );
    }
    assert.equal(fault(ForwardingRule, { ...FORWARD, SrcIP: address }), `SrcIP: ${message}`);
    assert.equal(fault(ForwardingRule, { ...FORWARD, From: [address] }), `From/0: ${message}`);
    assert.equal(fault(CustomInterfaceRule, { ...CUSTOM, SrcIP: address }), `SrcIP: ${message}`);
    if (address !== "") {
      assert.equal(fault(Endpoint, { ...ENDPOINT, IP: address }), `IP: ${message}`);
    }
  }
});

Deno.test("a forward leads to one machine", () => {
  const to = (DstIP: string): string => fault(ForwardingRule, { ...FORWARD, DstIP });
  assert.equal(to("192.168.2.0/24"), "DstIP: Write one address, not a network");
  assert.equal(
    to("0.0.0.0"),
    "DstIP: No machine has the address 0.0.0.0; write the address of one",
  );
  for (const address of ["127.0.0.1", "224.0.0.251", "255.255.255.255", "0.1.2.3"]) {
    assert.equal(to(address), "DstIP: This is no address of one machine");
  }
  assert.equal(to("fd00::1"), `DstIP: ${IPV6}`);
  assert.equal(to("192.168.2.10/32"), "");
});

const BAD_PORTS = [
  ...["0", "080", "70000", "65536", "1-2-3", "any ", "ANY", "", "-1", "1-", "0-100", "http"],
  ...["1.5", " 80", "80,81", "1-70000", "01-5"],
];

Deno.test("ports that are none are refused", () => {
  for (const port of BAD_PORTS) {
    for (const field of ["SrcPort", "DstPort"]) {
      assert.notEqual(fault(ForwardingRule, { ...FORWARD, [field]: port }), "", port);
    }
    assert.notEqual(fault(Endpoint, { ...ENDPOINT, Port: port }), "", port);
    assert.notEqual(fault(ServicePort, { Protocol: "tcp", Port: port }), "", port);
    assert.notEqual(fault(MulticastPort, { Port: port }), "", port);
    if (port !== "") {
      assert.notEqual(fault(ForwardingBlockRule, { ...BLOCK, DstPort: port }), "", port);
    }
  }
  assert.equal(
    fault(ForwardingBlockRule, { ...BLOCK, DstPort: "5-1" }),
    "DstPort: The range runs backwards; write 1-5",
  );
  for (const port of ["any", "80-90", "0-65535"]) {
    assert.notEqual(fault(ServicePort, { Protocol: "tcp", Port: port }), "", port);
    assert.equal(fault(ForwardingBlockRule, { ...BLOCK, DstPort: port }), "", port);
  }
});

Deno.test("ranges of a forward map one to one, or all to one port", () => {
  const map = (SrcPort: string, DstPort: string): string =>
    fault(ForwardingRule, { ...FORWARD, SrcPort, DstPort });
  for (
    const [from, to] of [["80-90", "180-190"], ["80-90", "443"], ["any", "any"], ["any", "80"]]
  ) {
    assert.equal(map(from!, to!), "");
  }
  assert.match(map("80-90", "180-191"), /^DstPort: The ranges are of different lengths/);
  assert.match(map("80", "180-191"), /^DstPort: The ranges are of different lengths/);
  assert.equal(map("80", "any"), "");
});

Deno.test("a udp service port is refused with the reason", () => {
  assert.match(fault(ServicePort, { Protocol: "udp", Port: "53" }), /^Protocol: .*tcp only/);
  assert.match(fault(BlockRule, { ...BLOCK, Protocol: "icmp" }), /^Protocol: Write tcp or udp/);
  assert.match(fault(BlockRule, { ...BLOCK, Protocol: "sctp" }), /^Protocol: Write tcp or udp/);
});

Deno.test("an endpoint has a name, and an IP or a Domain", () => {
  assert.equal(fault(Endpoint, ENDPOINT), "");
  assert.equal(fault(Endpoint, { ...ENDPOINT, IP: "", Domain: "Example.org" }), "");
  assert.equal(fault(Endpoint, { ...ENDPOINT, RuleName: " " }), "RuleName: Write a name");
  assert.equal(
    fault(Endpoint, { ...ENDPOINT, Domain: "a.b" }),
    "IP: Write either an IP or a Domain",
  );
  assert.equal(fault(Endpoint, { ...ENDPOINT, IP: "" }), "IP: Write either an IP or a Domain");
  assert.notEqual(fault(Endpoint, { ...ENDPOINT, IP: "", Domain: "a b" }), "");
  assert.equal(fault(Endpoint, { ...ENDPOINT, Tags: ["a", ""] }), "Tags/1: Write a name");
  assert.deepEqual(Endpoint.parse({ ...ENDPOINT, Tags: ["NAS", "nas"] }).Tags, ["nas"]);
});

Deno.test("an interface name is what the kernel takes", () => {
  const named = (Interface: string): string => fault(CustomInterfaceRule, { ...CUSTOM, Interface });
  for (const bad of ["a;b", "$(id)", "-x", "sixteencharacter", "", "a b", "a/b", ".", "é"]) {
    assert.match(named(bad), /^Interface: /, bad);
  }
  for (const good of ["accept", "table", "docker0", "wlan1.4096", "fifteencharacte"]) {
    assert.equal(named(good), "", good);
  }
});

Deno.test("some things are for single addresses of an interface", () => {
  const net = { ...CUSTOM, SrcIP: "172.17.0.0/16" };
  assert.equal(fault(CustomInterfaceRule, net), "");
  assert.match(fault(CustomInterfaceRule, { ...net, Policies: ["lan_upstream"] }), /^Policies: /);
  assert.match(fault(CustomInterfaceRule, { ...net, Tags: ["x"] }), /^Tags: /);
  const all = { ...CUSTOM, SrcIP: "0.0.0.0/0", RouteDst: "172.17.0.2" };
  assert.match(fault(CustomInterfaceRule, all), /^RouteDst: /);
  assert.match(fault(CustomInterfaceRule, { ...CUSTOM, Policies: ["root"] }), /^Policies\/0: /);
});

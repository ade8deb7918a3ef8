import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { PacketTrace } from "../../../system/core/kernel/ruleset.ts";
import type { Policy } from "../../../system/devices/policies.ts";
import { DEFAULT_FIREWALL, type ForwardingRule } from "../../../system/firewall/schema.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { reach } from "../../../system/reach/reach.ts";
import { reachTestsDocument } from "../../../system/reach/document.ts";
import {
  type ReachAnswer,
  type ReachEnd,
  ReachQuery,
  ReachTest,
} from "../../../system/reach/schema.ts";
import { brokenTest, deleteTest, runTests, setTest } from "../../../system/reach/tests.ts";
import { describeRules, reasonOf } from "../../../system/reach/description.ts";
import { block, custom, forward } from "../../kit/builders/firewall_rules.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const TABLET = "02:00:00:00:00:0a", PRINTER = "02:00:00:00:00:0b", LOST = "02:00:00:00:00:0c";
const STATIC = { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" };

function home(changes: Partial<Config> = {}): Config {
  const config = network({
    [TABLET]: { ip: "192.168.2.6", policies: ["wan", "dns"], groups: ["kids"] },
    [PRINTER]: { ip: "192.168.2.10", groups: ["kids"] },
    [LOST]: { ip: "" },
  }, {
    groups: [group("kids")],
    interfaces: [link("eth0", "Uplink", STATIC), link("eth1", "Downlink")],
    ...changes,
  });
  const tablet = { ...config.devices[TABLET]!, Name: "Tablet" };
  return { ...config, devices: { ...config.devices, [TABLET]: tablet } };
}

function stateOf(config: Config) {
  return { config, desired: planner.desire(config, seenOn(), kernel(["lo", "eth0", "eth1"])) };
}

function ask(from: string, to: string, what = "tcp 443", config = home()): ReachAnswer {
  const [protocol, port = ""] = what.split(" ");
  return reach(ReachQuery.parse({ from, to, protocol, port }), stateOf(config), planner);
}

Deno.test("reach: a device with wan reaches the Internet, by name and by any address of it", () => {
  for (const to of ["internet", "8.8.8.8"]) {
    const answer = ask(TABLET, to);
    assert.equal(answer.verdict, "accept");
    assert.equal(answer.reason, "Allowed by policy wan (Internet) of Tablet");
    const decisive = answer.rules.filter((rule) => rule.decides);
    assert.deepEqual(decisive.map(({ set, key }) => ({ set, key })), [
      { set: "internet_access", key: ["192.168.2.6", "eth1"] },
    ]);
  }
  assert.equal(ask("192.168.2.6", "internet").from.identity, TABLET, "an address names its holder");
  assert.equal(ask(PRINTER, "internet").verdict, "drop");
});

Deno.test("reach: members of a group reach each other, nobody else does", () => {
  const answer = ask(TABLET, PRINTER, "udp 9");
  assert.equal(answer.verdict, "accept");
  assert.equal(answer.reason, `Allowed by group kids: Tablet and ${PRINTER} are members`);
  const apart = home({ groups: [group("kids", { Disabled: true })] });
  assert.equal(
    ask(TABLET, PRINTER, "udp 9", apart).reason,
    `Blocked: no rule allows Tablet to connect to ${PRINTER}`,
  );
});

Deno.test("reach: the router is addressed by the address that each side sees", () => {
  assert.equal(ask(TABLET, "router", "udp 53").verdict, "accept");
  assert.equal(ask(TABLET, "router", "udp 53").to.address, "192.168.2.5");
  assert.equal(ask(PRINTER, "router", "udp 53").verdict, "drop");
  assert.equal(ask("internet", "router").verdict, "drop");
  assert.equal(ask("internet", "router").to.address, "203.0.113.2");
  assert.equal(ask("router", PRINTER).verdict, "accept");
  assert.equal(ask("203.0.113.2", "9.9.9.9").from.kind, "router");
});

Deno.test("reach: no new connection from the WAN passes to the LAN or through the router", () => {
  assert.equal(
    ask("internet", PRINTER).reason,
    `Blocked: no rule forwards new connections from the WAN to ${PRINTER}`,
  );
  const through = ask("8.8.8.8", "9.9.9.9", "tcp 22");
  assert.equal(through.verdict, "drop");
  assert.equal(through.rules.at(-1)?.chain, "FORWARD");
});

Deno.test("reach: a device without an address reaches nothing, with the reason", () => {
  for (const [from, to] of [[LOST, "internet"], ["internet", LOST], [LOST, TABLET]] as const) {
    const answer = ask(from, to);
    assert.equal(answer.verdict, "drop");
    assert.match(answer.reason, /has no address/);
  }
  assert.equal(ask("02:00:00:00:99:99", TABLET).verdict, "drop", "an unknown device");
  assert.match(
    ask(TABLET, "internet", "icmp", home({ interfaces: [] })).reason,
    /no WAN interface/,
  );
});

Deno.test("reach: what the router sends to a blocked device is not delivered", () => {
  assert.equal(ask("router", TABLET).verdict, "accept");
  const { devices } = home();
  const tablet = { ...home().devices[TABLET]!, Name: "Tablet" };
  for (const closed of [{ Policies: ["disabled" as const] }, { DeviceDisabled: true }]) {
    const config = { ...home(), devices: { ...devices, [TABLET]: { ...tablet, ...closed } } };
    const answer = ask("router", TABLET, "tcp 443", config);
    // The kernel's output chain lets it out, to nobody.
    assert.equal(answer.verdict, "accept");
    const lost = "No rule blocks it, but Tablet is blocked and off the network";
    assert.equal(answer.reason, lost);
    assert.equal(ask("router", "192.168.2.6", "icmp", config).reason, lost, "by its address too");
    assert.equal(ask("router", PRINTER, "tcp 443", config).reason, "Allowed: no rule blocks it");
  }
  // A quarantined device stays on the network: the router may still connect to it.
  const held = { ...tablet, Policies: ["quarantine" as const] };
  const config = { ...home(), devices: { ...devices, [TABLET]: held } };
  assert.equal(ask("router", TABLET, "tcp 443", config).reason, "Allowed: no rule blocks it");
});

Deno.test("reach: invalid source and destination addresses are dropped before any rule", () => {
  const open = home({ firewall: { ...DEFAULT_FIREWALL, PingLan: true, PingWan: true } });
  for (const from of ["0.0.0.0", "224.0.0.5", "255.255.255.255"]) {
    assert.match(ask(from, "router", "icmp", open).reason, /not a valid source address/);
  }
  assert.equal(ask(TABLET, "0.0.0.0").verdict, "drop");
  assert.match(ask(TABLET, "127.0.0.1", "icmp", open).reason, /Loopback/);
  assert.equal(ask("127.0.0.1", TABLET).verdict, "drop");
  assert.equal(ask("127.0.0.1", "router").verdict, "accept");
});

Deno.test("reach: the broadcast address of a device's network is the router's own", () => {
  const open = home({ firewall: { ...DEFAULT_FIREWALL, PingLan: true, PingWan: false } });
  assert.equal(ask(TABLET, "192.168.2.7", "icmp", open).to.kind, "router");
  assert.equal(ask(TABLET, "192.168.2.7", "icmp", open).verdict, "accept");
  assert.equal(ask(TABLET, "192.168.2.7", "tcp 9", open).rules.at(-1)?.chain, "INPUT");
});

Deno.test("reach: a forward leads to a device, to where a device would be, and past what is absent", () => {
  const forwards = (to: string) =>
    home({ firewall: { ...DEFAULT_FIREWALL, ForwardingRules: [forward("8000-8010", to, "443")] } });
  assert.equal(ask("internet", "router", "tcp 8005", forwards("192.168.2.6")).verdict, "accept");
  const absent = ask("internet", "router", "tcp 8005", forwards("192.168.2.250"));
  assert.equal(absent.rules.find((rule) => rule.decides)?.chain, "FORWARD", "routed, not taken");
  assert.equal(
    ask("8.8.8.8", "192.168.2.7", "tcp 8005", forwards("192.168.2.6")).verdict,
    "drop",
    "the broadcast address of a device's network is no address of the router's own",
  );
  const container = forwards("172.17.0.2");
  const rules = [custom("docker0", "172.17.0.0/16", {})];
  const firewall = { ...container.firewall, CustomInterfaceRules: rules };
  assert.equal(
    ask("internet", "router", "tcp 8005", { ...container, firewall }).verdict,
    "drop",
    "docker0 is not there",
  );
});

Deno.test("reach: from home the WAN address leads to the forwarded server, for who may reach that", () => {
  const to = "192.168.2.10", from = ["198.51.100.0/24"];
  const rules = (policies: readonly Policy[], more: Partial<ForwardingRule> = {}) => {
    const config = home({
      firewall: { ...DEFAULT_FIREWALL, ForwardingRules: [forward("8080", to, "443", more)] },
    });
    const tablet = { ...config.devices[TABLET]!, Policies: [...policies], Groups: [] };
    return { ...config, devices: { ...config.devices, [TABLET]: tablet } };
  };
  const called = ask(TABLET, "203.0.113.2", "tcp 8080", rules(["lan"]));
  assert.equal(called.verdict, "accept");
  assert.match(called.reason, /policy lan/);
  assert.ok(called.rules.some(({ outcome }) => outcome === "translate"), "it is explained");
  assert.equal(ask(TABLET, "203.0.113.2", "tcp 8080", rules(["wan"])).verdict, "drop");
  assert.equal(ask(TABLET, "203.0.113.2", "tcp 8081", rules(["lan"])).verdict, "drop");
  assert.equal(ask(TABLET, "192.168.2.1", "tcp 8080", rules(["lan"])).verdict, "drop", "its own");
  assert.equal(
    ask(TABLET, "203.0.113.2", "tcp 8080", rules(["lan"], { From: from })).verdict,
    "drop",
    "who may call is limited",
  );
});

Deno.test("reach: the router's talk with itself passes rules against what it sends", () => {
  const closed = home({
    firewall: { ...DEFAULT_FIREWALL, OutputBlockRules: [block("0.0.0.0/0", "0.0.0.0/0")] },
  });
  assert.equal(ask("router", "8.8.8.8", "tcp 443", closed).verdict, "drop");
  assert.equal(ask("router", "127.0.0.1", "tcp 443", closed).verdict, "accept");
  assert.equal(ask("router", "0.0.0.0", "tcp 443", closed).verdict, "accept");
});

Deno.test("reach: IPv6 does not pass, and the reason says so", () => {
  assert.equal(ask("fd00::1", "2001:db8::1").verdict, "drop");
  assert.match(ask("fd00::1", "2001:db8::1").reason, /IPv6/);
  assert.match(ask(TABLET, "2001:db8::1").reason, /IPv6/);
});

Deno.test("reach: a question needs ends, a protocol, and a port where there is one", () => {
  const ok = { from: "router", to: "internet", protocol: "tcp", port: "443" };
  assert.equal(ReachQuery.parse({ ...ok, from: " ROUTER " }).from, "router");
  assert.equal(ReachQuery.parse({ ...ok, from: "02-00-00-00-00-0A" }).from, TABLET);
  const bad = [
    { from: "" },
    { from: "192.168.2.256" },
    { from: "eth0" },
    { to: "10.0.0.0/8" },
    { to: "fe80::1%eth0" },
    { protocol: "sctp" },
    { protocol: "icmp" },
    ...["", "0", "080", "70000", "5-1", "any ", "-1", "1e3"].map((port) => ({ port })),
  ];
  for (const change of bad) {
    assert.equal(ReachQuery.safeParse({ ...ok, ...change }).success, false, JSON.stringify(change));
  }
});

Deno.test("descriptions name the devices, and keep a rule's comment where they know no better", () => {
  const end = (name: string): ReachEnd => ({
    kind: "device",
    name,
    identity: null,
    address: null,
    ...{ link: null, leaf: null },
  });
  const trace: PacketTrace = {
    verdict: "drop",
    steps: [
      {
        table: "filter",
        chain: "FORWARD",
        comment: "A rule of tomorrow",
        element: { set: "tomorrow", key: ["192.168.2.6", "eth1"] },
        outcome: "continue",
      },
      { table: "filter", chain: "FORWARD", comment: "Blocked: no rule allows it", outcome: "drop" },
    ],
  };
  const rules = describeRules(trace, {
    from: end("Tablet"),
    to: end("TV"),
    nameOf: (address) => address === "192.168.2.6" ? "Tablet" : undefined,
  });
  assert.deepEqual(rules.map(({ description, decides }) => ({ description, decides })), [
    { description: "A rule of tomorrow (Tablet)", decides: false },
    { description: "Blocked: no rule allows Tablet to connect to TV", decides: true },
  ]);
  assert.equal(reasonOf(rules), "Blocked: no rule allows Tablet to connect to TV");
});

function test(changes: Record<string, unknown> = {}): ReachTest {
  return ReachTest.parse({
    Name: "tablet to the Internet",
    From: TABLET,
    To: "internet",
    Port: "443",
    Expect: "accept",
    ...changes,
  });
}

Deno.test("tests: what held and would not hold any more is broken, with the deciding rule", () => {
  const before = home({ reachTests: [test()] });
  const tablet = { ...before.devices[TABLET]!, Policies: [] };
  const after = { ...before, devices: { ...before.devices, [TABLET]: tablet } };
  assert.equal(brokenTest(stateOf(before), stateOf(before), planner), null);
  const refusal = brokenTest(stateOf(before), stateOf(after), planner);
  assert.equal(refusal?.status, 409);
  assert.match(refusal?.message ?? "", /"tablet to the Internet".*Tablet must reach the Internet/);
  assert.equal(refusal?.members["test"], "tablet to the Internet");
  assert.equal(brokenTest(stateOf(after), stateOf(after), planner), null, "it did not hold before");
  const gone = { ...after, reachTests: [] };
  assert.equal(brokenTest(stateOf(before), stateOf(gone), planner), null, "deleted with it");
  const [result] = runTests(after.reachTests, stateOf(after), planner);
  assert.equal(result?.passes, false);
});

Deno.test("tests: a deleted device is reached no more, and a drop is expected of it", () => {
  const tests = [
    test({ Name: "to", From: PRINTER, To: TABLET }),
    test({ Name: "no", To: PRINTER, From: "internet", Expect: "drop" }),
  ];
  const before = home({ reachTests: tests });
  const { [PRINTER]: _, ...devices } = before.devices;
  const refusal = brokenTest(stateOf(before), stateOf({ ...before, devices }), planner);
  assert.equal(refusal?.members["test"], "to");
});

Deno.test("tests: one of each name; setting it twice changes nothing", () => {
  const [one] = setTest(home(), test());
  assert.equal(setTest(one, test())[0], one);
  const [other] = setTest(one, test({ Expect: "drop" }));
  assert.deepEqual(other.reachTests.map(({ Expect }) => Expect), ["drop"]);
  assert.deepEqual(deleteTest(other, "tablet to the Internet")[0].reachTests, []);
  assert.throws(() => deleteTest(other, "another"), { status: 404 });
});

Deno.test("tests: a file rejects bad and double entries", () => {
  const { value, rejected } = reachTestsDocument.read([test(), test(), {
    Name: "x",
    From: "?",
  }, 5]);
  assert.equal(value.length, 1);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), ["/1", "/2", "/3"]);
  assert.match(rejected[1]!.message, /^\/From: /);
  assert.throws(() => reachTestsDocument.read({}), { status: 400 });
});

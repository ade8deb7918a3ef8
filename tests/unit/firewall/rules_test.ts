import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { contentOf } from "../../../system/firewall/rule_kinds.ts";
import { deleteCustomRule, putCustomRule } from "../../../system/firewall/custom_rules.ts";
import { firewallDocument } from "../../../system/firewall/document.ts";
import { deleteRule, putForward, putRule, setIcmp } from "../../../system/firewall/rules.ts";
import { MAX_RULES, MulticastPort } from "../../../system/firewall/schema.ts";
import {
  block,
  custom,
  endpoint,
  firewallWith,
  forward,
} from "../../kit/builders/firewall_rules.ts";
import { anyRules } from "../../kit/builders/random_rules.ts";
import { link, network } from "../../kit/builders/small_network.ts";

const B = "192.168.2.10";

function config(rules: Partial<Config["firewall"]> = {}): Config {
  return network({}, { firewall: firewallWith(rules) });
}

function status(work: () => unknown): number {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
  return 200;
}

Deno.test("a rule that says the same is there once, whatever its spelling", () => {
  const [one] = putRule(config(), "ForwardingBlockRules", block("192.168.2.6", "0.0.0.0/0", "any"));
  for (
    const again of [
      block("192.168.2.6/32", "0.0.0.0/0", "0-65535"),
      block("192.168.2.6", "0.0.0.0/0"),
    ]
  ) {
    assert.equal(putRule(one, "ForwardingBlockRules", again)[0], one);
  }
  assert.equal(
    putRule(one, "ForwardingBlockRules", block("192.168.2.6", "0.0.0.0/0", "80"))[0]
      .firewall.ForwardingBlockRules.length,
    2,
  );
});

Deno.test("a second PUT with another name, description or Disabled takes their place", () => {
  const [one] = putRule(config(), "BlockRules", block("192.168.2.6", "8.8.8.8"));
  const named = block("192.168.2.6", "8.8.8.8", "any", { RuleName: "n", Disabled: true });
  const [two] = putRule(one, "BlockRules", named);
  assert.equal(two.firewall.BlockRules.length, 1);
  assert.deepEqual(
    [two.firewall.BlockRules[0]!.RuleName, two.firewall.BlockRules[0]!.Disabled],
    ["n", true],
  );
});

Deno.test("any is kept as it was written", () => {
  const [one] = putForward(config(), forward("0-65535", B, "any"));
  const [two] = putForward(one, forward("any", B, "0-65535", { Description: "all" }));
  const [rule, ...others] = two.firewall.ForwardingRules;
  assert.deepEqual([rule!.SrcPort, rule!.DstPort, rule!.Description, others.length], [
    "0-65535",
    "any",
    "all",
    0,
  ]);
});

Deno.test("deleting looks at what a rule says, not at what it is called", () => {
  const [one] = putForward(config(), forward("80", B, "443", { RuleName: "web" }));
  const content = contentOf("ForwardingRules", forward("80", `${B}/32`, "443"));
  assert.deepEqual(deleteRule(one, "ForwardingRules", content)[0].firewall.ForwardingRules, []);
  const other = contentOf("ForwardingRules", forward("80", B, "444"));
  assert.equal(status(() => deleteRule(one, "ForwardingRules", other)), 404);
});

Deno.test("a forward that contradicts another is refused with that other", () => {
  const [one] = putForward(config(), forward("80-90", B, "80-90"));
  const put = (...args: Parameters<typeof forward>): number =>
    status(() => putForward(one, forward(...args)));
  assert.equal(put("80-90", "192.168.2.6", "80-90"), 409);
  assert.equal(put("85-95", B, "185-195"), 409);
  assert.equal(put("85-95", B, "any"), 200, "leads to the same where they meet");
  assert.equal(put("85", "192.168.2.6", "80"), 200, "an exception");
  assert.equal(put("80-90", "192.168.2.6", "80", { SrcIP: "203.0.113.2" }), 200, "an exception");
  assert.equal(put("80-90", "192.168.2.6", "80", { From: ["198.51.100.7"] }), 200, "an exception");
  assert.equal(put("80-90", "192.168.2.6", "80", { Protocol: "udp" }), 200);
  assert.equal(put("80-90", "192.168.2.6", "80", { Disabled: true }), 200);
  const [off] = putForward(one, forward("80-90", B, "80-90", { Disabled: true }));
  const [two] = putForward(off, forward("80-90", "192.168.2.6", "80"));
  assert.equal(status(() => putForward(two, forward("80-90", B, "80-90"))), 409, "not on again");
});

Deno.test("forwards may shift only so many ports", () => {
  const [one] = putForward(config(), forward("1000-11000", B, "20000-30000"));
  assert.equal(status(() => putForward(one, forward("30000-40000", B, "1000-11000"))), 409);
  assert.equal(status(() => putForward(one, forward("30000-40000", B, "30000-40000"))), 200);
});

Deno.test("a list ends at its limit", () => {
  const full = Array.from(
    { length: MAX_RULES },
    (_, i) => block(`10.0.${i >> 8}.${i & 255}`, "8.8.8.8"),
  );
  const of = config({ ForwardingBlockRules: full });
  assert.equal(
    status(() => putRule(of, "ForwardingBlockRules", block("10.9.9.9", "8.8.8.8"))),
    409,
  );
  assert.equal(putRule(of, "ForwardingBlockRules", full[7]!)[0], of, "an equal one is no more");
});

Deno.test("ports and endpoints are set by port and name", () => {
  const port = (Port: string, Upstream: boolean) => MulticastPort.parse({ Port, Upstream });
  const [one] = putRule(config(), "MulticastPorts", port("5353", false));
  const [two] = putRule(one, "MulticastPorts", port("5353", true));
  assert.deepEqual(two.firewall.MulticastPorts, [{ Port: "5353", Upstream: true }]);
  const [three] = putRule(two, "Endpoints", endpoint("nas", "10.9.0.1", "443", ["a"]));
  const [four] = putRule(three, "Endpoints", endpoint("nas", "10.9.0.2", "80", ["b"]));
  assert.deepEqual(four.firewall.Endpoints.map((one) => one.IP), ["10.9.0.2"]);
});

Deno.test("a custom interface rule makes its groups, and one place has one rule", () => {
  const rule = custom("docker0", "172.17.0.2", { Policies: ["wan", "dns"], Groups: ["Kids", "b"] });
  const [one] = putCustomRule(config(), rule);
  assert.deepEqual(one.groups.map((group) => group.Name), ["kids", "b"]);
  const again = { Policies: ["dns", "wan"], Groups: ["b", "kids"] } as const;
  const same = custom("docker0", "172.17.0.2/32", {
    ...again,
    Policies: [...again.Policies],
    Groups: [...again.Groups],
  });
  assert.equal(putCustomRule(one, same)[0], one, "order does not matter");
  assert.equal(status(() => putCustomRule(one, custom("docker0", "172.17.0.2", {}))), 409);
  assert.equal(
    status(() => putCustomRule(one, custom("docker0", "172.17.0.2", { RouteDst: "172.17.0.9" }))),
    200,
  );
  const container = { Interface: "docker0", SrcIP: "172.17.0.2", RouteDst: "" };
  assert.equal(status(() => deleteCustomRule(one, { ...container, Policies: ["wan"] })), 404);
  assert.equal(deleteCustomRule(one, container)[0].firewall.CustomInterfaceRules.length, 0);
  assert.equal(
    deleteCustomRule(one, { ...container, Policies: ["dns", "wan"] })[0].firewall
      .CustomInterfaceRules
      .length,
    0,
  );
});

Deno.test("a custom interface is no uplink, no VLAN of one, and not the loopback", () => {
  const of = network({}, { interfaces: [link("eth0", "Uplink", { Enabled: false })] });
  for (const name of ["eth0", "eth0.7", "lo"]) {
    assert.equal(status(() => putCustomRule(of, custom(name, "10.0.0.1", {}))), 400, name);
  }
  assert.equal(status(() => putCustomRule(of, custom("eth01", "10.0.0.1", {}))), 200);
});

Deno.test("setting pings as they are changes nothing", () => {
  const of = config();
  assert.equal(setIcmp(of, { PingLan: true, PingWan: false })[0], of);
  assert.equal(setIcmp(of, { PingLan: true, PingWan: true })[0].firewall.PingWan, true);
});

Deno.test("a firewall document comes back from its file as it was", () => {
  fc.assert(fc.property(anyRules, (rules) => {
    const value = firewallWith(rules);
    const { value: read, rejected } = firewallDocument.read(
      JSON.parse(JSON.stringify(value)),
    );
    assert.deepEqual(rejected, []);
    assert.deepEqual(firewallDocument.read(JSON.parse(JSON.stringify(read))).value, read);
    for (const list of ["ForwardingRules", "BlockRules", "Endpoints"] as const) {
      assert.equal(
        new Set(read[list].map((one) => firewallDocument.keyOf!(one))).size,
        read[list].length,
      );
    }
  }));
});

Deno.test("a file's null lists are empty, of equal rules the first is read, bad ones are rejected", () => {
  const rule = { Protocol: "tcp", SrcIP: "0.0.0.0/0", SrcPort: "80", DstIP: B, DstPort: "80" };
  const { value, rejected } = firewallDocument.read({
    ForwardingRules: [rule, { ...rule, RuleName: "again", DstIP: `${B}/32` }, {
      ...rule,
      DstIP: "::1",
    }],
    BlockRules: null,
    Endpoints: "none",
    CustomInterfaceRules: [{
      Interface: "docker0",
      SrcIP: "172.17.0.2",
      Policies: null,
      Groups: null,
    }],
    Later: { kept: [1] },
  });
  assert.deepEqual(value.ForwardingRules.map((one) => one.RuleName), [""]);
  assert.deepEqual(value.BlockRules, []);
  assert.deepEqual(value.CustomInterfaceRules[0]!.Policies, []);
  assert.deepEqual(value["Later"], { kept: [1] });
  assert.deepEqual(rejected.map((one) => one.pointer), ["/ForwardingRules/2", "/Endpoints"]);
});

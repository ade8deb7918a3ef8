import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { tracePacket } from "../../../system/firewall/trace/trace.ts";
import { lintFirewall } from "../../../system/firewall/lint/lint.ts";
import type { LintFinding } from "../../../system/firewall/lint/schema.ts";
import { firstPacket } from "../../../system/network/reachability/packet.ts";
import { desire } from "../../../system/network/plan.ts";
import {
  block,
  custom,
  endpoint,
  firewallWith,
  forward,
  outright,
} from "../../kit/builders/firewall_rules.ts";
import { DEFAULT_WIREGUARD } from "../../../system/wireguard/schema.ts";
import { anyNetwork } from "../../kit/builders/random_network.ts";
import { kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const TABLET = "02:00:00:00:00:01";

function lint(
  rules: Partial<Config["firewall"]>,
  devices: Parameters<typeof network>[0] = { [TABLET]: { ip: "192.168.2.6", tags: ["nas"] } },
): readonly LintFinding[] {
  const config = network(devices, { firewall: firewallWith(rules) });
  return lintFirewall({ config, links: new Set(["eth0", "eth1", "docker0"]) });
}

function brief(found: readonly LintFinding[]): readonly string[] {
  return found.map(({ kind, rule, other }) =>
    `${kind} ${rule.pointer}${other ? ` by ${other.pointer}` : ""}`
  );
}

Deno.test("a forward that leads the port of a VPN tunnel away is a contradiction", () => {
  const rules = {
    ForwardingRules: [
      { ...forward("51000-52000", "192.168.2.6", "any"), Protocol: "udp" as const },
      { ...forward("any", "192.168.2.6", "any"), Protocol: "udp" as const },
      forward("51280", "192.168.2.6", "any"),
    ],
  };
  const devices = { [TABLET]: { ip: "192.168.2.6" } };
  const found = (Enabled: boolean) => {
    const wireguard = { ...DEFAULT_WIREGUARD, Enabled, PrivateKey: "x" };
    const config = network(devices, { firewall: firewallWith(rules), wireguard });
    return lintFirewall({ config, links: null });
  };
  assert.deepEqual(found(false), []);
  assert.deepEqual(brief(found(true)), ["contradiction /ForwardingRules/0"]);
  assert.match(found(true)[0]!.text, /listens on UDP port 51280/);
});

Deno.test("rules that say what they should have no findings", () => {
  const found = lint({
    ForwardingRules: [
      forward("8080", "192.168.2.6", "80"),
      forward("8000-9000", "192.168.2.6", "any"),
    ],
    BlockRules: [outright("192.168.2.6", "198.51.100.0/24")],
    ForwardingBlockRules: [block("192.168.2.6", "198.51.101.0/24", "80")],
    Endpoints: [
      endpoint("nas", "10.0.0.9", "445", ["nas"]),
      endpoint("field", "10.0.0.9", "445", []),
    ],
    CustomInterfaceRules: [custom("docker0", "172.17.0.2", { Policies: ["wan"] })],
  });
  assert.deepEqual(found, []);
});

Deno.test("a block inside another of its kind is too much, and a disabled one counts for nothing", () => {
  const wide = block("192.168.2.0/24", "0.0.0.0/0", "1-100");
  const narrow = block("192.168.2.6", "198.51.100.7", "80");
  assert.deepEqual(brief(lint({ ForwardingBlockRules: [narrow, wide] })), [
    "shadowed /ForwardingBlockRules/0 by /ForwardingBlockRules/1",
  ]);
  const [found] = lint({ ForwardingBlockRules: [narrow, wide] });
  assert.deepEqual(found!.fix, {
    summary: "Delete tcp 192.168.2.6 to 198.51.100.7 80",
    method: "DELETE",
    path: "/firewall/block_forward",
    body: narrow,
  });
  assert.deepEqual(lint({ ForwardingBlockRules: [narrow, { ...wide, Disabled: true }] }), []);
  assert.deepEqual(lint({ ForwardingBlockRules: [narrow, { ...wide, Protocol: "udp" }] }), []);
  assert.deepEqual(brief(lint({ OutputBlockRules: [narrow, wide] })), [
    "shadowed /OutputBlockRules/0 by /OutputBlockRules/1",
  ]);
});

Deno.test("a block on the way through is too much where the way in is blocked", () => {
  const rules = {
    BlockRules: [outright("0.0.0.0/0", "192.168.2.0/24")],
    ForwardingBlockRules: [block("198.51.100.7", "192.168.2.6")],
  };
  assert.deepEqual(brief(lint(rules)), ["shadowed /ForwardingBlockRules/0 by /BlockRules/0"]);
  // What a forward leads there called another address when the first block looked at it.
  const led = { ...rules, ForwardingRules: [forward("80", "192.168.2.6", "80")] };
  assert.ok(!brief(lint(led)).some((text) => text.startsWith("shadowed")));
});

Deno.test("forwards are distinguished from those that take their ports before, and from those that contradict", () => {
  const found = lint({
    ForwardingRules: [
      forward("80-81", "192.168.2.6", "any"),
      forward("80", "192.168.2.6", "8080"),
      forward("81", "192.168.2.6", "8081"),
    ],
  });
  assert.deepEqual(brief(found), ["shadowed /ForwardingRules/0 by /ForwardingRules/1"]);
  const two = lint({
    ForwardingRules: [forward("80-90", "192.168.2.6", "any"), forward("85-95", "192.168.2.6", "1")],
  });
  assert.deepEqual(brief(two), ["contradiction /ForwardingRules/1 by /ForwardingRules/0"]);
});

Deno.test("a forward behind a block never comes about", () => {
  const rule = forward("80", "192.168.2.6", "8080", { From: ["198.51.100.0/24"] });
  assert.deepEqual(
    brief(lint({ ForwardingRules: [rule], BlockRules: [outright("198.51.0.0/16", "0.0.0.0/0")] })),
    ["shadowed /ForwardingRules/0 by /BlockRules/0"],
  );
  const target = block("0.0.0.0/0", "192.168.2.6", "8000-9000");
  assert.deepEqual(
    brief(lint({ ForwardingRules: [rule], ForwardingBlockRules: [target] })),
    ["contradiction /ForwardingRules/0 by /ForwardingBlockRules/0"],
  );
});

Deno.test("a port of the router that is open to uplinks but led on is a contradiction", () => {
  const ServicePorts = [
    { Protocol: "tcp" as const, Port: "443", UpstreamEnabled: true, Description: "" },
  ];
  const rule = forward("400-500", "192.168.2.6", "any");
  assert.deepEqual(brief(lint({ ServicePorts, ForwardingRules: [rule] })), [
    "contradiction /ServicePorts/0 by /ForwardingRules/0",
  ]);
  assert.deepEqual(
    lint({ ServicePorts, ForwardingRules: [forward("any", "192.168.2.6", "any")] }),
    [],
  );
});

Deno.test("rules about what is not there are reported", () => {
  const found = lint({
    ForwardingRules: [forward("80", "192.168.2.10", "80")],
    BlockRules: [outright("192.168.2.14", "0.0.0.0/0")],
    CustomInterfaceRules: [
      custom("docker9", "172.17.0.2", { Groups: ["ghosts"] }),
      custom("docker0", "172.17.0.3", {}),
    ],
    Endpoints: [endpoint("tv", "10.0.0.9", "80", ["tv"])],
  });
  assert.deepEqual(brief(found), [
    "dangling /ForwardingRules/0",
    "dangling /BlockRules/0",
    "dangling /CustomInterfaceRules/0",
    "dangling /CustomInterfaceRules/0",
    "useless /CustomInterfaceRules/1",
    "dangling /Endpoints/0",
  ]);
  assert.match(
    found.map(({ text }) => text).join("\n"),
    /no interface docker9.*\n.*no group ghosts/,
  );
  assert.deepEqual(found.map(({ severity }) => severity).slice(0, 2), ["warning", "info"]);
});

Deno.test("an endpoint inside another with its tags is too much, and one behind a block opens nothing", () => {
  const wide = endpoint("wide", "10.0.0.0/8", "any", ["nas", "tv"]);
  const same = endpoint("same", "10.0.0.0/8", "any", ["tv", "nas"]);
  assert.deepEqual(
    brief(lint({ Endpoints: [endpoint("nas", "10.0.0.9", "445", ["nas"]), wide, same] })),
    ["shadowed /Endpoints/0 by /Endpoints/1", "duplicate /Endpoints/2 by /Endpoints/1"],
  );
  const stop = block("0.0.0.0/0", "10.0.0.0/8");
  assert.deepEqual(brief(lint({ Endpoints: [wide], ForwardingBlockRules: [stop] })), [
    "contradiction /Endpoints/0 by /ForwardingBlockRules/0",
  ]);
});

const LINKS = [link("eth0", "Uplink"), link("eth1", "Downlink")];

const anyPacket = fc.record({
  source: fc.constantFrom("192.168.2.6", "192.168.2.10", "198.51.100.7", "8.8.8.8", "172.17.0.2"),
  destination: fc.constantFrom(
    "192.168.2.6",
    "192.168.2.10",
    "192.168.2.14",
    "203.0.113.2",
    "198.51.100.7",
    "10.0.0.9",
  ),
  protocol: fc.constantFrom("tcp" as const, "udp" as const),
  dport: fc.constantFrom(1, 7, 15, 80, 443, 8005, 9005),
  iif: fc.constantFrom("eth0", "eth1"),
});

Deno.test("deleting what is called needless changes no verdict, for random rules", () => {
  let fixes = 0;
  fc.assert(
    fc.property(anyNetwork(LINKS), fc.array(anyPacket, { minLength: 30 }), (config, packets) => {
      const before = desire(config, seenOn(), kernel());
      for (const { rule, fix } of lintFirewall({ config, links: null })) {
        if (fix === null) continue;
        fixes++;
        const list = config.firewall[rule.list].filter((_, index) => index !== rule.index);
        const firewall = { ...config.firewall, [rule.list]: list } as Config["firewall"];
        const after = desire({ ...config, firewall }, seenOn(), kernel());
        for (const query of packets) {
          const [a, b] = [before, after].map((desired) =>
            tracePacket(desired.ruleset, firstPacket(desired, query)).verdict
          );
          assert.equal(b, a, `${rule.pointer} ${JSON.stringify(query)}`);
        }
      }
    }),
    { numRuns: 150 },
  );
  assert.ok(fixes > 20, `only ${fixes} fixes were tried`);
});

Deno.test("five thousand rules that differ are looked through, and nothing is found", () => {
  const many = Array.from({ length: 5000 }, (_, i) => {
    const host = `10.${i >> 8}.${i & 255}.7`;
    return block("192.168.2.0/24", host, String(i + 1));
  });
  assert.deepEqual(lint({ ForwardingBlockRules: many }), []);
});

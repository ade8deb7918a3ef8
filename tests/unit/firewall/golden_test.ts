import assert from "node:assert/strict";
import { stepToWire, WireStep } from "../../../system/host/kernel/netd_wire.ts";
import { ServicePort } from "../../../system/firewall/schema.ts";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
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
import { assertOnRecord } from "../../kit/on_record.ts";

const planner = networkPlanner();

const LAPTOP = "192.168.2.6", SERVER = "192.168.2.10";

/** A home with a server, a container and one of every rule, some of which overlap. */
const HOME = network({
  "02:00:00:00:00:0a": { ip: LAPTOP, policies: ["wan", "dns"], tags: ["nas"] },
  "02:00:00:00:00:0b": { ip: SERVER, policies: ["wan"], groups: ["servers"] },
}, {
  groups: [group("servers")],
  interfaces: [
    link("eth0", "Uplink", { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" }),
    link("eth1", "Downlink"),
  ],
  firewall: firewallWith({
    ForwardingRules: [
      forward("8080", SERVER, "443", { RuleName: "web" }),
      forward("9000-9002", SERVER, "80-82"),
      forward("6000-6010", SERVER, "any", { From: ["198.51.100.0/24"] }),
      forward("6005", LAPTOP, "6005", { SrcIP: "203.0.113.2" }),
      forward("any", SERVER, "any", { Protocol: "udp" }),
      forward("81", SERVER, "81", { Disabled: true }),
    ],
    BlockRules: [outright("198.51.100.66", "0.0.0.0/0")],
    ForwardingBlockRules: [
      block(LAPTOP, "0.0.0.0/0", "25"),
      block("0.0.0.0/0", "8.8.8.8", "1-1023"),
      block(LAPTOP, "8.8.8.8", "25"),
    ],
    OutputBlockRules: [block("0.0.0.0/0", "192.0.2.0/24", "443")],
    ServicePorts: [
      ServicePort.parse({ Protocol: "tcp", Port: "22", UpstreamEnabled: true }),
      ServicePort.parse({ Protocol: "tcp", Port: "80" }),
    ],
    Endpoints: [
      endpoint("nas", "10.99.0.1", "443", ["nas"]),
      endpoint("nas network", "10.99.0.0/24", "400-500", ["nas"]),
    ],
    MulticastPorts: [{ Port: "5353", Upstream: false }, { Port: "1900", Upstream: true }],
    CustomInterfaceRules: [
      custom("docker0", "172.17.0.0/16", { Policies: ["wan", "dns"], Groups: ["servers"] }),
      custom("docker0", "172.17.0.2", { Policies: ["lan", "api", "lan_upstream"] }),
      custom("docker0", "172.30.0.0/24", { RouteDst: "172.17.0.2" }),
    ],
    PingWan: true,
  }),
});

const FACTS = kernel(["lo", "eth0", "eth1", "docker0"], {
  addresses: [{ link: "docker0", address: "172.17.0.1/16" }],
});

Deno.test("the whole ruleset of a home with every kind of rule is the one on record", async () => {
  const script = renderLoad(planner.desire(HOME, seenOn(), FACTS).ruleset);
  await assertOnRecord("every_rule.nft", script);
});

Deno.test("netd reads every kind of rule as the api sends it", () => {
  const { ruleset } = planner.desire(HOME, seenOn(), FACTS);
  const step = { kind: "load", ruleset } as const;
  const read = WireStep.parse(JSON.parse(JSON.stringify(stepToWire(step))));
  assert.equal(read.kind, "load");
  assert.equal(renderLoad(read.kind === "load" ? read.ruleset : ruleset), renderLoad(ruleset));
});

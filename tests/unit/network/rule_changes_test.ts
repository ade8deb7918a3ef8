import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { AccessChanges } from "../../../system/core/engine/change.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import {
  block,
  custom,
  endpoint,
  firewallWith,
  forward,
  outright,
} from "../../kit/builders/firewall_rules.ts";
import { kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const A = "02:00:00:00:00:0a", B = "02:00:00:00:00:0b";
const IP_A = "192.168.2.6", IP_B = "192.168.2.10";

function home(rules: Partial<Config["firewall"]> = {}): Config {
  return network({
    [A]: { ip: IP_A, policies: ["wan", "lan"], tags: ["nas"] },
    [B]: { ip: IP_B, policies: ["wan"] },
  }, {
    interfaces: [
      link("eth0", "Uplink", { DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" }),
      link("eth1", "Downlink"),
    ],
    firewall: firewallWith(rules),
  });
}

interface State {
  readonly desired: Desired;
  readonly config: Config;
}

function changes(from: State, to: State): AccessChanges {
  return atOnce(planner.accessChangeSteps({
    before: from.desired,
    after: to.desired,
    config: from.config,
    next: to.config,
  }));
}

/** What flips from one set of rules to another, and back. */
function flips(rules: Partial<Config["firewall"]>): {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
} {
  const [before, after] = [home(), home(rules)];
  const facts = kernel(["lo", "eth0", "eth1", "docker0"]);
  const states = [before, after].map((config) => planner.desire(config, seenOn(), facts));
  const text = (list: readonly { from: string; to: string; traffic: string }[]) =>
    list.map((one) => `${one.from} > ${one.to}: ${one.traffic}`);
  const [one, two] = [
    { desired: states[0]!, config: before },
    { desired: states[1]!, config: after },
  ];
  const there = changes(one, two), back = changes(two, one);
  assert.deepEqual(text(back.denied), text(there.allowed), "the way back loses it");
  assert.deepEqual(text(back.allowed), text(there.denied), "the way back gains it");
  return { allowed: text(there.allowed), denied: text(there.denied) };
}

Deno.test("a forward lets the Internet reach its machine", () => {
  assert.deepEqual(flips({ ForwardingRules: [forward("8080", IP_B, "443")] }), {
    allowed: [`internet > ${B}: tcp 8080`],
    denied: [],
  });
});

Deno.test("a block takes its pairs away", () => {
  assert.deepEqual(flips({ ForwardingBlockRules: [block(IP_A, "0.0.0.0/0", "443")] }), {
    allowed: [],
    denied: [`${A} > ${B}: tcp 443`, `${A} > internet: tcp 443`],
  });
  assert.deepEqual(flips({ BlockRules: [outright("0.0.0.0/0", "8.8.8.8")] }).denied, [
    `${A} > 8.8.8.8: tcp`,
    `${B} > 8.8.8.8: tcp`,
  ]);
  assert.deepEqual(flips({ OutputBlockRules: [block("0.0.0.0/0", "8.8.8.8", "53")] }).denied, [
    "router > 8.8.8.8: tcp 53",
  ]);
});

Deno.test("a block of what nothing opens takes nothing away", () => {
  const rules = { ForwardingBlockRules: [block(IP_B, IP_A, "443")] };
  assert.deepEqual(flips(rules), { allowed: [], denied: [] });
});

Deno.test("an endpoint gives its destination, an interface's rule what it holds", () => {
  const nas = endpoint("nas", "10.99.0.1", "443", ["nas"]);
  assert.deepEqual(flips({ Endpoints: [nas] }).allowed, [`${A} > 10.99.0.1: tcp 443`]);
  const rule = custom("docker0", "172.17.0.2", { Policies: ["wan", "lan", "api"] });
  assert.deepEqual(flips({ CustomInterfaceRules: [rule] }).allowed.toSorted(), [
    `172.17.0.2 > ${A}: tcp`,
    `172.17.0.2 > ${B}: tcp`,
    "172.17.0.2 > internet: tcp",
    "172.17.0.2 > router: tcp 80",
  ]);
});

Deno.test("a rule about everyone is computed within bounds", () => {
  const devices = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [
      `02:00:00:00:${(i >> 8).toString(16).padStart(2, "0")}:${
        (i & 255).toString(16).padStart(2, "0")
      }`,
      { ip: `192.168.${i >> 6}.${(i & 63) * 4 + 2}`, policies: ["wan", "lan"] as const },
    ]),
  );
  const dhcp = { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" };
  const before = network(devices, { dhcp });
  const every = [block("0.0.0.0/0", "0.0.0.0/0")];
  const after = network(devices, { dhcp, firewall: firewallWith({ ForwardingBlockRules: every }) });
  const [a, b] = [before, after].map((one) => planner.desire(one, seenOn(), kernel()));
  const { denied, more } = changes(
    { desired: a!, config: before },
    { desired: b!, config: after },
  );
  assert.equal(denied.length, 200);
  assert.ok(more > 1000);
});

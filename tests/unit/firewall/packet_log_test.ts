import assert from "node:assert/strict";
import fc from "fast-check";
import { renderLoad } from "../../../system/core/kernel/nft/text.ts";
import type { Packet, Ruleset } from "../../../system/core/kernel/ruleset.ts";
import type { PacketLogSettings } from "../../../system/firewall/packet_log/schema.ts";
import type { Firewall } from "../../../system/firewall/schema.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { stepToWire, WireStep } from "../../../system/host/kernel/netd_wire.ts";
import { block, firewallWith, outright } from "../../kit/builders/firewall_rules.ts";
import { anyRules } from "../../kit/builders/random_rules.ts";
import { group, kernel, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();
const LAPTOP = "192.168.2.6", PHONE = "192.168.2.10";
const SEEN = seenOn({ "02:00:00:00:00:0b": "wlan1.4096" });
const FACTS = kernel(["lo", "eth0", "eth1", "wlan1", "wlan1.4096", "docker0"]);

function desired(Log: PacketLogSettings["Log"], rules: Parameters<typeof firewallWith>[0] = {}) {
  const config = network({
    "02:00:00:00:00:0a": { ip: LAPTOP, policies: ["wan", "dns"], tags: ["nas"] },
    "02:00:00:00:00:0b": { ip: PHONE, wifi: true, policies: ["lan", "noapi"], groups: ["kids"] },
  }, { groups: [group("kids")], firewall: firewallWith(rules), packetLog: { Log } });
  return planner.desire(config, SEEN, FACTS);
}

const BLOCKS = {
  BlockRules: [outright("198.51.100.66", "0.0.0.0/0")],
  ForwardingBlockRules: [
    block(LAPTOP, "0.0.0.0/0", "25"),
    block("0.0.0.0/0", "8.8.8.8", "1-1023"),
  ],
  OutputBlockRules: [block("0.0.0.0/0", "192.0.2.0/24", "443")],
};

function logs({ tables }: Ruleset): readonly string[] {
  return tables.flatMap(({ chains }) => chains).flatMap(({ rules }) => rules)
    .flatMap(({ action }) => action.kind === "log" ? [`${action.group} ${action.prefix}`] : []);
}

Deno.test("packet log: off adds no rule, drops logs what is dropped, all what is let on", () => {
  assert.deepEqual(logs(desired("off", BLOCKS).ruleset), []);
  const drops = logs(desired("drops", BLOCKS).ruleset);
  assert.ok(drops.every((text) => text.startsWith("1 drop:")), drops.join("\n"));
  const topics = new Set(drops.map((text) => text.split(" ")[1]));
  assert.deepEqual(
    [...topics].sort(),
    ["drop:forward", "drop:input", "drop:mac", "drop:output", "drop:pfw", "drop:private"],
  );
  const more = logs(desired("all", BLOCKS).ruleset).filter((text) => !drops.includes(text));
  assert.deepEqual(more, ["0 wan:in ", "0 lan:in ", "0 wan:out ", "0 lan:out "]);
});

Deno.test("packet log: no rule of any kind drops without a log of the same packets before it", () => {
  fc.assert(fc.property(anyRules, assertDropsAreLogged), { examples: [[BLOCKS]], numRuns: 20 });
});

function assertDropsAreLogged(drawn: Partial<Firewall>): void {
  const { tables } = desired("drops", drawn).ruleset;
  for (const { name, chains, sets } of tables) {
    for (const { elements, name: set } of sets) {
      for (const { value } of elements.values()) {
        const isDrop = value !== undefined && "kind" in value && value.kind === "drop";
        assert.equal(isDrop, false, `an element of ${name} ${set}`);
      }
    }
    for (const { name: chain, rules } of chains) {
      rules.forEach(({ action, matches, comment }, at) => {
        if (action.kind !== "drop") return;
        assert.equal(rules[at - 1]?.action.kind, "log", `${chain}: ${comment}`);
        assert.deepEqual(rules[at - 1]?.matches, matches);
      });
    }
  }
}

Deno.test("packet log: netd reads the rules as they are sent, and the text is one for nft", () => {
  const { ruleset } = desired("all", BLOCKS);
  const step = { kind: "load", ruleset } as const;
  const read = WireStep.parse(JSON.parse(JSON.stringify(stepToWire(step))));
  assert.equal(renderLoad(read.kind === "load" ? read.ruleset : ruleset), renderLoad(ruleset));
  assert.match(
    renderLoad(ruleset),
    /log prefix "drop:forward Blocked: no rule allows it" group 1 comment/,
  );
});

const anyAddress = fc.constantFrom(
  ...[LAPTOP, PHONE, "192.168.2.14", "192.168.2.1", "203.0.113.2"],
  ...["8.8.8.8", "10.1.2.3", "198.51.100.7", "198.51.100.66", "172.17.0.2"],
);
const anyPacket: fc.Arbitrary<Packet> = fc.record({
  iif: fc.constantFrom("eth0", "eth1", "wlan1.4096", "docker0", "lo", null),
  oif: fc.constantFrom("eth0", "eth1", "wlan1.4096", "docker0", null),
  source: anyAddress,
  destination: anyAddress,
  mac: fc.constantFrom("02:00:00:00:00:0a", "02:00:00:00:00:0b", null),
  protocol: fc.constantFrom("tcp" as const, "udp" as const, "icmp" as const),
  dport: fc.constantFrom(7, 25, 53, 80, 443, 8080),
  state: fc.constantFrom("new" as const, "established" as const),
});

Deno.test("packet log: what it logs changes no verdict and no reason of one", () => {
  fc.assert(
    fc.property(anyRules, fc.array(anyPacket, { minLength: 1, maxLength: 8 }), (rules, packets) => {
      const [off, all] = [desired("off", rules), desired("all", rules)];
      for (const packet of packets) {
        assert.deepEqual(planner.trace(all, packet), planner.trace(off, packet));
      }
    }),
    { numRuns: 60 },
  );
});

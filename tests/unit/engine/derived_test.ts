import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Observations } from "../../../system/core/engine/change.ts";
import { changedMembers, derive } from "../../../system/core/config/memo.ts";
import { diffDocument } from "../../../system/core/engine/journal/patch.ts";
import { digest, fileText } from "../../../system/core/config/json.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import type { Facts } from "../../../system/core/kernel/facts.ts";
import { withDevice } from "../../../system/devices/device.ts";
import { devicesDocument } from "../../../system/devices/document.ts";
import type { Policy } from "../../../system/devices/policies.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { diffRulesets } from "../../../system/core/kernel/nft/diff.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { configWith, device, mac } from "../../kit/builders/device_config.ts";
import { custom, firewallWith } from "../../kit/builders/firewall_rules.ts";
import { group } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const DEVICES = 80;
const FACTS: Facts = {
  links: [{ name: "lan0", index: 2, up: true, mac: null, kind: null, running: true }],
  addresses: [],
  routes: [],
  neighbours: [],
  forwarding: false,
  tables: [],
  capabilities: {
    dummy: true,
    bridge: true,
    vlan: false,
    vxlan: false,
    wireguard: false,
    flowtable: false,
  },
};

function begin(): Config {
  const devices = Array.from({ length: DEVICES }, (_, i) => {
    const RecentIP = `192.168.${2 + (i >> 6)}.${(i & 63) * 4 + 2}`;
    return [mac(i), device(mac(i), { RecentIP, Policies: ["wan", "dns"] })] as const;
  });
  const config = configWith({
    devices: Object.fromEntries(devices),
    groups: [group("kitchen"), group("office")],
    firewall: firewallWith({
      CustomInterfaceRules: [
        custom("docker0", "172.17.0.2", { Policies: ["wan", "lan"], Groups: ["kitchen"] }),
        custom("docker0", "172.18.0.0/24", { Policies: ["dns"], Groups: ["office"] }),
        // Where a device is as well.
        custom("lan0", "192.168.2.2", { Policies: ["wan"], Groups: ["office"] }),
      ],
    }),
  });
  return { ...config, dhcp: { ...config.dhcp, TinyNets: ["192.168.2.0/23"] } };
}

const POLICIES: readonly Policy[] = ["wan", "dns", "lan", "noapi", "quarantine", "disabled"];
/**
 * Of a device, which most often is one that has just changed or is new; a negative number: of custom
 * rules, or of where a device is seen.
 */
const change: fc.Arbitrary<readonly [number, Partial<Device>]> = fc.tuple(
  fc.oneof(
    fc.integer({ min: -2, max: 3 }),
    fc.nat(DEVICES - 1),
    fc.integer({ min: DEVICES, max: DEVICES + 2 }),
  ),
  fc.oneof(
    fc.record({ Policies: fc.subarray([...POLICIES]) }),
    fc.record({ Groups: fc.subarray(["kitchen", "office"]) }),
    fc.record({ Name: fc.constantFrom("lamp", "phone") }),
    fc.record({ DeviceDisabled: fc.boolean() }),
    fc.record({ RecentIP: fc.constantFrom("192.168.3.250", "192.168.2.2", "10.0.0.2") }),
    fc.record({ MAC: fc.constantFrom(mac(500), "") }),
  ),
);

/** The value with maps as sorted lists, since equal sets may hold their elements in any order. */
function plain(desired: Desired): unknown {
  return JSON.parse(
    JSON.stringify(
      desired,
      (_, value) => value instanceof Map ? [...value].sort(([a], [b]) => a < b ? -1 : 1) : value,
    ),
  );
}

Deno.test("what is computed of a change is what the whole comes to", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      const configs = [begin()];
      const seen: Observations[] = [{ devices: {} }];
      const see = (number: number, link: string): void => {
        const { devices } = seen.at(-1)!;
        const sighting = { firstSeen: 1, lastSeen: seen.length, link, online: true };
        seen.push({ devices: { ...devices, [mac(number)]: sighting } });
      };
      for (const [number, update] of changes) {
        const before = configs.at(-1)!;
        if (number === -2) {
          configs.push(before);
          see(changes.length % 4, changes.length % 2 === 0 ? "lan0" : "wlan0.4096");
          continue;
        }
        if (number >= DEVICES) see(number, "lan0");
        else seen.push(seen.at(-1)!);
        if (number < 0) {
          const CustomInterfaceRules = before.firewall.CustomInterfaceRules.slice(1);
          configs.push({ ...before, firewall: { ...before.firewall, CustomInterfaceRules } });
          continue;
        }
        const old = before.devices[mac(number)] ??
          device(mac(number), { RecentIP: `192.168.3.${4 * (number - DEVICES) + 202}` });
        configs.push(withDevice(before, mac(number), { ...old, ...update }));
      }
      const step = (config: Config, at: number, by = planner) => ({
        desired: by.desire(config, seen[at]!, FACTS),
        text: fileText(devicesDocument.write!(config.devices)),
        digest: digest(config.devices),
      });
      const quick = configs.map((config, at) => step(config, at));
      // A copy is nobody's successor: everything is computed anew.
      const whole = configs.map((config, at) =>
        step(structuredClone(config), at, networkPlanner())
      );
      for (const [at, { desired, text, digest }] of quick.entries()) {
        assert.equal(text, whole[at]!.text);
        assert.equal(digest, whole[at]!.digest);
        assert.deepEqual(plain(desired), plain(whole[at]!.desired));
        if (at === 0) continue;
        assert.deepEqual(
          new Set(diffRulesets(quick[at - 1]!.desired.ruleset, desired.ruleset).map(key)),
          new Set(
            diffRulesets(whole[at - 1]!.desired.ruleset, whole[at]!.desired.ruleset).map(key),
          ),
        );
        const subject = { document: "devices" };
        const [before, after] = [configs[at - 1]!.devices, configs[at]!.devices];
        assert.deepEqual(
          diffDocument(before, after, subject),
          diffDocument(structuredClone(before), structuredClone(after), subject),
        );
      }
    }),
    { numRuns: 60 },
  );
});

function key(op: unknown): string {
  return JSON.stringify(
    op,
    (_, value) => value instanceof Map ? [...value].sort(([a], [b]) => a < b ? -1 : 1) : value,
  );
}

Deno.test("changed members are those that differ, and unknown where names came or went", () => {
  const before = { a: 1, b: 2 };
  assert.deepEqual(changedMembers(before, before), []);
  assert.deepEqual(changedMembers(before, { a: 1, b: 3 }), ["b"]);
  assert.deepEqual(changedMembers(before, { b: 2, a: 1 }), null);
  assert.deepEqual(changedMembers(before, { a: 1 }), null);
  assert.deepEqual(changedMembers(before, derive(before, { a: 4 })), ["a"]);
  assert.deepEqual(changedMembers(before, derive(before, { c: 4 })), null);
});

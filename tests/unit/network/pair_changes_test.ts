import assert from "node:assert/strict";
import { inRange4, parseIpv4 } from "../../../system/core/net/net.ts";
import { lanRanges } from "../../../system/network/device_links.ts";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { derive } from "../../../system/core/config/memo.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { addressesOf, pairClasses } from "../../../system/network/reachability/device_classes.ts";
import { block, firewallWith, forward } from "../../kit/builders/firewall_rules.ts";
import { anyHoldings, anyNetwork } from "../../kit/builders/random_network.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const planner = networkPlanner();

const SEEN = seenOn(), KERNEL = kernel();

function stateOf(config: Config): Desired {
  return planner.desire(config, SEEN, KERNEL);
}

/** Whether a device may open any connection to another, asked for this pair alone. */
function mayOpen(config: Config, desired: Desired, [from, to]: readonly [string, string]): boolean {
  const source = config.devices[from]?.RecentIP, destination = config.devices[to]?.RecentIP;
  if (!source || !destination) return false;
  const query = { source, destination, protocol: "tcp", dport: 9 } as const;
  return planner.trace(desired, planner.firstPacket(desired, query)).verdict === "accept";
}

Deno.test("what flips between devices is what flips when each pair is computed alone, for random rules", () => {
  const links = [link("eth0", "Uplink"), link("eth1", "Downlink")];
  const holdings = fc.array(anyHoldings, { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(anyNetwork(links), holdings, fc.boolean(), (config, holdings, removes) => {
      const ids = Object.keys(config.devices);
      const kept = ids.slice(removes ? 1 : 0);
      const next = {
        ...config,
        devices: Object.fromEntries(kept.map((id, at) => {
          const { policies, groups } = holdings[at]!;
          return [id, { ...config.devices[id]!, Policies: policies, Groups: groups }];
        })),
      };
      const [before, after] = [stateOf(config), stateOf(next)];
      const found = atOnce(planner.accessChangeSteps({ before, after, config, next }));
      // An address outside of the LAN is no device's: who reaches it reaches something else.
      const lan = lanRanges(config.dhcp.TinyNets);
      const located = ids.filter((id) => {
        const address = parseIpv4(config.devices[id]!.RecentIP);
        return address !== null && lan.some((range) => inRange4(range, address));
      });
      const pairs = located.flatMap((from) =>
        located.filter((to) => to !== from).map((to) => [from, to] as const)
      );
      const flips = (allowed: boolean) =>
        pairs.filter((pair) =>
          mayOpen(config, before, pair) !== allowed && mayOpen(next, after, pair) === allowed
        ).map((pair) => pair.join(" ")).sort();
      const listed = (list: typeof found.allowed) =>
        list.filter(({ traffic, from, to }) =>
          traffic === "all" && located.includes(from) && located.includes(to)
        ).map(({ from, to }) => `${from} ${to}`).sort();
      assert.equal(found.more, 0);
      assert.deepEqual(listed(found.allowed), flips(true));
      assert.deepEqual(listed(found.denied), flips(false));
    }),
    { numRuns: 150 },
  );
});

Deno.test("what flips in one change after the other is what flips where nothing is known of them", () => {
  const links = [link("eth0", "Uplink"), link("eth1", "Downlink")];
  const change = fc.record({ at: fc.nat(8), holdings: anyHoldings, isOfDevice: fc.nat(5) });
  fc.assert(
    fc.property(
      anyNetwork(links),
      fc.array(change, { minLength: 2, maxLength: 8 }),
      (start, changes) => {
        const ids = Object.keys(start.devices);
        if (ids.length === 0) return;
        let config = start;
        for (const { at, holdings: { policies, groups }, isOfDevice } of changes) {
          const id = ids[at % ids.length]!;
          const device = { ...config.devices[id]!, Policies: policies, Groups: groups };
          const next = isOfDevice > 0
            ? { ...config, devices: derive(config.devices, { [id]: device }) }
            : { ...config, firewall: { ...config.firewall, PingLan: !config.firewall.PingLan } };
          const [before, after] = [stateOf(config), stateOf(next)];
          const found = atOnce(planner.accessChangeSteps({ before, after, config, next }));
          // Of copies nothing is known.
          const copies = structuredClone({ before, after });
          const whole = atOnce(planner.accessChangeSteps({ ...copies, config, next }));
          assert.deepEqual(found, whole);
          config = next;
        }
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("a change about a thousand devices, no two alike, traces few packets, in short steps", () => {
  const identity = (n: number) =>
    `02:00:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${
      (n & 255).toString(16).padStart(2, "0")
    }`;
  const devices = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [identity(n), {
      ip: `192.168.${2 + (n >> 6)}.${(n & 63) * 4 + 2}`,
      groups: ["everyone", `g${n % 200}`, `g${(n * 7) % 200}`],
    }]),
  );
  const numbered = Array.from({ length: 200 }, (_, n) => group(`g${n}`));
  const nets = { dhcp: { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" } };
  const config = network(devices, { groups: [group("everyone"), ...numbered], ...nets });
  const next = network(devices, { groups: numbered, ...nets });
  const change = { before: stateOf(config), after: stateOf(next), config, next };

  let steps = 0;
  const run = planner.accessChangeSteps(change);
  let step = run.next();
  for (; !step.done; step = run.next()) steps++;
  const { denied, more } = step.value;
  const shares = (a: string, b: string) =>
    devices[a]!.groups.some((name) => name !== "everyone" && devices[b]!.groups.includes(name));
  const ids = Object.keys(devices);
  const apart = ids.flatMap((a) => ids.filter((b) => a !== b && !shares(a, b))).length;
  assert.equal(denied.length + more, apart);
  // A step looks up to two thousand pairs up, or traces one.
  assert.ok(steps > 1_000_000 / 2000, `${steps}`);

  const { before, after, classes } = atOnce(pairClasses(change, addressesOf(change)));
  for (const { members: [from] } of classes) {
    for (const { members: [to] } of classes) {
      for (const access of [before, after]) {
        access.answer(access.end(from!.before!), access.end(to!.before!));
      }
    }
  }
  assert.ok(before.traces + after.traces < 2000, `${before.traces} + ${after.traces}`);
});

Deno.test("a change of many devices' own policies does not look each of them up in all groups", () => {
  const identity = (n: number) => `02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;
  const groups = Array.from({ length: 60 }, (_, n) => group(`g${n}`));
  const config = network(
    Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [identity(n), {
        ...{ ip: `192.168.2.${n * 4 + 2}`, policies: ["wan", "dns"], groups: [`g${n}`] },
      }]),
    ),
    { groups },
  );
  const changed = Object.entries(config.devices)
    .map(([id, one]) => [id, { ...one, Policies: ["dns" as const] }]);
  const next = { ...config, devices: derive(config.devices, Object.fromEntries(changed)) };
  const change = { before: stateOf(config), after: stateOf(next), config, next };
  let lookUps = 0;
  for (const { name, elements } of change.after.ruleset.tables.flatMap(({ sets }) => sets)) {
    if (!/^g\d+_/.test(name)) continue;
    const has = elements.has;
    Object.assign(elements, {
      has(key: string) {
        lookUps++;
        return has.call(elements, key);
      },
    });
  }
  const { after } = atOnce(pairClasses(change, addressesOf(change)));
  assert.equal(after.end("192.168.2.6").sends.length, 1);
  assert.ok(lookUps < 60 * 10, `${lookUps} look-ups`);
});

Deno.test("rules about ports and forwards do not make each device a question of its own", () => {
  const identity = (n: number) =>
    `02:00:00:00:0${n >> 8}:${(n & 255).toString(16).padStart(2, "0")}`;
  const address = (n: number) => `192.168.${2 + (n >> 6)}.${(n & 63) * 4 + 2}`;
  const numbers = Array.from({ length: 300 }, (_, n) => n);
  const devices = (groups: readonly string[]) =>
    Object.fromEntries(
      numbers.map((n) => [identity(n), { ip: address(n), groups: n < 30 ? groups : [] }]),
    );
  const rest = {
    groups: [group("kids")],
    dhcp: { TinyNets: ["192.168.0.0/16"], LeaseTime: "24h0m0s" },
    firewall: firewallWith({
      ForwardingRules: numbers.map((n) => forward(`${20_000 + n}`, address(n), "443")),
      ForwardingBlockRules: numbers.map((n) => block(address(n), "0.0.0.0/0", `${1000 + n}`)),
    }),
  };
  const config = network(devices([]), rest), next = network(devices(["kids"]), rest);
  const change = { before: stateOf(config), after: stateOf(next), config, next };
  const { allowed, more } = atOnce(planner.accessChangeSteps(change));
  assert.equal(allowed.length + more, 30 * 29);
  const { before, after, classes } = atOnce(pairClasses(change, addressesOf(change)));
  assert.ok(classes.length <= 3, `${classes.length} classes`);
  assert.ok(before.traces + after.traces < 50, `${before.traces} + ${after.traces}`);
});

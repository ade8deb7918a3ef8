import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Observations, PatchEntry } from "../../../system/core/engine/change.ts";
import { derive } from "../../../system/core/config/memo.ts";
import { sighted } from "../../../system/devices/observation.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { anyHoldings, anyNetwork } from "../../kit/builders/random_network.ts";
import { device, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const FACTS = kernel();

interface Joining {
  readonly link: string;
  readonly holdings: Parameters<typeof device>[1];
}

/** Devices that join one after the other, each with the address of its number, and what each changes. */
function joined(config: Config, joining: readonly Joining[]) {
  const states: { readonly config: Config; readonly observed: Observations }[] = [
    { config, observed: seenOn() },
  ];
  const patches = joining.map(({ link, holdings }, at): readonly PatchEntry[] => {
    const identity = `02:00:00:00:01:0${at}`;
    const after = device(identity, holdings);
    const { config, observed } = states.at(-1)!;
    states.push({
      config: { ...config, devices: derive(config.devices, { [identity]: after }) },
      observed: sighted(observed, { identity, at: 1, link, online: true }),
    });
    return [{ document: "devices", path: [identity], after }];
  });
  return { states, patches };
}

/** The kernel's lines of each by its share in the plan of all, and by a plan of its own. */
function linesOf({ states, patches }: ReturnType<typeof joined>) {
  const planner = networkPlanner();
  const plans = states.map(({ config, observed }) => planner.desire(config, observed, FACTS));
  const whole = planner.diff(plans[0]!, plans.at(-1)!);
  const alone = patches.map((_, at) => planner.describe(planner.diff(plans[at]!, plans[at + 1]!)));
  const shares = planner.shares!(whole, patches)?.map(planner.describe) ?? null;
  return { shares, alone };
}

Deno.test("devices that join at once each have their own lines of the one plan", () => {
  const config = network({ "02:00:00:00:00:0a": { ip: "192.168.2.6" } });
  const ips = ["192.168.2.10", "192.168.2.14", "192.168.2.18"];
  const { shares, alone } = linesOf(
    joined(config, ips.map((ip) => ({ link: "eth1", holdings: { ip, policies: ["noapi"] } }))),
  );
  assert.deepEqual(shares, alone);
  assert.ok(alone.every((lines, at) => lines.length > 2 && lines.join().includes(ips[at]!)));
});

Deno.test("the share that any new device has of a plan of any network is what it does alone, planned step by step or anew", () => {
  const joining = fc.array(
    fc.record({
      link: fc.constantFrom("eth1", "wlan1", "wlan1.7", "eth0"),
      holdings: anyHoldings,
      number: fc.integer({ min: 0, max: 63 }),
    }),
    { minLength: 2, maxLength: 4 },
  );
  const networks = anyNetwork([
    link("eth0", "Uplink"),
    link("eth1", "Downlink"),
    link("wlan1", "AP"),
  ]);
  let shared = 0;
  fc.assert(
    fc.property(networks, joining, (config, those) => {
      const all = joined(
        config,
        those.map(({ link, holdings, number }) => ({
          link,
          holdings: { ...holdings, ip: `192.168.2.${number * 4 + 2}` },
        })),
      );
      const following = networkPlanner();
      for (const { config, observed } of all.states) {
        const whole = networkPlanner().desire(config, observed, FACTS);
        assert.deepEqual(following.desire(config, observed, FACTS), whole);
      }
      const { shares, alone } = linesOf(all);
      if (shares === null) return;
      shared++;
      assert.deepEqual(shares, alone);
    }),
    { numRuns: 60 },
  );
  assert.ok(shared > 0);
});

Deno.test("what is no new device, or moves more than its own addresses, is planned by itself", () => {
  const planner = networkPlanner();
  const nothing = { steps: [], recheck: [] };
  const added = { document: "devices", path: ["a"], after: { RecentIP: "192.168.2.6" } };
  const other = { document: "devices", path: ["b"], after: { RecentIP: "192.168.2.10" } };
  const refused: readonly (readonly PatchEntry[])[] = [
    [{ ...added, before: added.after }],
    [{ ...added, path: ["a", "Name"] }],
    [{ ...added, document: "groups" }],
    [{ ...added, after: { RecentIP: "" } }],
    [added, { ...other, after: added.after }],
  ];
  for (const patch of refused) assert.equal(planner.shares!(nothing, [patch, [other]]), null);
  const forwarding = { steps: [{ kind: "forwarding", on: true }], recheck: [] } as const;
  assert.equal(planner.shares!(forwarding, [[added], [other]]), null);
  assert.equal(planner.shares!(nothing, [[added], [other]])?.length, 2);
});

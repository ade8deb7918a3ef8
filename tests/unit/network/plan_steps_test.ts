import assert from "node:assert/strict";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import { withDevice } from "../../../system/devices/device.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { anyNetwork } from "../../kit/builders/random_network.ts";
import { group, kernel, link, network, seenOn } from "../../kit/builders/small_network.ts";

const anyConfig = anyNetwork([
  link("eth0", "Uplink"),
  link("eth1", "Downlink"),
  link("wlan1", "AP"),
]);

Deno.test("states computed in steps beside each other are those that each has alone", () => {
  fc.assert(fc.property(anyConfig, anyConfig, (first, second) => {
    const shared = networkPlanner();
    const running = [first, second, first].map((config) => ({
      config,
      steps: shared.desireSteps!(config, seenOn(), kernel()),
      state: null as Desired | null,
    }));
    while (running.some(({ state }) => state === null)) {
      for (const one of running) {
        const step = one.state === null ? one.steps.next() : null;
        if (step?.done) one.state = step.value;
      }
    }
    for (const { config, state } of running) {
      assert.deepEqual(state, networkPlanner().desire(config, seenOn(), kernel()));
    }
  }));
});

Deno.test("a change of one device takes no more steps among sixty devices than among two", () => {
  const devices = (count: number): Config =>
    network(
      Object.fromEntries(Array.from({ length: count }, (_, at) => {
        const mac = `02:00:00:00:00:${at.toString(16).padStart(2, "0")}`;
        return [mac, { ip: `192.168.2.${at * 4 + 2}`, groups: ["tv"] }];
      })),
      { groups: [group("tv")] },
    );
  const stepsOf = (count: number): readonly number[] => {
    const planner = networkPlanner();
    const [observed, facts] = [seenOn(), kernel()];
    const steps = (config: Config): number => {
      const work = planner.desireSteps!(config, observed, facts);
      for (let taken = 0;; taken++) {
        const step = work.next();
        if (!step.done) continue;
        assert.deepEqual(step.value, networkPlanner().desire(config, observed, facts));
        return taken;
      }
    };
    const config = devices(count);
    const [first] = Object.keys(config.devices);
    const device = { ...config.devices[first!]!, Policies: ["wan" as const] };
    return [steps(config), steps(withDevice(config, first!, device))];
  };
  const [few, many] = [stepsOf(2), stepsOf(60)];
  assert.equal(many[0]! - few[0]!, 58, "a state from nothing looks at each device");
  assert.equal(many[1], few[1]);
});

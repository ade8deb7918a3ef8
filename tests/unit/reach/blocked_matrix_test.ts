import assert from "node:assert/strict";
import type { BlockedRanges } from "../../../system/core/kernel/blocked_ranges.ts";
import { BlockedNow, withBlocked } from "../../../system/geo/blocked_now.ts";
import { desire } from "../../../system/network/plan.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import type { CellAnswer } from "../../../system/reach/cell_answers.ts";
import { reachMatrix, reachMatrixSteps } from "../../../system/reach/matrix.ts";
import { PairMemory } from "../../../system/reach/pair_answers.ts";
import { kernel, network, seenOn } from "../../kit/builders/small_network.ts";

const id = (n: number) => `02:00:00:00:00:${n.toString(16).padStart(2, "0")}`;

/** Every address of IPv4, in two prefixes. */
const EVERYTHING: BlockedRanges = {
  sources: [{ type: "country", key: "de" }],
  groups: [{
    family: 4,
    length: 1,
    addresses: Uint32Array.of(0, 0x80000000),
    owners: Uint16Array.of(0, 0),
  }],
};

Deno.test("a matrix during which ranges are blocked and freed again holds none of what was blocked", () => {
  const devices = Array.from({ length: 6 }, (_, n) => n + 1);
  const config = network(Object.fromEntries(devices.map((n) => [id(n), {
    ip: `192.168.2.${4 * n + 2}`,
    policies: n % 2 === 0 ? ["wan", "dns"] : ["wan", "dns", "lan"],
  }])));
  const state = { config, desired: desire(config, seenOn(), kernel()) };
  const ids = Object.keys(config.devices);
  const free = reachMatrix(ids, state, networkPlanner());
  let steps = 0;
  for (const walk = reachMatrixSteps(ids, state, parts().parts); !walk.next().done;) steps++;
  assert.ok(steps > 4);
  for (let from = 0; from < steps; from++) {
    const { blocked, parts: all } = parts();
    const walk = reachMatrixSteps(ids, state, all);
    let step = walk.next();
    for (let n = 0; !step.done; n++, step = walk.next()) {
      if (n === from) blocked.ranges = EVERYTHING;
      if (n === from + 1) blocked.ranges = null;
    }
    // The last step of all may have been one with ranges: they stand then.
    if (blocked.ranges === null) assert.deepEqual(step.value, free, `blocked at step ${from}`);
    blocked.ranges = null;
    assert.deepEqual(reachMatrix(ids, state, all.tracer, all.memory), free, `after ${from}`);
  }
});

Deno.test("a matrix during which ranges change without end is begun three times at most", () => {
  const config = network({
    [id(1)]: { ip: "192.168.2.6", policies: ["wan", "dns"] },
    [id(2)]: { ip: "192.168.2.10", policies: ["wan", "dns", "lan"] },
  });
  const state = { config, desired: desire(config, seenOn(), kernel()) };
  const ids = Object.keys(config.devices);
  let once = 0;
  for (const walk = reachMatrixSteps(ids, state, parts().parts); !walk.next().done;) once++;
  const { blocked, parts: all } = parts();
  const walk = reachMatrixSteps(ids, state, all);
  let steps = 0;
  while (!walk.next().done) {
    steps++;
    assert.ok(steps <= 3 * once, `${steps} steps; ${once} are enough where nothing changes`);
    blocked.ranges = steps % 2 === 0 ? null : EVERYTHING;
  }
  assert.equal(steps, 3 * once);
  blocked.ranges = null;
  const free = reachMatrix(ids, state, networkPlanner());
  assert.deepEqual(reachMatrix(ids, state, all.tracer, all.memory), free);
});

Deno.test("what is blocked has another version after each change", () => {
  const blocked = new BlockedNow();
  const versions = [blocked.version];
  blocked.ranges = null;
  assert.equal(blocked.version, versions[0], "this is no change");
  for (const ranges of [EVERYTHING, null, EVERYTHING]) {
    blocked.ranges = ranges;
    assert.ok(!versions.includes(blocked.version));
    versions.push(blocked.version);
  }
});

function parts() {
  const blocked = new BlockedNow();
  const tracer = withBlocked(networkPlanner(), blocked);
  return { blocked, parts: { tracer, memory: new PairMemory<CellAnswer>() } };
}

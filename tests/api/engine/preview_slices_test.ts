import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import type { Planner } from "../../../system/core/engine/change.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { TURN_MS } from "../../../system/core/time/slices.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

/** Devices of a group that all of them are in, so that deleting it is a question of a hundred thousand pairs. */
function crowd(): ReturnType<typeof manyDevices> {
  const files = manyDevices(150);
  const devices = files["devices/devices.json"] as Record<string, { Groups: string[] }>;
  for (const device of Object.values(devices)) device.Groups.push("everyone");
  return { ...files, "devices/groups.json": [{ Name: "everyone" }] };
}

/** Counts how often access changes are begun, and how far each comes. They take until `isOver`. */
function counted(router: TestRouter, isOver: () => boolean): { begun: number; done: number } {
  const planner = router.engine.planner as {
    -readonly [K in keyof Planner<Config>]: Planner<Config>[K];
  };
  const { accessChangeSteps } = planner;
  const seen = { begun: 0, done: 0 };
  planner.accessChangeSteps = function* (change) {
    seen.begun++;
    while (!isOver()) yield;
    const result = yield* accessChangeSteps(change);
    seen.done++;
    return result;
  };
  return seen;
}

const DELETION = ["DELETE", "/groups?dryRun=true"] as const;
const everyone = { body: { Name: "everyone" } };

Deno.test("simultaneous previews of one change are computed once, and others have their turn", async () => {
  await using router = await testRouter({ files: crowd() });
  let others = 0;
  const seen = counted(router, () => others >= 3);
  const previews = [1, 2, 3].map(async () => {
    const response = await router.ask(...DELETION, everyone);
    return await response.json();
  });
  while (others < 3) {
    const status = await router.ask("GET", "/status", { as: null });
    await status.body?.cancel();
    others++;
  }
  const [one, two, three] = await Promise.all(previews);
  assert.deepEqual(seen, { begun: 1, done: 1 });
  assert.ok(one.reach.denied.length + one.reach.more > 10_000);
  assert.deepEqual([two.reach, three.reach], [one.reach, one.reach]);
});

Deno.test("a preview ends when its caller is gone", async () => {
  await using router = await testRouter({ files: crowd() });
  const seen = counted(router, () => false);
  const caller = new AbortController();
  const answer = router.ask(...DELETION, { ...everyone, signal: caller.signal })
    .then((response) => response.body?.cancel(), () => "gone");
  while (seen.begun === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  caller.abort(new Error("gone"));
  await answer;
  assert.deepEqual(seen, { begun: 1, done: 0 });
});

Deno.test("between the parts of a large change, and of its preview, others have their turn", async () => {
  await using router = await testRouter({ files: crowd() });
  const planner = router.engine.planner as {
    -readonly [K in keyof Planner<Config>]: Planner<Config>[K];
  };
  let turn = 0;
  const turns: number[] = [];
  const timer = setInterval(() => turn++, 0);
  const { desireSteps, diff } = planner;
  /** Each part takes longer than a turn, as it does in a large network. */
  const slow = <R>(part: () => R): R => {
    turns.push(turn);
    const result = part();
    for (const began = performance.now(); performance.now() - began < 2 * TURN_MS;);
    return result;
  };
  planner.desireSteps = function* (...state) {
    const steps = desireSteps!(...state);
    for (let count = 0;; count++) {
      const step = count < 3 ? slow(() => steps.next()) : steps.next();
      if (step.done) return step.value;
      yield;
    }
  };
  planner.diff = (...states) => slow(() => diff(...states));
  try {
    const identities = Object.keys(router.engine.config.devices);
    const body = { Identities: identities, Tags: ["all"], Groups: ["more"] };
    for (const path of ["/devices/bulk?dryRun=true", "/devices/bulk"]) {
      turns.length = 0;
      const response = await router.ask("PUT", path, { body });
      assert.equal(response.status, 200, await response.text());
      assert.ok(turns.length >= 2, path);
      assert.equal(new Set(turns).size, turns.length, `${path}: ${turns}`);
    }
  } finally {
    clearInterval(timer);
  }
});

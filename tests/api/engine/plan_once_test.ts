import assert from "node:assert/strict";
import type { Guard } from "../../../system/core/engine/decide.ts";
import { ADMIN, putDevice, ToyHome } from "../../kit/fakes/toy_engine.ts";
import type { ToyConfig } from "../../kit/fakes/toy_schema.ts";
import { toyPlanner } from "../../kit/fakes/toy_kernel.ts";

Deno.test("the next state is computed once per change and preview, guards included", async () => {
  await using home = await ToyHome.make();
  let computed = 0;
  const guard: Guard<ToyConfig> = (_before, _after, _caller, states) => {
    assert.notDeepEqual(states.before(), states.after());
    return null;
  };
  const engine = await home.open({
    guards: [guard, guard],
    planner: {
      ...toyPlanner,
      desire(...inputs) {
        computed++;
        return toyPlanner.desire(...inputs);
      },
    },
  });
  const options = { caller: ADMIN };
  computed = 0;
  await engine.change(putDevice("tablet", { Open: true }), options);
  assert.equal(computed, 1, "a change");
  await engine.preview(putDevice("phone", { Open: true }), options);
  assert.equal(computed, 2, "a preview");
});

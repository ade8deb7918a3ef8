import assert from "node:assert/strict";
import { ADMIN, putDevice, putRules, statusOf, ToyHome } from "../../kit/fakes/toy_engine.ts";
import type { Problem } from "../../../system/core/errors/problem.ts";

const by = { caller: ADMIN };

Deno.test("undo takes back one change and leaves later ones", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putRules("a", "b", "c"), by);
  const { id } = await engine.change(putRules("a", "c"), by);
  await engine.change(putDevice("x", { Open: true }), by);
  const outcome = await engine.undo(id!, by);
  assert.deepEqual(engine.config.rules.map((rule) => rule.Name), ["a", "b", "c"]);
  assert.ok(engine.config.devices.x);
  const detail = await engine.history.get(outcome.id!);
  assert.equal(detail.undoes, id);
  assert.equal(detail.summary, "Undo: Put rules a c");
});

Deno.test("undo is refused when a later change touched the same value, and names it", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const first = await engine.change(putDevice("a", { Name: "one" }), by);
  const second = await engine.change(putDevice("a", { Name: "two" }), by);
  await assert.rejects(
    engine.undo(first.id!, by),
    (error: Problem) =>
      error.status === 409 && error.members.change === second.id && /Put a/.test(error.message),
  );
  const undo = await engine.undo(second.id!, by);
  assert.equal(engine.config.devices.a!.Name, "one");
  assert.equal(await statusOf(engine.undo(second.id!, by)), 409);
  assert.equal((await engine.history.get(second.id!)).undoneBy, undo.id);
  await engine.undo(undo.id!, by);
  assert.equal((await engine.history.get(second.id!)).undoneBy, null);
  assert.equal(engine.config.devices.a!.Name, "two");
  assert.equal(await statusOf(engine.undo(first.id!, by)), 409);
  await engine.undo(second.id!, by);
  await engine.undo(first.id!, by);
  assert.deepEqual(engine.config.devices, {});
  assert.equal(await statusOf(engine.undo("nothing", by)), 404);
});

Deno.test("undo can be previewed", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putDevice("a", { Open: true }), by);
  const preview = await engine.previewUndo(id!, by);
  assert.deepEqual(preview.system, ["delete-elements a"]);
  assert.ok(engine.config.devices.a);
});

Deno.test("the history is read page by page, newest first", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  for (let i = 0; i < 5; i++) await engine.change(putDevice(`d${i}`), by);
  const first = await engine.history.list(2);
  assert.deepEqual(first.items.map((item) => item.summary), ["Put d4", "Put d3"]);
  const second = await engine.history.list(2, { after: first.next! });
  assert.deepEqual(second.items.map((item) => item.summary), ["Put d2", "Put d1"]);
  assert.equal((await engine.history.list(2, { after: second.next! })).next, null);
});

Deno.test("old revisions are removed and the configuration outlives them", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), by);
  home.time += 91 * 24 * 3600 * 1000;
  await engine.change(putDevice("b"), by);
  await engine.tick();
  assert.deepEqual((await engine.history.list(10)).items.map((i) => i.summary), ["Put b"]);
  await home.close();
  await Deno.remove(home.path("devices/devices.json"));
  assert.deepEqual(Object.keys((await home.open()).config.devices), ["a", "b"]);
});

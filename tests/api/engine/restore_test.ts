import assert from "node:assert/strict";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { ADMIN, putDevice, putRules, statusOf, ToyHome } from "../../kit/fakes/toy_engine.ts";
import { RETENTION_MS } from "../../../system/core/engine/journal/journal.ts";
import { changes } from "../../../system/core/store/schema/journal.ts";

const by = { caller: ADMIN };

Deno.test("restore brings everything back to what it was right after a change, secrets included", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Psk: "first secret" }), by);
  const { id } = await engine.change(putRules("x", "y"), by);
  const then = engine.config;
  await engine.change(putDevice("a", { Psk: "second secret", Open: true }), by);
  await engine.change(putDevice("b"), by);
  await engine.change(putRules("y", "x", "z"), by);
  const preview = await engine.previewRestore(id!, by);
  assert.ok(!JSON.stringify(preview).includes("first secret"));
  assert.deepEqual(preview.system, ["delete-elements a", "delete-elements 3"]);
  const outcome = await engine.restore(id!, by);
  assert.deepEqual(engine.config, then);
  const detail = await engine.history.get(outcome.id!);
  assert.equal(detail.kind, "restore");
  assert.equal(detail.summary, "Restore to: Put rules x y");
  await engine.undo(outcome.id!, by);
  assert.deepEqual(Object.keys(engine.config.devices), ["a", "b"]);
  assert.equal((await engine.restore(outcome.id!, by)).id === null, false);
});

Deno.test("restore to where everything stands already changes nothing", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putDevice("a"), by);
  assert.equal((await engine.restore(id!, by)).id, null);
  assert.equal(await statusOf(engine.restore("nothing", by)), 404);
});

Deno.test("restore asks whether its caller may change these documents", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putRules("x"), by);
  await engine.change(putDevice("a"), by);
  const followed: (readonly string[])[] = [];
  const permit = (documents: readonly string[]) => {
    followed.push(documents);
    throw new Error("no");
  };
  await assert.rejects(engine.restore(id!, { ...by, permit }), /no/);
  assert.deepEqual(followed, [["devices"]]);
  assert.ok(engine.config.devices.a);
});

Deno.test("restore waits for a confirm window, and can stand under one", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putRules("x"), by);
  await engine.change(putRules("y"), by);
  const restored = await engine.restore(id!, { ...by, confirmWithin: 30 });
  assert.ok(restored.confirm);
  assert.equal(await statusOf(engine.restore(id!, by)), 409);
  home.clock += 31;
  await engine.tick();
  assert.deepEqual(engine.config.rules.map(({ Name }) => Name), ["y"]);
});

Deno.test("restore says 409 where the history between has a gap", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putDevice("a", { Name: "one" }), by);
  const gap = await engine.change(putDevice("a", { Name: "two" }), by);
  await engine.change(putDevice("a", { Name: "three" }), by);
  await engine.tick();
  await home.db.delete(changes).where(eq(changes.id, gap.id!));
  assert.equal(await statusOf(engine.restore(id!, by)), 409);
  assert.equal(engine.config.devices.a!.Name, "three");
});

Deno.test("pruning takes the oldest only, whatever the clock once said", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const ids = [];
  for (const days of [0, 100, -100, 100]) {
    const start = home.time;
    home.time = start + days * 24 * 3600_000;
    ids.push((await engine.change(putDevice(`d${ids.length}`), by)).id!);
    home.time = start;
  }
  await engine.tick();
  home.time += RETENTION_MS + 24 * 3600_000;
  await engine.tick();
  const { items } = await engine.history.list(10);
  assert.deepEqual(items.map((item) => item.id), ids.slice(1).reverse());
});

Deno.test("restore equals the configuration then, for random histories", async () => {
  const device = fc.record({
    kind: fc.constant("device" as const),
    name: fc.constantFrom("a", "b", "c"),
    value: fc.record({ Name: fc.constantFrom("", "x", "y"), Open: fc.boolean(), Psk: fc.string() }),
  });
  const rules = fc.record({
    kind: fc.constant("rules" as const),
    names: fc.uniqueArray(fc.constantFrom("p", "q", "r", "s")),
  });
  const undo = fc.record({ kind: fc.constant("undo" as const), of: fc.nat(20) });
  const restore = fc.record({ kind: fc.constant("restore" as const), of: fc.nat(20) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(device, device, rules, undo, restore), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        await using home = await ToyHome.make();
        const engine = await home.open();
        const points: { readonly id: string; readonly config: unknown }[] = [];
        for (const step of steps) {
          const at = step.kind === "undo" || step.kind === "restore"
            ? points[step.of % Math.max(points.length, 1)]
            : undefined;
          const outcome = step.kind === "device"
            ? await engine.change(putDevice(step.name, step.value), by)
            : step.kind === "rules"
            ? await engine.change(putRules(...step.names), by)
            : at === undefined
            ? null
            : step.kind === "undo"
            ? await engine.undo(at.id, by).catch(() => null)
            : await engine.restore(at.id, by);
          if (outcome?.id) points.push({ id: outcome.id, config: engine.config });
          if (step.kind === "restore" && at) assert.deepEqual(engine.config, at.config);
        }
        for (const { id, config } of points.toReversed()) {
          await engine.restore(id, by);
          assert.deepEqual(engine.config, config);
        }
      },
    ),
    { numRuns: 15 },
  );
});

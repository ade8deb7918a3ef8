import assert from "node:assert/strict";
import { ADMIN, putDevice, putRules, statusOf, ToyHome } from "../../kit/fakes/toy_engine.ts";
import { Problem } from "../../../system/core/errors/problem.ts";

const by = { caller: ADMIN };
const within = (seconds: number) => ({ ...by, confirmWithin: seconds });

Deno.test("an unconfirmed change undoes itself", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id, confirm } = await engine.change(putDevice("a", { Open: true }), within(30));
  assert.equal(confirm!.until, home.time + 30_000);
  assert.equal(engine.window.current()!.id, id);
  home.clock += 29;
  await engine.tick();
  assert.ok(engine.config.devices.a);
  home.clock += 1;
  await engine.tick();
  assert.equal(engine.config.devices.a, undefined);
  assert.deepEqual([...home.host.open], []);
  assert.equal(engine.window.current(), null);
  const [rollback, change] = (await engine.history.list(10)).items;
  assert.equal(rollback!.by, "timer");
  assert.equal(rollback!.undoes, id);
  assert.equal(change!.undoneBy, rollback!.id);
});

Deno.test("a confirmed change stays, and its token is worth nothing afterwards", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id, confirm } = await engine.change(putDevice("a"), within(30));
  assert.equal(engine.window.matches(confirm!.token), true);
  assert.equal(engine.window.matches(`${confirm!.token}x`), false);
  await engine.confirm(id!);
  assert.equal(engine.window.matches(confirm!.token), false);
  home.clock += 100;
  await engine.tick();
  assert.ok(engine.config.devices.a);
  assert.equal(await statusOf(engine.confirm(id!)), 409);
  assert.equal(await statusOf(engine.confirm("nothing")), 404);
});

Deno.test("other changes wait for the window to end, what the world does goes on", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putRules("r"), within(30));
  await assert.rejects(
    engine.change(putDevice("a"), by),
    (error: Problem) => error.status === 409 && error.members.change === id,
  );
  assert.equal(await statusOf(engine.change(putDevice("a"), within(30))), 409);
  assert.equal(
    await statusOf(engine.change(putDevice("b", { Name: "lease" }), { ...by, observation: true })),
    200,
  );
  home.clock += 30;
  await engine.tick();
  assert.equal(engine.config.rules.length, 0);
  assert.equal(engine.config.devices.b!.Name, "lease");
  assert.equal(await statusOf(engine.change(putDevice("a"), by)), 200);
});

Deno.test("what the world stored on top of a change does not stop its rollback", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), within(30));
  await engine.change(putDevice("a", { Name: "lease" }), { ...by, observation: true });
  home.clock += 30;
  await engine.tick();
  assert.equal(engine.config.devices.a, undefined);
});

Deno.test("undo ends a window early", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  const { id } = await engine.change(putDevice("a"), within(30));
  await engine.undo(id!, by);
  assert.equal(engine.window.current(), null);
  assert.deepEqual(engine.config.devices, {});
});

Deno.test("a window goes on across a restart, with its token, and ends when it should", async () => {
  await using home = await ToyHome.make();
  const { confirm } = await (await home.open()).change(putDevice("a"), within(60));
  await home.close();
  home.clock += 40;
  const engine = await home.open();
  assert.equal(engine.window.current()!.secondsLeft, 20);
  assert.equal(engine.window.matches(confirm!.token), true);
  await home.close();
  home.clock += 20;
  const later = await home.open();
  assert.equal(later.window.current(), null);
  assert.deepEqual(later.config.devices, {});
});

Deno.test("a reboot never lengthens a window, whatever the wall clock says", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), within(60));
  home.clock += 40;
  await engine.tick();
  await home.close();
  home.clock = 3;
  home.time -= 1e9;
  const later = await home.open();
  assert.equal(later.window.current()!.secondsLeft, 20);
});

Deno.test("a rollback that the kernel refuses is tried again", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: true }), within(30));
  home.host.refuse = (step) => {
    if (step.kind === "ruleset") throw new Problem(502, "nft: refused");
  };
  home.clock += 30;
  await engine.tick();
  assert.ok(engine.window.current());
  home.host.refuse = () => {};
  home.clock += 10;
  await engine.tick();
  assert.equal(engine.window.current(), null);
  assert.deepEqual([...home.host.open], []);
});

Deno.test("a window takes 10 to 600 seconds", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  for (const seconds of [9, 601, NaN]) {
    assert.equal(await statusOf(engine.change(putDevice("a"), within(seconds))), 400);
  }
  assert.equal(await statusOf(engine.change(putDevice("a"), within(600))), 200);
});

Deno.test("a window opens together with its change or not at all", async () => {
  await using home = await ToyHome.make();
  const cuts: [string, ToyHome][] = [];
  const engine = await home.open({ crash: (point) => void cuts.push([point, home.cut()]) });
  await engine.change(putDevice("a"), within(30));
  for (const [point, cut] of cuts) {
    await using copy = cut;
    const again = await copy.open();
    const stands = again.config.devices.a !== undefined;
    assert.equal(again.window.current() !== null, stands, point);
  }
});

import assert from "node:assert/strict";
import { ADMIN, putDevice, ToyHome } from "../../kit/fakes/toy_engine.ts";
import { flowOf, ToyHost } from "../../kit/fakes/toy_kernel.ts";

const by = { caller: ADMIN };

Deno.test("a connection that a crash after the commit kept from being cut is cut by the start", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open({
    crash: (point) => {
      if (point === "journal:committed" && revoking) crashed ??= home.cut(kernelOf(home.host));
    },
  });
  let revoking = false;
  let crashed: ToyHome | undefined;
  await engine.change(putDevice("a", { Open: true }), by);
  home.host.connections = [flowOf("a")];
  revoking = true;
  await engine.change(putDevice("a", { Open: false }), by);
  assert.deepEqual(home.host.connections, []);
  await using again = crashed!;
  assert.equal(again.host.connections.length, 1);
  await again.open();
  assert.deepEqual(again.host.connections, []);
});

Deno.test("a connection that began under a change which was taken back is cut", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: false }), by);
  home.host.refuse = (step) => {
    if (step.kind !== "ruleset") return;
    home.host.connections = [flowOf("a")];
    home.failBatches = true;
  };
  await assert.rejects(engine.change(putDevice("a", { Open: true }), by));
  assert.deepEqual([...home.host.open], []);
  assert.deepEqual(home.host.connections, []);
});

Deno.test("a connection that began while someone else had taken our rules out is cut by the repair", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a", { Open: false }), by);
  home.host.connections = [flowOf("a")];
  await engine.repair();
  assert.deepEqual(home.host.connections, []);
});

/** The kernel lives on when the process dies. */
function kernelOf(host: ToyHost): ToyHost {
  const same = Object.assign(new ToyHost(), { tables: host.tables });
  for (const key of host.open) same.open.add(key);
  same.connections = [...host.connections];
  return same;
}

Deno.test("a change that is refused while the disk may hold it says so, and is taken back at once", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  await engine.change(putDevice("a"), { caller: ADMIN });
  home.failBatches = home.failDeletes = true;
  const refused = await engine.change(putDevice("b"), { caller: ADMIN }).catch((error) => error);
  assert.match(refused.message, /it is not known whether the disk has it/);
  assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
  assert.deepEqual(await home.openNotices(), ["change-in-doubt"]);
  home.failBatches = home.failDeletes = false;
  await engine.tick();
  assert.deepEqual(await home.openNotices(), []);
  await engine.change(putDevice("c"), { caller: ADMIN });
  assert.deepEqual(Object.keys((await home.open()).config.devices), ["a", "c"]);
});

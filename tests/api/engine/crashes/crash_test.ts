import assert from "node:assert/strict";
import { ADMIN, putDevice, putRules, ToyHome } from "../../../kit/fakes/toy_engine.ts";
import type { ToyConfig } from "../../../kit/fakes/toy_schema.ts";
import { ToyHost } from "../../../kit/fakes/toy_kernel.ts";
import type { Command } from "../../../../system/core/engine/change.ts";

const by = { caller: ADMIN };

/** Changes two documents at once, so that a crash can fall between their files. */
const both: Command<ToyConfig> = {
  kind: "both",
  summary: "Change both",
  reduce: (config) =>
    [putRules("r").reduce(putDevice("b", { Open: true }).reduce(config)[0])[0], undefined] as const,
};

interface Cut {
  readonly point: string;
  readonly home: ToyHome;
}

async function cutsOf(change: Command<ToyConfig>): Promise<readonly Cut[]> {
  await using home = await ToyHome.make();
  const cuts: Cut[] = [];
  let cutting = false;
  const engine = await home.open({
    crash: (point) => {
      // The kernel lives on when the process dies.
      const host = Object.assign(new ToyHost(), { tables: home.host.tables });
      for (const key of home.host.open) host.open.add(key);
      if (cutting) cuts.push({ point, home: home.cut(host) });
    },
  });
  await engine.change(putDevice("a", { Open: true, Psk: "correct horse" }), by);
  await engine.close();
  await home.open({
    crash: (point) => {
      const host = Object.assign(new ToyHost(), { tables: home.host.tables });
      for (const key of home.host.open) host.open.add(key);
      if (cutting) cuts.push({ point, home: home.cut(host) });
    },
  });
  cutting = true;
  await home.engine.change(change, by);
  await home.close();
  return cuts;
}

Deno.test("a crash at any point leaves the whole change or nothing of it", async (t) => {
  const cuts = await cutsOf(both);
  assert.deepEqual(
    cuts.map(({ point }) => point),
    [
      "change:taken",
      "change:decided",
      "change:planned",
      "journal:pending",
      "files:staged",
      "kernel:1",
      "kernel:2",
      "journal:committed",
      "files:placed",
      "change:announced",
      "written",
    ],
  );
  const committed = cuts.findIndex(({ point }) => point === "journal:committed");
  for (const [index, { point, home }] of cuts.entries()) {
    await t.step(point, async () => {
      await using _ = home;
      const engine = await home.open();
      const stands = index >= committed;
      assert.deepEqual(Object.keys(engine.config.devices), stands ? ["a", "b"] : ["a"]);
      assert.equal(engine.config.rules.length, stands ? 1 : 0);
      assert.deepEqual([...home.host.open], stands ? ["a", "b"] : ["a"]);
      assert.deepEqual(await home.read("devices/devices.json"), engine.config.devices);
      assert.deepEqual(
        home.files(),
        stands ? ["base/rules.json", "devices/devices.json"] : ["devices/devices.json"],
      );
      const items = (await engine.history.list(10)).items;
      assert.deepEqual(items.map((item) => item.kind), [
        ...(stands ? ["both"] : []),
        "device.put",
      ]);
      assert.deepEqual(items.map((item) => item.by), items.map(() => "admin"));
      assert.deepEqual(await home.openNotices(), []);
      await engine.change(putDevice("c"), by);
      await home.close();
      const again = await home.open();
      assert.ok(again.config.devices.c);
      assert.equal((await again.history.list(10)).items.every((i) => i.state === "written"), true);
    });
  }
});

Deno.test("a crash after the commit completes files that were written by half", async () => {
  const cuts = await cutsOf(both);
  const cut = cuts.find(({ point }) => point === "journal:committed")!;
  for (const { home } of cuts) if (home !== cut.home) await home[Symbol.asyncDispose]();
  await using home = cut.home;
  // As if the first rename had been done and the second not.
  const staged = home.files().find((name) => name.startsWith("devices/.devices.json"))!;
  await Deno.rename(home.path(staged), home.path("devices/devices.json"));
  const engine = await home.open();
  assert.deepEqual(await home.read("base/rules.json"), [{ Name: "r", Port: 1 }]);
  assert.deepEqual(engine.config.devices.b?.Open, true);
});

Deno.test("a crash with an edit on top keeps both", async () => {
  const cuts = await cutsOf(both);
  const cut = cuts.find(({ point }) => point === "journal:committed")!;
  for (const { home } of cuts) if (home !== cut.home) await home[Symbol.asyncDispose]();
  await using home = cut.home;
  await home.write("devices/devices.json", { z: { Name: "z", Open: false, Psk: "" } });
  const engine = await home.open();
  assert.deepEqual(Object.keys(engine.config.devices), ["z"]);
  assert.equal(engine.config.rules.length, 1);
  assert.deepEqual((await engine.history.list(10)).items.map((i) => i.by), [
    "file",
    "admin",
    "admin",
  ]);
});

Deno.test("a store that was lost starts from the files", async () => {
  await using home = await ToyHome.make();
  await (await home.open()).change(putDevice("a", { Open: true }), by);
  await home.close();
  for (const suffix of ["", "-wal", "-shm"]) {
    await Deno.remove(`${home.folder}/state/sluice.db${suffix}`).catch(() => {});
  }
  const engine = await home.open();
  assert.deepEqual(Object.keys(engine.config.devices), ["a"]);
});

Deno.test("many changes are carried on from the last image", async () => {
  await using home = await ToyHome.make();
  const engine = await home.open();
  for (let i = 0; i < 120; i++) {
    await engine.change(putDevice(`d${i % 7}`, { Name: `n${i}`, Open: i % 3 === 0 }), by);
  }
  const config = engine.config;
  await home.close();
  await Deno.remove(home.path("devices/devices.json"));
  const again = await home.open();
  assert.deepEqual(again.config, config);
  assert.deepEqual(await home.read("devices/devices.json"), config.devices);
  assert.deepEqual(await home.openNotices(), []);
});

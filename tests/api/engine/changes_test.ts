import assert from "node:assert/strict";
import { changesRoutes } from "../../../routes/changes.ts";
import { noticesRoutes } from "../../../routes/notices.ts";
import { ChangeDetail, ChangeList } from "../../../system/changes/schema.ts";
import type { Config } from "../../../system/config.ts";
import type { Engine } from "../../../system/core/engine/engine.ts";
import { NoticeList } from "../../../system/notices/schema.ts";
import { type CallApp, plainApp } from "../../kit/plain_app.ts";
import { ADMIN, putDevice, ToyHome } from "../../kit/fakes/toy_engine.ts";

const by = { caller: ADMIN };

async function appOf(home: ToyHome): Promise<CallApp> {
  // These routes look into no part of the configuration, so that a toy one serves as well.
  const engine = await home.open() as unknown as Engine<Config>;
  return plainApp(engine, [
    ...changesRoutes({ engine }),
    ...noticesRoutes({ engine, notices: home.notices, counted: () => 0 }),
  ]);
}

Deno.test("GET /changes answers pages, and each change in full without its secrets", async () => {
  await using home = await ToyHome.make();
  const call = await appOf(home);
  for (const name of ["a", "b", "c"]) {
    await home.engine.change(putDevice(name, { Psk: "correct horse" }), by);
  }
  const first = await call("GET", "/changes?limit=2");
  ChangeList.parse(first.json);
  assert.deepEqual(first.json.items.map((item: { summary: string }) => item.summary), [
    "Put c",
    "Put b",
  ]);
  const rest = await call("GET", `/changes?limit=2&after=${first.json.next}`);
  assert.equal(rest.json.items.length, 1);
  assert.equal(rest.json.next, null);
  const one = await call("GET", `/changes/${first.json.items[0].id}`);
  ChangeDetail.parse(one.json);
  assert.doesNotMatch(one.text, /horse/);
  assert.equal((await call("GET", "/changes/none")).status, 404);
  assert.equal((await call("GET", "/changes?limit=0")).status, 400);
});

Deno.test("PUT /changes/{id}/undo previews, takes back, and names its own change", async () => {
  await using home = await ToyHome.make();
  const call = await appOf(home);
  const { id } = await home.engine.change(putDevice("a", { Open: true }), by);
  const preview = await call("PUT", `/changes/${id}/undo?dryRun=true`);
  assert.deepEqual(preview.json.system, ["delete-elements a"]);
  assert.ok(home.engine.config.devices.a);
  const undo = await call("PUT", `/changes/${id}/undo`);
  assert.equal(undo.status, 200);
  assert.equal(undo.text, "");
  assert.equal(home.engine.config.devices.a, undefined);
  const detail = await call("GET", `/changes/${undo.headers.get("change-id")}`);
  assert.equal(detail.json.undoes, id);
  assert.equal((await call("GET", `/changes/${id}`)).json.undoneBy, detail.json.id);
  assert.equal((await call("PUT", `/changes/${id}/undo`)).status, 409);
});

Deno.test("GET /changes/window shows what waits until PUT /changes/{id}/confirm", async () => {
  await using home = await ToyHome.make();
  const call = await appOf(home);
  assert.deepEqual((await call("GET", "/changes/window")).json, { window: null });
  const { id } = await home.engine.change(putDevice("a"), { ...by, confirmWithin: 60 });
  home.clock += 20;
  const { window } = (await call("GET", "/changes/window")).json;
  assert.deepEqual(window, {
    id,
    until: home.time + 40_000,
    secondsLeft: 40,
    summary: "Put a",
  });
  assert.equal((await call("PUT", `/changes/${id}/confirm`)).status, 200);
  assert.equal((await call("PUT", `/changes/${id}/confirm`)).status, 409);
  assert.deepEqual((await call("GET", "/changes/window")).json, { window: null });
});

Deno.test("GET /notices lists what is open, once each, until it is resolved", async () => {
  await using home = await ToyHome.make();
  const call = await appOf(home);
  await home.notices.open("test", "Something is the matter", { subject: "x" });
  await home.notices.open("test", "Something is the matter", { subject: "x" });
  await home.notices.open("test", "Something else is", { subject: "y" });
  const list = await call("GET", "/notices");
  NoticeList.parse(list.json);
  assert.deepEqual(
    list.json.items.map((item: { count: number; data: object }) => [item.count, item.data]).sort(),
    [[1, { subject: "y" }], [2, { subject: "x" }]],
  );
  assert.deepEqual(
    home.events.filter(({ topic }) => topic === "alert:test").length,
    2,
  );
  for (const { id } of list.json.items) {
    assert.equal((await call("PUT", `/notices/${id}/resolve`)).status, 200);
  }
  assert.deepEqual((await call("GET", "/notices")).json.items, []);
  const all = await call("GET", "/notices?all=true&limit=1");
  assert.equal(all.json.items[0].resolvedBy, "admin");
  assert.equal(
    (await call("GET", `/notices?all=true&after=${all.json.next}`)).json.items.length,
    1,
  );
  assert.equal((await call("PUT", "/notices/none/resolve")).status, 404);
  const id = all.json.items[0].id;
  const open = async () => (await call("GET", "/notices")).json.items.length;
  assert.equal((await call("PUT", `/notices/${id}/reopen`)).status, 200);
  assert.equal(await open(), 1);
  assert.equal((await call("PUT", `/notices/${id}/snooze`, { Minutes: 60 })).status, 200);
  assert.equal(await open(), 0, "a snoozed notice is not listed");
  assert.equal((await call("GET", "/notices?all=true&limit=1")).json.items[0].resolvedAt, null);
  assert.equal((await call("PUT", `/notices/${id}/snooze`, { Minutes: 0 })).status, 200);
  assert.equal(await open(), 1);
  assert.equal((await call("PUT", `/notices/${id}/snooze`, { Minutes: -1 })).status, 400);
  assert.equal((await call("PUT", "/notices/none/snooze", { Minutes: 1 })).status, 404);
  assert.equal((await call("PUT", "/notices/none/reopen")).status, 404);
});

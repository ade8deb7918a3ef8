import assert from "node:assert/strict";
import { ADMIN, putDevice, ToyHome } from "../../kit/fakes/toy_engine.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { accessSettings } from "../../../system/core/store/schema/access.ts";
import { sql } from "drizzle-orm";
import { createClient } from "@libsql/client";

Deno.test("the store belongs to its owner alone, its log as well", async () => {
  await using home = await ToyHome.make();
  const mask = Deno.umask(0);
  try {
    await (await home.open()).change(putDevice("a"), { caller: ADMIN });
    for (const name of ["sluice.db", "sluice.db-wal"]) {
      const { mode } = await Deno.stat(`${home.folder}/state/${name}`);
      assert.equal(mode! & 0o777, 0o600, name);
    }
  } finally {
    Deno.umask(mask);
  }
});

Deno.test("a store is opened durably, and opening it again keeps what is in it", async () => {
  const folder = await Deno.makeTempDir();
  for (let i = 0; i < 2; i++) {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    const [journal] = await db.all<{ journal_mode: string }>(sql`PRAGMA journal_mode`);
    const [sync] = await db.all<{ synchronous: number }>(sql`PRAGMA synchronous`);
    assert.deepEqual([journal!.journal_mode, sync!.synchronous], ["wal", 2]);
    close();
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a store goes without a file for the index of its log where the disk has no room for it", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/sluice.db`;
  // Whatever is written there meets a disk without room.
  await Deno.symlink("/dev/full", `${path}-room`);
  const { db, close } = await openStore(path);
  await db.insert(accessSettings).values({ key: "a", value: "1" });
  assert.equal((await db.select().from(accessSettings)).length, 1);
  await assert.rejects(Deno.stat(`${path}-shm`), Deno.errors.NotFound);
  close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a store that another program held for a while writes again once it lets go", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/sluice.db`;
  const { db, close } = await openStore(path, 50);
  const write = () => db.run(sql`PRAGMA user_version = 7`);
  await write();
  const other = createClient({ url: `file:${path}` });
  const held = await other.transaction("write");
  for (let i = 0; i < 2; i++) {
    await assert.rejects(
      () => db.batch([db.insert(accessSettings).values({ key: `held${i}`, value: "x" })]),
      (error: Error) => /locked/.test(`${error.message} ${error.cause}`),
    );
    await assert.rejects(write);
  }
  await held.rollback();
  other.close();
  await db.batch([db.insert(accessSettings).values({ key: "after", value: "x" })]);
  const rows = await db.select({ name: accessSettings.key }).from(accessSettings);
  assert.deepEqual(rows.map(({ name }) => name).filter((name) => /held|after/.test(name)), [
    "after",
  ]);
  const [sync] = await db.all<{ synchronous: number }>(sql`PRAGMA synchronous`);
  assert.equal(sync!.synchronous, 2, "still durable");
  close();
  await Deno.remove(folder, { recursive: true });
});

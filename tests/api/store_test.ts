import assert from "node:assert/strict";
import { ADMIN, putDevice, ToyHome } from "../kit/toy_engine.ts";
import { openStore } from "../../system/core/store/open.ts";
import { sql } from "drizzle-orm";

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

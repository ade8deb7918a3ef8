import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { Bus } from "../../../system/core/events/bus.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { Notices } from "../../../system/notices/board.ts";
import { inFolder } from "../../kit/process.ts";

Deno.test("on a full disk whoever opens or settles a notice goes on, and it is told once", () =>
  inFolder(async (folder) => {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    const bus = new Bus();
    const told: string[] = [];
    bus.subscribe(({ topic }) => void told.push(topic));
    const notices = new Notices({ db, bus });
    await notices.open("old", "It was there before");
    const limit = async (pages: number) =>
      void await db.get(sql.raw(`pragma max_page_count=${pages}`));
    // As many as there are: the next one does not fit.
    await limit(1);
    const detail = "x".repeat(100_000);
    told.length = 0;
    await notices.open("new", detail);
    await notices.open("new", detail);
    assert.deepEqual(told, ["alert:new"]);
    await notices.open("new", `${detail} again`);
    assert.deepEqual(told, ["alert:new", "alert:new"]);
    await limit(100_000);
    await notices.open("new", detail);
    assert.deepEqual(told.slice(2), ["notices", "alert:new"]);
    await notices.settle("new");
    const { items } = await notices.list({ limit: 9 });
    assert.deepEqual(items.map(({ kind }) => kind), ["old"]);
    close();
  }));

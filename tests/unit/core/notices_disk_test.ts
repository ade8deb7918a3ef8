import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { Bus } from "../../../system/core/events/bus.ts";
import { openStore } from "../../../system/core/store/open.ts";
import { Notices } from "../../../system/notices/board.ts";
import { inFolder } from "../../kit/process.ts";

Deno.test("a notice that a full disk does not take stands all the same, and is written with room", () =>
  inFolder(async (folder) => {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    const bus = new Bus();
    const published: string[] = [];
    bus.subscribe(({ topic }) => void published.push(topic));
    let now = 1000;
    const notices = new Notices({ db, bus, now: () => now++ });
    const limit = async (pages: number) =>
      void await db.get(sql.raw(`pragma max_page_count=${pages}`));
    const open = async (board = notices) => {
      const { items } = await board.list({ limit: 9 });
      return items.map(({ kind, count }) => `${kind} ${count}`);
    };
    await notices.open("old", "It was there before");
    // As many as there are: the next one does not fit.
    await limit(1);
    const detail = "x".repeat(100_000);
    published.length = 0;
    await notices.open("new", detail);
    await notices.open("new", detail);
    assert.deepEqual(published, ["notices", "alert:new"], "repetitions are no events");
    assert.deepEqual(await open(), ["new 2", "old 1"]);
    await notices.open("new", `${detail} again`);
    assert.deepEqual(published.slice(2), ["notices", "alert:new"]);
    await notices.open("other", detail, { subject: "a" });
    await notices.open("other", detail, { subject: "b" });
    assert.deepEqual(await open(), ["other 1", "other 1", "new 3", "old 1"]);

    const first = await notices.list({ limit: 1 });
    assert.equal(first.items[0]!.data.subject, "b");
    const rest = await notices.list({ limit: 9, after: first.next! });
    assert.deepEqual(rest.items.map(({ kind }) => kind), ["other", "new", "old"]);

    await notices.resolve(first.items[0]!.id, "admin");
    await notices.settle("new");
    assert.deepEqual(await open(), ["other 1", "old 1"], "closed without room");
    assert.deepEqual((await notices.list({ limit: 9, all: true })).items.length, 4);
    assert.deepEqual(await open(new Notices({ db, bus })), ["old 1"], "nothing was written");

    await limit(100_000);
    await notices.settle("nothing");
    assert.deepEqual(await open(new Notices({ db, bus })), ["other 1", "old 1"]);
    assert.equal((await new Notices({ db, bus }).list({ limit: 9, all: true })).items.length, 4);
    close();
  }));

Deno.test("notices that are opened at once are looked up by one query", () =>
  inFolder(async (folder) => {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    let queries = 0;
    const counted = new Proxy(db, {
      get: (target, name) => {
        if (name === "select") queries++;
        const member = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const notices = new Notices({ db: counted, bus: new Bus() });
    const openAll = () =>
      Promise.all(
        ["one", "other"].flatMap((kind) =>
          ["a", "b"].map((subject) => notices.open(kind, "It is open", { subject }))
        ),
      );
    await openAll();
    const [first] = (await notices.list({ limit: 9 })).items;
    await notices.resolve(first!.id, "admin");
    queries = 0;
    await openAll();
    assert.equal(queries, 1);
    const { items } = await notices.list({ limit: 9, all: true });
    assert.deepEqual(items.map(({ count }) => count).toSorted(), [1, 1, 2, 2, 2]);
    assert.deepEqual(items.find(({ id }) => id === first!.id)!.count, 1);
    close();
  }));

Deno.test("the same notice opened twice at once is one", () =>
  inFolder(async (folder) => {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    const notices = new Notices({ db, bus: new Bus() });
    await Promise.all([1, 2, 3].map(() => notices.open("same", "It is one")));
    const { items } = await notices.list({ limit: 9 });
    assert.deepEqual(items.map(({ count }) => count), [3]);
    close();
  }));

Deno.test("the latest notices are read in their order, without sorting all there are", () =>
  inFolder(async (folder) => {
    const { db, close } = await openStore(`${folder}/sluice.db`);
    const notices = new Notices({ db, bus: new Bus() });
    await notices.open("one", "It is there");
    const client = db.$client, execute = client.execute;
    const statements: { readonly sql: string; readonly args: unknown }[] = [];
    Object.assign(client, {
      execute(statement: never) {
        statements.push(statement);
        return execute.call(client, statement);
      },
    });
    const all = await notices.list({ limit: 9, all: true });
    await notices.list({ limit: 9, all: true, after: all.items[0]!.id });
    const lists = statements.filter(({ sql }) => sql.includes("order by"));
    assert.equal(lists.length, 2);
    for (const { sql, args } of lists) {
      const { rows } = await execute.call(
        client,
        { sql: `EXPLAIN QUERY PLAN ${sql}`, args } as never,
      );
      const plan = rows.map(({ detail }) => String(detail)).join("; ");
      assert.match(plan, /notices_latest/);
      assert.doesNotMatch(plan, /TEMP B-TREE/);
    }
    close();
  }));

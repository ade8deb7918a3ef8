import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { Bus } from "../../../system/core/events/bus.ts";
import { compileCondition, isMatch } from "../../../system/events/jpath/condition.ts";
import { EventStore } from "../../../system/events/store/event_store.ts";
import { History } from "../../../system/events/store/history.ts";
import type { ItemTime } from "../../../system/events/store/item_time.ts";
import type { EventRow } from "../../../system/events/store/messages.ts";
import { directLink, threadLink } from "../../../system/events/store/store_link.ts";
import { STORES_ALL } from "../../kit/builders/event_settings.ts";

const WRITER = fileURLToPath(new URL("../../kit/programs/event_writer.ts", import.meta.url));
const ENOUGH = { days: 90, bytes: 1 << 30, topics: [] };
const DAY_MS = 86_400_000;

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-test-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function rows(from: number, count: number, more: Partial<EventRow> = {}): EventRow[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ id: from + n, topic: "of:tests", at: 1000 + n, nanos: 0, key: null, published: true },
    data: JSON.stringify({ n, text: "x".repeat(1000) }),
    ...more,
  }));
}

Deno.test("what is acknowledged survives kill -9, and no id comes twice", async () => {
  await inFolder(async (folder) => {
    const seen: number[] = [];
    for (let round = 0; round < 3; round++) {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-q", "-A", "--no-check", WRITER, folder],
        stdout: "piped",
        stderr: "inherit",
      }).spawn();
      let text = "";
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      while (text.split("\n").length < 6) text += (await reader.read()).value;
      child.kill("SIGKILL");
      await child.status;
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
      }
      const acknowledged = text.split("\n").slice(0, -1).map(Number);
      const history = await History.open(`${folder}/history.db`);
      const stored = (await history.since(0, 1_000_000))!.map(({ id }) => id);
      history.close();
      for (const last of acknowledged) {
        for (let id = last - 49; id <= last; id++) assert.ok(stored.includes(id), `${id} is lost`);
        assert.ok(!seen.includes(last), `${last} came twice`);
      }
      seen.push(...acknowledged);
    }
    assert.deepEqual(seen, seen.toSorted((a, b) => a - b));
  });
});

Deno.test("writing in its thread holds up the bus for no more than a moment", async () => {
  await inFolder(async (folder) => {
    const bus = new Bus(Date.now, 100);
    const store = new EventStore({
      path: `${folder}/history.db`,
      ...{ bus, engine: STORES_ALL, link: threadLink },
      failed: (reason) => assert.fail(reason),
    });
    await store.flush();
    let longest = 0, last = performance.now();
    for (let n = 0; n < 4000; n++) {
      bus.publish("of:tests", { n });
      if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
    await store.flush();
    assert.equal((await store.since(0, 10_000))!.length, 4000);
    await store.close();
    // A statement of 500 rows takes longer than this when it blocks; a loaded machine is given time.
    assert.ok(longest < 500, `${longest} ms`);
  });
});

Deno.test("retention deletes by age and size, oldest first, and notifies readers", async () => {
  await inFolder(async (folder) => {
    const history = await History.open(`${folder}/history.db`);
    const now = 100 * DAY_MS;
    await history.append(rows(1, 100, { at: now - 91 * DAY_MS }));
    await history.append(rows(101, 4000, { at: now }));
    assert.equal(await history.trim({ ...ENOUGH, now }), false);
    assert.deepEqual((await history.since(100, 1))!.map(({ id }) => id), [101]);
    assert.equal(await history.since(99, 1), null);
    const bytes = 2 << 20;
    assert.ok(await history.size() > bytes);
    for (let step = 0; step < 10 && await history.trim({ days: 90, bytes, now }); step++);
    assert.ok(await history.size() <= bytes);
    assert.equal(await history.since(101, 1), null);
    assert.equal(await history.last(), 4100);
    history.close();
  });
});

Deno.test("a topic is limited to its own bytes", async () => {
  await inFolder(async (folder) => {
    const history = await History.open(`${folder}/history.db`);
    await history.append([...rows(1, 50), ...rows(51, 50, { topic: "of:others" })]);
    await history.trimTopic({ name: "of:tests", bytes: 10_500 });
    assert.equal(await history.countItems("of:tests"), 10);
    assert.equal(await history.countItems("of:others"), 50);
    history.close();
  });
});

Deno.test("a store that cannot be opened loses nothing that fits while it is away", async () => {
  await inFolder(async (folder) => {
    const bus = new Bus(Date.now, 100);
    const faults: string[] = [];
    let isAway = true;
    const store = new EventStore({
      path: `${folder}/history.db`,
      ...{ bus, engine: STORES_ALL },
      link: () => {
        const link = directLink(Date.now);
        return isAway ? { ...link, ask: () => Promise.reject(new Error("It is away")) } : link;
      },
      failed: (reason) => faults.push(reason),
    });
    bus.publish("of:tests", 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    bus.publish("of:tests", 2);
    isAway = false;
    const find = async (): Promise<readonly unknown[] | null> =>
      await store.since(0, 10).catch(() => null);
    let found = await find();
    for (let tries = 0; tries < 100 && found === null; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      found = await find();
    }
    assert.equal(found?.length, 2);
    assert.ok(faults.includes("It is away"));
    await store.close();
  });
});

Deno.test("what is larger than a payload may be is stored without its content", async () => {
  await inFolder(async (folder) => {
    const bus = new Bus(Date.now, 100);
    const store = new EventStore({
      path: `${folder}/history.db`,
      ...{ bus, engine: STORES_ALL, link: () => directLink(Date.now) },
      failed: (reason) => assert.fail(reason),
    });
    bus.publish("of:tests", "x".repeat(1_000_000));
    const [event] = (await store.since(0, 10))!;
    assert.equal(event!.data, '{"truncated":true,"length":1000002}');
    await store.close();
  });
});

Deno.test("a search of many events holds up neither writes nor other questions", async () => {
  await inFolder(async (folder) => {
    const link = directLink(Date.now);
    const retention = { days: 36_500, bytes: 1 << 30, topics: [] };
    await link.ask({ type: "open", path: `${folder}/history.db`, retention });
    for (let from = 1; from < 4000; from += 500) {
      await link.ask({ type: "append", rows: rows(from, 500, { topic: "of:many" }) });
    }
    const ended: string[] = [];
    const note = (name: string) => () => void ended.push(name);
    const query = { min: null, max: null, num: 10, order: "desc", strict: false } as const;
    const filter = '$[?(@.none=="such")]';
    const [found] = await Promise.all([
      link.ask({ type: "items", bucket: "of:many", query: { ...query, filter } })
        .finally(note("search")),
      link.ask({ type: "append", rows: rows(9000, 1, { topic: "of:many" }) }).then(note("write")),
      link.ask({ type: "countItems", bucket: "of:many" }).then(note("count")),
    ]);
    assert.deepEqual(found, { items: [], stoppedAt: null });
    assert.deepEqual(ended, ["write", "count", "search"]);
    await link.ask({ type: "close" });
  });
});

Deno.test("a search finds what a look at each event finds, whatever texts it asks for", async () => {
  const TEXTS = ["x", 'a "quoted" é\n', "10", "true", "2026-01-31T00:00:00Z"];
  const all: EventRow[] = Array.from({ length: 4300 }, (_, n) => ({
    ...{
      id: n + 1,
      topic: "of:search",
      at: n >> 3,
      nanos: (n >> 2) & 1,
      key: null,
      published: true,
    },
    data: JSON.stringify({ a: TEXTS[n % 7], b: [10, true, null, "x", { c: "x" }][n % 11], n }),
  }));
  const text = fc.constantFrom(...TEXTS).map((one) => JSON.stringify(one));
  const path = fc.constantFrom("@.a", "@.b", "@.b.c", "@..c", '@["a"]', "@.time");
  const plain = fc.oneof(
    fc.tuple(path, fc.constantFrom("==", "!="), text).map((parts) => parts.join(" ")),
    fc.tuple(text, path).map((parts) => parts.join(" == ")),
    fc.integer({ min: 0, max: 4300 }).map((n) => `@.n < ${n}`),
  );
  const test = fc.oneof(
    plain,
    fc.tuple(plain, fc.constantFrom("&&", "||"), plain).map((parts) => parts.join(" ")),
    fc.tuple(plain, plain, plain).map(([a, b, c]) => `!(${a}) && (${b} || ${c})`),
  );
  const moment = fc.option(fc.record({ at: fc.nat(540), nanos: fc.nat(1) }));
  await inFolder(async (folder) => {
    const history = await History.open(`${folder}/history.db`);
    await history.append(all);
    const { items } = (await history.items("of:search", {
      ...{ min: null, max: null, order: "asc", strict: false, num: 5000, filter: null },
    }))!;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ test, min: moment, max: moment, num: fc.constantFrom(3, 300, 5000) }),
        fc.constantFrom("asc", "desc"),
        async ({ test, min, max, num }, order) => {
          const filter = `$[?(${test})]`;
          const { value } = compileCondition(filter);
          const inTime = items.filter((_, n) => {
            const { at, nanos } = all[n]!;
            const time = at * 2 + nanos;
            return time >= (min === null ? 0 : min.at * 2 + min.nanos) &&
              time <= (max === null ? Infinity : max.at * 2 + max.nanos);
          });
          const fit = (order === "asc" ? inTime : inTime.toReversed())
            .filter((item) => isMatch(value(item)));
          const query = { min, max, num, order, strict: false, filter } as const;
          const found = { items: fit.slice(0, num), stoppedAt: null };
          assert.deepEqual(await history.items("of:search", query), found);
        },
      ),
      { numRuns: 25 },
    );
    history.close();
  });
});

Deno.test("a search that takes too long says where it stopped, and goes on from there without a gap", async () => {
  await inFolder(async (folder) => {
    const history = await History.open(`${folder}/history.db`);
    const all = rows(1, 900, { topic: "of:long" });
    await history.append(all.map((row, n) => ({ ...row, at: 1000 + (n >> 1), nanos: n & 1 })));
    for (const order of ["asc", "desc"] as const) {
      // A pattern that no text of it can be looked for.
      const filter = '$[?(@.text=~"^x+$")]';
      const seen: number[] = [];
      let [min, max]: ItemTime[] = [{ at: 0, nanos: 0 }, { at: 9999, nanos: 0 }];
      let parts = 0;
      for (;; parts++) {
        const query = { min: min!, max: max!, num: 1000, order, strict: false, filter };
        const { items, stoppedAt } = (await history.items("of:long", {
          ...query,
          milliseconds: 0,
        }))!;
        seen.push(...items.map((item) => (item as { n: number }).n));
        if (stoppedAt === null) break;
        if (order === "asc") min = stoppedAt;
        else max = stoppedAt;
      }
      const expected = Array.from({ length: 900 }, (_, n) => n);
      assert.deepEqual(seen, order === "asc" ? expected : expected.toReversed());
      assert.ok(parts >= 4, `${parts} parts`);
    }
    history.close();
  });
});

Deno.test("an answer holds no more of a bucket than fits: the newest items", async () => {
  await inFolder(async (folder) => {
    const history = await History.open(`${folder}/history.db`);
    const data = JSON.stringify({ text: "x".repeat(200_000) });
    await history.append(rows(1, 100, { topic: "of:large", data }));
    const items = await history.entries("of:large", { limit: 1000 });
    assert.equal(items?.length, Math.floor((8 << 20) / data.length));
    const few = await history.entries("of:large", { limit: 1000, characters: 500_000 });
    assert.deepEqual(few, items?.slice(-2));
    const found = await history.items("of:large", {
      ...{ min: null, max: null, num: 1000, order: "desc", strict: false, filter: null },
    });
    assert.equal(found?.items.length, items?.length);
    history.close();
  });
});

import assert from "node:assert/strict";
import { QueryLog } from "../../../../system/dns/log/writer/query_log.ts";
import { DEFAULT_LOG_CONFIG, type LogEntry } from "../../../../system/dns/log/schema.ts";
import {
  DEFAULT_SEARCH_LIMITS,
  type SearchLimits,
} from "../../../../system/dns/log/search/search.ts";
import type { QueryRecord } from "../../../../system/dns/log/writer/sink.ts";
import { SegmentTable } from "../../../../system/dns/log/writer/segment_table.ts";
import { mac } from "../../../kit/builders/device_config.ts";
import { withLogFile as withFile } from "../../../kit/dns/query_log.ts";
import { answerBytes, blockOf, query } from "../../../kit/dns/query.ts";

const ALL = { client: "", name: "", verdicts: [], before: null, limit: 100 } as const;
const DAY = 86_400_000;

/** Writes queries as they come from the resolver. */
async function write(book: QueryLog, queries: readonly QueryRecord[]): Promise<void> {
  await book.write(blockOf(queries, book.last));
}

Deno.test("queries older than the retention days are deleted", () =>
  withFile(async (path) => {
    const clock = { now: 1_700_000_000_000 };
    const table = await SegmentTable.open(path);
    const config = { ...DEFAULT_LOG_CONFIG, RetentionDays: 2 };
    const now = () => clock.now;
    const book = await QueryLog.open(table, { config, now, steady: now });
    for (const day of [0, 1, 2, 3, 4]) {
      await write(book, [query({ at: clock.now, name: `d${day}.` })]);
      await book.flush();
      clock.now += DAY;
    }
    await book.trim();
    const names = async () => (await book.search(ALL)).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(await names(), ["d4.", "d3."]);
    await book.configure({ ...config, RetentionDays: 1 });
    assert.deepEqual(await names(), ["d4."]);
    await book.close();
  }));

Deno.test("the log never exceeds its size limit, and the oldest queries are deleted first", () =>
  withFile(async (path) => {
    const config = { ...DEFAULT_LOG_CONFIG, RetentionMegabytes: 10 };
    const book = await QueryLog.open(await SegmentTable.open(path), { config, now: Date.now });
    const size = async (): Promise<number> => {
      const files = ["", "-wal"].map((end) => Deno.stat(path + end).catch(() => null));
      return (await Promise.all(files)).reduce((sum, file) => sum + (file?.size ?? 0), 0);
    };
    for (let round = 0; round < 12; round++) {
      const at = Date.now();
      for (let i = 0; i < 2000; i += 200) {
        // Nothing packs what is random.
        const queries = Array.from({ length: 200 }, (_, k) => {
          const name = `n${round}-${i + k}.`;
          const data = [...crypto.getRandomValues(new Uint8Array(700))];
          return query({ at, name, message: answerBytes(name, { answers: [{ type: 10, data }] }) });
        });
        await write(book, queries);
      }
      assert.ok(await size() <= 10_000_000, `${await size()} bytes in round ${round}`);
    }
    const { items } = await book.search({ ...ALL, limit: 1 });
    assert.equal(items[0]!.Q[0]!.Name, "n11-1999.");
    assert.deepEqual((await book.search({ ...ALL, name: "n0-" })).items, []);
    await book.close();
  }));

Deno.test("pages go through the whole log once, filtered or not", () => walkAll({}));

Deno.test("a search that reads too much continues in parts and misses nothing", async () => {
  for (const entries of [10, 25, 249, 250]) await walkAll({ entries });
  for (const blocks of [1, 2, 3]) await walkAll({ segments: blocks });
  for (const passed of [1, 2, 3, 4]) await walkAll({ scanned: passed });
});

async function walkAll(looks: Partial<SearchLimits>): Promise<void> {
  await withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), {
      config: DEFAULT_LOG_CONFIG,
      now: Date.now,
      searchLimits: { ...DEFAULT_SEARCH_LIMITS, ...looks },
    });
    const queries = Array.from({ length: 250 }, (_, i) =>
      query({
        name: i % 2 === 0 ? `even${i}.example.` : `odd${i}.Example.`,
        client: i % 5 === 0 ? "192.168.2.10" : "192.168.2.6",
        verdict: i % 10 === 0 ? "block" : "pass",
      }));
    for (let i = 0; i < queries.length; i += 40) {
      await write(book, queries.slice(i, i + 40));
      await book.flush();
    }
    const walk = async (part: Partial<Parameters<QueryLog["search"]>[0]>): Promise<number> => {
      const ids: number[] = [];
      for (let before: number | null = null;;) {
        const { items, next } = await book.search({ ...ALL, ...part, before, limit: 7 });
        ids.push(...items.map(({ id }) => id));
        if (next === null) break;
        before = next;
      }
      assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => b - a));
      return ids.length;
    };
    assert.equal(await walk({}), 250);
    assert.equal(await walk({ client: "192.168.2.10" }), 50);
    assert.equal(await walk({ verdicts: ["block"] }), 25);
    assert.equal(await walk({ name: "odd", client: "192.168.2.6" }), 100);
    assert.equal(await walk({ name: "example" }), 250);
    assert.equal(await walk({ name: "%" }), 0);
    assert.deepEqual((await book.status("192.168.2.10", 0)).counts, { block: 25, pass: 25 });
    await book.close();
  });
}

Deno.test("queries are counted by period, whether a segment is within one or lies across several", async () => {
  for (const size of [1, 7, 100]) {
    await withFile(async (path) => {
      const config = DEFAULT_LOG_CONFIG;
      const start = 1_800_000_000_000, until = start + 100_000;
      const book = await QueryLog.open(await SegmentTable.open(path), { config, now: () => until });
      const queries = Array.from({ length: 100 }, (_, i) =>
        query({
          at: start + i * 1000 + 500,
          verdict: i % 4 === 0 ? "block" : "pass",
          client: i < 50 ? "192.168.2.6" : "192.168.2.10",
        }));
      let last = 0;
      for (let i = 0; i < queries.length; i += size) {
        const part = blockOf(queries.slice(i, i + size), last);
        last = part.id(part.size - 1);
        await book.write(part);
        await book.flush();
      }
      const { series, counts } = await book.status("", start, 5);
      assert.deepEqual(series.map(({ time }) => (time - start) / 1000), [0, 20, 40, 60, 80]);
      assert.deepEqual(series.map((one) => one.counts), Array(5).fill({ block: 5, pass: 15 }));
      assert.deepEqual(counts, { block: 25, pass: 75 });
      const own = await book.status("192.168.2.6", start, 4);
      assert.deepEqual(own.series.map((one) => one.counts["block"] ?? 0), [7, 6, 0, 0]);
      assert.deepEqual((await book.status("", start)).series, []);
      await book.close();
    });
  }
});

Deno.test("a log that stores nothing still publishes events", () =>
  withFile(async (path) => {
    const config = { ...DEFAULT_LOG_CONFIG, StoreLocalMemory: false };
    const book = await QueryLog.open(await SegmentTable.open(path), { config, now: Date.now });
    const { last } = await book.events(null, { wait: 0, max: 10 });
    await write(book, [query()]);
    assert.equal((await book.events(last, { wait: 0, max: 10 })).items.length, 1);
    assert.deepEqual((await book.search(ALL)).items, []);
    await book.close();
  }));

Deno.test("events come once and in order, and skipped ones are counted", () =>
  withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), {
      config: DEFAULT_LOG_CONFIG,
      now: Date.now,
    });
    const { last, items } = await book.events(null, { wait: 0, max: 10 });
    assert.deepEqual(items, []);
    const waiting = book.events(last, { wait: 10_000, max: 2 });
    await write(book, ["a.", "b.", "c."].map((name) => query({ name })));
    const batch = await waiting;
    const names = batch.items.map(({ value }) => (value as LogEntry).Q[0]!.Name);
    assert.deepEqual([names, batch.skipped], [["b.", "c."], 1]);
    const later = await book.events(batch.last, { wait: 1, max: 2 });
    assert.deepEqual([later.items, later.skipped], [[], 0]);
    await book.close();
  }));

Deno.test("skipped events are counted exactly", () =>
  withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), {
      config: { ...DEFAULT_LOG_CONFIG, StoreLocalMemory: false },
      now: Date.now,
    });
    const ends: number[] = [(await book.events(null, { wait: 0, max: 10 })).last];
    const one = query();
    for (let block = 0; block < 12; block++) {
      await write(book, Array.from({ length: 700 }, () => one));
      ends.push(book.last);
    }
    for (const [blocks, after] of ends.entries()) {
      const { items, skipped, last } = await book.events(after, { wait: 0, max: 100 });
      const all = (12 - blocks) * 700;
      assert.deepEqual([items.length, skipped], [Math.min(all, 100), Math.max(all - 100, 0)]);
      assert.equal(last, book.last);
    }
    assert.equal((await book.events(book.last - 3, { wait: 0, max: 100 })).items.length, 3);
    await book.deleteQueries("192.168.2.6");
    assert.deepEqual((await book.events(book.last - 3, { wait: 0, max: 100 })).items, []);
    await book.close();
  }));

Deno.test("queries are logged during a long deletion", () =>
  withFile(async (path) => {
    let meanwhile = 0;
    const book: QueryLog = await QueryLog.open(await SegmentTable.open(path), {
      config: DEFAULT_LOG_CONFIG,
      now: Date.now,
      yieldTurn: () => write(book, [query({ name: `m${meanwhile++}.` })]),
    });
    const message = answerBytes("a.", { answers: [{ type: 10, data: new Array(1000).fill(7) }] });
    for (let block = 0; block < 5; block++) {
      await write(book, Array.from({ length: 100 }, () => query({ message })));
    }
    await book.deleteQueries("192.168.2.6");
    const { items } = await book.search(ALL);
    assert.ok(meanwhile >= 5);
    assert.deepEqual(
      items.map(({ Q }) => Q[0]!.Name),
      Array.from({ length: meanwhile }, (_, i) => `m${i}.`).reverse(),
    );
    await book.close();
  }));

Deno.test("a device's queries are deleted with it, also those from another address", () =>
  withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), {
      config: DEFAULT_LOG_CONFIG,
      now: Date.now,
    });
    await write(book, [
      query({ identity: mac(1) }),
      query({ identity: mac(1), client: "192.168.2.99" }),
      query({ identity: mac(2), client: "192.168.2.10" }),
      query({ identity: "", client: "192.168.2.14" }),
    ]);
    const clients = async () =>
      (await book.search(ALL)).items.map(({ Remote }) => Remote.split(":")[0]);
    await book.retainDevices([mac(2)]);
    assert.deepEqual(await clients(), ["192.168.2.14", "192.168.2.10"]);
    await book.deleteQueries("192.168.2.14");
    assert.deepEqual(await clients(), ["192.168.2.10"]);
    await book.deleteQueries("");
    assert.deepEqual(await clients(), []);
    await book.close();
  }));

Deno.test("ids increase although the clock is set back, and across a restart", () =>
  withFile(async (path) => {
    const clock = { now: 2_000_000 };
    const open = async () =>
      await QueryLog.open(await SegmentTable.open(path), {
        config: DEFAULT_LOG_CONFIG,
        now: () => clock.now,
      });
    let book = await open();
    await write(book, [query({ at: 2_000_000, name: "a." }), query({ at: 1_000_000, name: "b." })]);
    await book.close();
    clock.now = 500_000;
    book = await open();
    await write(book, [query({ at: 500_000, name: "c." })]);
    const names = (await book.search(ALL)).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(names, ["c.", "b.", "a."]);
    await book.close();
  }));

Deno.test("a corrupt log file is moved away and replaced", () =>
  withFile(async (path) => {
    await Deno.writeTextFile(path, "this is no database, however long one looks at it".repeat(100));
    const table = await SegmentTable.open(path);
    await table.write(blockOf([query({ at: 0 })], 4), { isPartial: false, written: 0 });
    assert.equal(await table.lastId(), 5);
    table.close();
    assert.ok((await Deno.stat(`${path}.broken`)).isFile);
    if (Deno.build.os === "linux") assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  }));

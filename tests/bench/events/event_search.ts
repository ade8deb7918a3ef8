import { DatabaseSync } from "node:sqlite";
import { Bus } from "../../../system/core/events/bus.ts";
import { EventStore } from "../../../system/events/store/event_store.ts";
import type { ItemQuery } from "../../../system/events/store/messages.ts";
import { threadLink } from "../../../system/events/store/store_link.ts";
import { STORES_ALL } from "../../kit/builders/event_settings.ts";
import type { Row } from "../table.ts";

const LATEST: ItemQuery = {
  ...{ min: null, max: null, num: 100, order: "desc", strict: false, filter: null },
};

/** A search, and what SQLite alone would be asked. */
interface Case {
  readonly what: string;
  readonly topic: string;
  readonly query?: Partial<ItemQuery>;
  readonly where: string;
}

/**
 * Searches of stored events, nine tenths of `of:bench` and one of `auth:failure`, numbered from 0 and
 * a millisecond apart: as the api does it, by the thread of the event store, and how long the api's own
 * loop waits meanwhile.
 */
export async function eventSearch(path: string, total: number): Promise<readonly Row[]> {
  const store = new EventStore({
    path,
    ...{ bus: new Bus(Date.now, total), engine: STORES_ALL, link: threadLink },
    failed: (reason) => {
      throw new Error(reason);
    },
  });
  await store.ask({ type: "buckets" });
  const plain = new DatabaseSync(path, { readOnly: true });
  const rows: Row[] = [], waits: number[] = [];
  for (const { what, topic, query, where } of casesOf(total)) {
    const watch = watchLoop(waits);
    const start = performance.now();
    const found = await store.ask({
      type: "items",
      bucket: topic,
      query: { ...LATEST, milliseconds: Infinity, ...query },
    });
    const ours = performance.now() - start;
    watch.stop();
    const again = performance.now();
    const expected = plain.prepare(
      `SELECT data FROM events WHERE topic = ? AND ${where} ORDER BY at DESC LIMIT 100`,
    ).all(topic);
    const baseline = performance.now() - again;
    const count = found?.items.length;
    if (count !== expected.length) throw new Error(`${what}: ${count} found`);
    rows.push({ what, ours, baseline, unit: "ms", beside: "SQLite alone, json_extract" });
  }
  plain.close();
  await store.close();
  waits.sort((one, other) => one - other);
  rows.push({
    what: "longest wait of the loop while all of that is searched",
    ours: waits.at(-1) ?? 0,
    baseline: waits[Math.floor(waits.length / 2)] ?? 0,
    unit: "ms",
    beside: "half of the waits",
  });
  return rows;
}

function casesOf(total: number): readonly Case[] {
  const [from, to] = [Math.floor(total * 0.4), Math.floor(total * 0.4) + 10_000];
  return [
    { what: "latest 100 of a topic", topic: "auth:failure", where: "1" },
    {
      what: "100 of a topic in a span of time",
      topic: "of:bench",
      query: { min: { at: from, nanos: 0 }, max: { at: to, nanos: 0 } },
      where: `at BETWEEN ${from} AND ${to}`,
    },
    {
      what: "by value: a text that nine tenths of all events lack",
      topic: "of:bench",
      query: { filter: '$[?(@.name=="nobody")]' },
      where: "json_extract(data, '$.name') = 'nobody'",
    },
    {
      what: "by value: ten that are the oldest",
      topic: "of:bench",
      query: { filter: '$[?(@.name=="user 71" && @.n < 10000)]' },
      where: "json_extract(data, '$.name') = 'user 71' AND json_extract(data, '$.n') < 10000",
    },
    {
      what: "by number",
      topic: "of:bench",
      query: { filter: "$[?(@.n < 50)]" },
      where: "json_extract(data, '$.n') < 50",
    },
    {
      what: "by a pattern that all match",
      topic: "auth:failure",
      query: { filter: '$[?(@.reason=~"^b.d")]' },
      where: "json_extract(data, '$.reason') LIKE 'b_d%'",
    },
    {
      what: "by a pattern that none of a tenth matches",
      topic: "auth:failure",
      query: { filter: '$[?(@.name=~"^no+body")]' },
      where: "json_extract(data, '$.name') LIKE 'no%body'",
    },
  ];
}

/** Collects how much later than a millisecond this loop comes back. */
function watchLoop(waits: number[]): { stop(): void } {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    waits.push(Math.max(0, now - last - 1));
    last = now;
  }, 1);
  return { stop: () => clearInterval(timer) };
}

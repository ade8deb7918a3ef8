import { DatabaseSync } from "node:sqlite";
import { eventStream } from "../../../routes/events/event_stream.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { EventStore } from "../../../system/events/store/event_store.ts";
import { History } from "../../../system/events/store/history.ts";
import { threadLink } from "../../../system/events/store/store_link.ts";
import { eventSearch } from "./event_search.ts";
import type { Row } from "../table.ts";
import { STORES_ALL } from "../../kit/builders/event_settings.ts";

const LISTENERS = 200, PER_SECOND = 2000, SECONDS = 5;
/** Events that are searched unless another number is given. */
const STORED = 1_000_000;
const BATCH = 500;

/** Event streams with many listeners, writing to the event store, and searching it. */
export async function events(total = STORED): Promise<readonly Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-events-" });
  try {
    const history = await History.open(`${folder}/search.db`);
    const stored = await fill(history, total);
    history.close();
    const searches = await eventSearch(`${folder}/search.db`, total);
    return [
      ...await fanOut(folder),
      {
        what: "events written to the event store",
        ours: stored,
        baseline: plainInserts(`${folder}/plain.db`, total / 10),
        unit: "/s",
        beside: "SQLite alone, as many rows a transaction, one index",
      },
      ...searches,
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Every listener reads at once; the store takes all of it as well. */
async function fanOut(folder: string): Promise<readonly Row[]> {
  const bus = new Bus(Date.now, 1);
  const store = new EventStore({
    path: `${folder}/live.db`,
    ...{ bus, engine: STORES_ALL, link: threadLink },
    failed: (reason) => {
      throw new Error(reason);
    },
  });
  await store.flush();
  const ending = new AbortController();
  const counts = Array.from({ length: LISTENERS }, async () => {
    const stream = eventStream({
      ...{ bus, ending: ending.signal, topics: [], after: null },
      mayRead: () => true,
      holds: () => Promise.resolve(true),
      closed: () => {},
    });
    let count = 0;
    const decoder = new TextDecoder();
    for await (const part of stream) count += decoder.decode(part).split("\nevent: ").length - 1;
    return count;
  });
  const total = PER_SECOND * SECONDS, late: number[] = [];
  const start = performance.now();
  for (let n = 0; n < total;) {
    const due = Math.min(total, Math.floor((performance.now() - start) / 1000 * PER_SECOND));
    for (; n < due; n++) bus.publish("of:bench", { n, at: performance.now() });
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
    late.push(performance.now() - before);
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  ending.abort();
  const read = await Promise.all(counts);
  await store.flush();
  const kept = (await store.since(0, total + 1))?.length ?? 0;
  await store.close();
  if (kept !== total) throw new Error(`${kept} of ${total} events were stored`);
  const delivered = read.reduce((sum, count) => sum + count, 0);
  return [
    {
      what: `events read by ${LISTENERS} streams of ${PER_SECOND} events a second`,
      ours: delivered / SECONDS,
      baseline: PER_SECOND * LISTENERS,
      unit: "/s",
      beside: "all that was published",
      aim: 1,
    },
    {
      what: "wait of the loop meanwhile, 99 %",
      ours: at(late.toSorted((a, b) => a - b), 0.99),
      baseline: at(await idle(), 0.99),
      unit: "ms",
      beside: "an idle loop",
    },
  ];
}

/** Waits of a loop that has nothing else to do. */
async function idle(): Promise<readonly number[]> {
  const waits: number[] = [];
  for (let n = 0; n < 1000; n++) {
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 1));
    waits.push(performance.now() - before);
  }
  return waits.sort((a, b) => a - b);
}

/** Events a second. */
async function fill(history: History, total: number): Promise<number> {
  const start = performance.now();
  for (let id = 0; id < total; id += BATCH) {
    await history.append(Array.from({ length: BATCH }, (_, n) => ({
      id: id + n + 1,
      topic: (id + n) % 10 === 0 ? "auth:failure" : "of:bench",
      at: id + n,
      nanos: 0,
      key: null,
      data: JSON.stringify({ n: id + n, name: `user ${(id + n) % 1000}`, reason: "bad password" }),
      published: true,
    })));
  }
  return total / ((performance.now() - start) / 1000);
}

/** Rows a second of SQLite alone. */
function plainInserts(path: string, total: number): number {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
  db.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, topic TEXT, at INTEGER, data TEXT)");
  db.exec("CREATE INDEX by_topic ON rows (topic, at)");
  const insert = db.prepare("INSERT INTO rows VALUES (?, ?, ?, ?)");
  const data = JSON.stringify({ n: 1, name: "user 1", reason: "bad password" });
  const start = performance.now();
  for (let id = 0; id < total; id += BATCH) {
    db.exec("BEGIN");
    for (let n = 0; n < BATCH; n++) insert.run(id + n + 1, "of:bench", id + n, data);
    db.exec("COMMIT");
  }
  const rate = total / ((performance.now() - start) / 1000);
  db.close();
  return rate;
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

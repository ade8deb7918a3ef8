import { createClient } from "@libsql/client";
import { entryOf } from "../../../system/dns/log/segments/entry.ts";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import { LogStore } from "../../../system/dns/log/writer/store.ts";
import { parseQuery, QueryView } from "../../../system/dns/codec/query.ts";
import { ReusedRecord } from "../../../system/dns/resolver/query_record.ts";
import { answerBytes, logged } from "../../kit/dns/query.ts";
import { wireQuery } from "../../kit/dns/wire.ts";
import { print } from "../print.ts";
import { median, type Row } from "../table.ts";

const QUERIES = 1_000_000, ROWS = 20_000, NAMES = 5000, CLIENTS = 50;
/** Queries of one turn of the resolver's loop. */
const TURN = 500;
const BESIDE = "a row of JSON each";

/** Queries of a busy network: few names are queried often, and some do not exist. */
interface Home {
  readonly names: readonly string[];
  readonly queries: readonly Uint8Array[];
  readonly answers: readonly Uint8Array[];
}

/** What the log costs for each query on both of its threads, on disk and when it is read. */
export async function queryLog(): Promise<readonly Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-log-" });
  try {
    const home = busyHome();
    const rows = await writeRows(`${folder}/rows.db`, home);
    const path = `${folder}/log.db`;
    const store = await LogStore.open({
      path,
      config: { ...DEFAULT_LOG_CONFIG, RetentionMegabytes: 1000 },
      log: { warn: (_, message) => print(message) },
    });
    await record(store, home, QUERIES / 10);
    const cost = await record(store, home, QUERIES);
    print(`${QUERIES} queries at ${Math.round(cost.rate / 1000)} k/s, ${store.dropped} dropped`);
    const { bytes } = await store.status("", 0);
    const read = async (part: Partial<Parameters<LogStore["search"]>[0]>): Promise<number> => {
      const times: number[] = [];
      for (let turn = 0; turn < 7; turn++) {
        const started = performance.now();
        const ask = { client: "", name: "", verdicts: [], before: null, limit: 100, ...part };
        await store.search(ask);
        times.push(performance.now() - started);
      }
      return median(times);
    };
    const page = await read({ client: client(10).address });
    const named = await read({ name: "host77." });
    const started = performance.now();
    await store.deleteQueries(client(10).address);
    print(`one of ${CLIENTS} clients forgotten in ${Math.round(performance.now() - started)} ms`);
    await store.close();
    const beside = { beside: BESIDE };
    return [
      {
        what: "query log, the resolver's thread",
        unit: "ns",
        ours: cost.own,
        baseline: rows.each,
        ...beside,
        aim: 0.05,
      },
      {
        what: "query log, its thread",
        unit: "ns",
        ours: cost.thread,
        baseline: rows.each,
        ...beside,
        aim: 0.05,
      },
      {
        what: "query log, on disk",
        unit: "B",
        ours: bytes / (1.1 * QUERIES),
        baseline: rows.bytes,
        ...beside,
      },
      {
        what: "query log, 100 of a client among 1.1 M",
        unit: "ms",
        ours: page,
        baseline: rows.page,
        beside: `${BESIDE}, among ${ROWS}`,
      },
      {
        what: "query log, 100 of a name among 1.1 M",
        unit: "ms",
        ours: named,
        baseline: rows.named,
        beside: `${BESIDE}, among ${ROWS}`,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function busyHome(): Home {
  const names = Array.from({ length: NAMES }, (_, i) => `host${i}.site${i % 300}.example.com.`);
  return {
    names,
    queries: names.map((name) => wireQuery(name, 1)),
    answers: names.map((name, i) =>
      answerBytes(name, {
        answers: [1, 2].map((last) => ({ type: 1, data: [192, 0, last, i % 256] })),
      })
    ),
  };
}

function client(i: number) {
  const end = String(i).padStart(2, "0");
  return {
    address: `192.168.2.${i + 2}`,
    identity: `02:00:00:00:00:${end}`,
    name: "",
    tags: [],
    groups: [],
    policies: [],
    custom: "",
  };
}

/** Records as fast as the log's thread takes it; nanoseconds of the processor for each on both threads. */
async function record(
  store: LogStore,
  { queries, answers }: Home,
  count: number,
): Promise<{ readonly own: number; readonly thread: number; readonly rate: number }> {
  const clients = Array.from({ length: CLIENTS }, (_, i) => client(i));
  const view = new QueryView(), record = new ReusedRecord(), out = new Uint8Array(4096);
  const pass = { kind: "pass", categories: [] } as const;
  const contexts = clients.map((one, i) => ({
    from: { address: one.address, port: 1000 + i, local: "192.168.2.1" },
    client: one,
    verdict: pass,
  }));
  const upstreamAnswer = { upstream: "9.9.9.9" }, cachedAnswer = {};
  const picks = Uint16Array.from({ length: 65_536 }, () => Math.random() ** 3 * NAMES);
  const turns = async (each: (length: number, k: number) => void): Promise<number> => {
    const before = await ownTime();
    for (let i = 0; i < count; i += TURN) {
      for (let k = i; k < i + TURN; k++) {
        const pick = picks[k % picks.length]!;
        parseQuery(queries[pick]!, view);
        // Answers lie where the last ones lay.
        out.set(answers[pick]!);
        each(answers[pick]!.length, k);
      }
      // Messages of the thread have their turn, as between two batches of packets.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return await ownTime() - before;
  };
  const idle = await turns(() => {});
  const threadBefore = await threadTime();
  const started = performance.now();
  const busy = await turns((length, k) => {
    const context = contexts[k * 7 % CLIENTS]!;
    record.take(view.name, context.from, context, k % 3 === 0 ? upstreamAnswer : cachedAnswer);
    record.at = Date.now();
    record.ms = 0.12;
    record.message = out;
    record.length = length;
    store.record(record);
  });
  await store.search({ client: "nobody", name: "", verdicts: [], before: null, limit: 1 });
  const wall = performance.now() - started;
  const thread = await threadTime() - threadBefore;
  return {
    own: (busy - idle) * 1e6 / count,
    thread: thread * 1e6 / count,
    rate: count / wall * 1000,
  };
}

/** Milliseconds of the processor that all workers of this program have used (proc_pid_schedstat). */
async function threadTime(): Promise<number> {
  let spent = 0;
  for await (const { name } of Deno.readDir("/proc/self/task")) {
    const folder = `/proc/self/task/${name}`;
    if (!(await Deno.readTextFile(`${folder}/comm`)).startsWith("worker")) continue;
    spent += Number((await Deno.readTextFile(`${folder}/schedstat`)).split(" ")[0]) / 1e6;
  }
  return spent;
}

/** The same as a log would keep it that writes a row with an index for each query. */
async function writeRows(path: string, { names, answers }: Home) {
  const table = createClient({ url: `file:${path}` });
  await table.execute("PRAGMA journal_mode=WAL");
  await table.execute("PRAGMA synchronous=NORMAL");
  await table.execute(
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, client TEXT, name TEXT, data TEXT)",
  );
  await table.execute("CREATE INDEX entry_client ON entry (client, id)");
  const messages = Array.from({ length: ROWS }, (_, i) => {
    const pick = Math.floor(Math.random() ** 3 * NAMES);
    const { address, identity } = client(i * 7 % CLIENTS);
    return logged({ client: address, identity, name: names[pick]!, message: answers[pick]! });
  });
  const before = await ownTime();
  for (let i = 0; i < ROWS; i += 500) {
    await table.batch(
      messages.slice(i, i + 500).map((message, k) => {
        const entry = entryOf(message, i + k + 1);
        return {
          sql: "INSERT INTO entry VALUES (?, ?, ?, ?)",
          args: [entry.id, message.client, message.name, JSON.stringify(entry)],
        };
      }),
      "write",
    );
  }
  const each = (await ownTime() - before) * 1e6 / ROWS;
  const timed = async (sql: string, text: string): Promise<number> => {
    const times: number[] = [];
    for (let turn = 0; turn < 7; turn++) {
      const started = performance.now();
      const { rows } = await table.execute({ sql, args: [text] });
      rows.map((row) => JSON.parse(String(row["data"])));
      times.push(performance.now() - started);
    }
    return median(times);
  };
  const last = "ORDER BY id DESC LIMIT 100";
  const page = await timed(`SELECT data FROM entry WHERE client = ? ${last}`, client(10).address);
  const named = await timed(`SELECT data FROM entry WHERE instr(name, ?) > 0 ${last}`, "host77.");
  await table.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  table.close();
  return { each, bytes: (await Deno.stat(path)).size / ROWS, page, named };
}

async function ownTime(): Promise<number> {
  const text = await Deno.readTextFile(`/proc/self/task/${Deno.pid}/schedstat`);
  return Number(text.split(" ")[0]) / 1e6;
}

import assert from "node:assert/strict";
import { zstdDecompressSync } from "node:zlib";
import { createClient } from "@libsql/client";
import { QueryLog } from "../../../../system/dns/log/writer/query_log.ts";
import { entryOf } from "../../../../system/dns/log/segments/entry.ts";
import { DEFAULT_LOG_CONFIG, type LogEntry } from "../../../../system/dns/log/schema.ts";
import type { QueryRecord } from "../../../../system/dns/log/writer/sink.ts";
import { LogStore } from "../../../../system/dns/log/writer/store.ts";
import { SegmentTable } from "../../../../system/dns/log/writer/segment_table.ts";
import { mac } from "../../../kit/builders/device_config.ts";
import { eventually } from "../../../kit/eventually.ts";
import { withLogFile as withFile } from "../../../kit/dns/query_log.ts";
import { answerBytes, blockOf, logged, query } from "../../../kit/dns/query.ts";

const ALL = { client: "", name: "", verdicts: [], before: null, limit: 100 } as const;
const options = { config: DEFAULT_LOG_CONFIG, now: Date.now };

async function write(book: QueryLog, queries: readonly QueryRecord[]): Promise<void> {
  await book.write(blockOf(queries, book.last));
  await book.flush();
}

/** All that can be read in the files of a log: their bytes, and what is packed in them. */
async function remains(path: string): Promise<string> {
  const texts: string[] = [];
  for (const end of ["", "-wal"]) {
    const bytes = await Deno.readFile(path + end).catch(() => new Uint8Array());
    texts.push(bytes.toHex());
    for (let at = 0; at + 4 < bytes.length; at++) {
      // The first bytes of all that zstd packs (RFC 8878 3.1.1).
      if (bytes[at] !== 0x28 || bytes[at + 1] !== 0xb5) continue;
      if (bytes[at + 2] !== 0x2f || bytes[at + 3] !== 0xfd) continue;
      try {
        texts.push(zstdDecompressSync(bytes.subarray(at, at + 8192)).toString("hex"));
      } catch {
        // Some of it is not there any more.
      }
    }
  }
  return texts.join("\n");
}

function hex(text: string): string {
  return new TextEncoder().encode(text).toHex();
}

Deno.test("no byte of a deleted query stays in the log's files", () =>
  withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), options);
    const other = query({ client: "192.168.2.10", identity: mac(2), name: "other.example." });
    const secret = (i: number) => query({ identity: mac(1), name: `secret${i}.example.` });
    for (let i = 0; i < 30; i++) await write(book, [secret(i), other]);
    // Those that were put together leave the pages free that they lay in.
    await book.trim();
    for (let i = 30; i < 40; i++) await write(book, [secret(i), other]);
    await Deno.writeFile(`${path}.broken`, new TextEncoder().encode("secret"));
    const before = await remains(path);
    for (const text of ["192.168.2.6", mac(1), "secret1", "secret35"]) {
      assert.ok(before.includes(hex(text)), `${text} could be found`);
    }
    await book.deleteQueries("192.168.2.6");
    const after = await remains(path);
    for (const text of ["192.168.2.6", mac(1), "secret"]) {
      assert.ok(!after.includes(hex(text)), `${text} is there yet`);
    }
    assert.ok(after.includes(hex("192.168.2.10")) && after.includes(hex(mac(2))));
    await assert.rejects(Deno.stat(`${path}.broken`), Deno.errors.NotFound);
    assert.deepEqual((await book.status("", 0)).counts, { pass: 40 });
    await book.close();
  }));

Deno.test("deleting everything deletes the files, and the log continues", () =>
  withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), options);
    for (let i = 0; i < 5; i++) await write(book, [query({ name: "secret.example." })]);
    await Deno.writeTextFile(`${path}.broken`, "secret");
    await book.write(blockOf([query({ name: "secret.example." })], book.last));
    const { last } = book;
    await book.deleteQueries("");
    assert.deepEqual(await book.search(ALL), { items: [], next: null });
    assert.deepEqual((await book.events(last - 1000, { wait: 0, max: 10 })).items, []);
    assert.ok(!(await remains(path)).includes(hex("192.168.2.6")));
    await assert.rejects(Deno.stat(`${path}.broken`), Deno.errors.NotFound);
    assert.deepEqual(await heldLogs(path), []);
    await write(book, [query({ name: "new.example." })]);
    await book.trim();
    const names = (await book.search(ALL)).items.map(({ id, Q }) => [id > last, Q[0]!.Name]);
    assert.deepEqual(names, [[true, "new.example."]]);
    if (Deno.build.os === "linux") assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    await book.close();
  }));

Deno.test("partial segments are merged in order, also after a restart", () =>
  withFile(async (path) => {
    let book = await QueryLog.open(await SegmentTable.open(path), options);
    const want: string[] = [];
    for (let i = 0; i < 600; i++) {
      want.unshift(`n${i}.`);
      await write(book, [query({ name: `n${i}.` })]);
      if (i % 97 !== 0) continue;
      await book.close();
      book = await QueryLog.open(await SegmentTable.open(path), options);
    }
    const names: string[] = [];
    for (let before: number | null = null;;) {
      const { items, next } = await book.search({ ...ALL, before });
      names.push(...items.map(({ Q }) => Q[0]!.Name));
      if (next === null) break;
      before = next;
    }
    assert.deepEqual(names, want);
    const { bytes } = await book.status("", 0);
    assert.ok(bytes / 600 < 150, `${bytes / 600} bytes for each`);
    await book.close();
  }));

Deno.test("retention deletes single queries, not only whole segments", () =>
  withFile(async (path) => {
    const clock = { now: 1_700_000_000_000 };
    const config = { ...DEFAULT_LOG_CONFIG, RetentionDays: 1 };
    const now = () => clock.now;
    const book = await QueryLog.open(await SegmentTable.open(path), { config, now, steady: now });
    for (const minute of [0, 10, 20, 30, 40]) {
      await write(book, [query({ at: clock.now, name: `m${minute}.` })]);
      await book.flush();
      clock.now += 10 * 60_000;
    }
    clock.now += 86_400_000 - 25 * 60_000;
    await book.trim();
    const { items } = await book.search(ALL);
    assert.deepEqual(items.map(({ Q }) => Q[0]!.Name), ["m40.", "m30."]);
    await book.close();
  }));

/** Write-ahead logs that were taken away while they are held: who closes them takes away the next one. */
async function heldLogs(path: string): Promise<readonly string[]> {
  const held: string[] = [];
  if (Deno.build.os !== "linux") return held;
  for await (const { name } of Deno.readDir("/proc/self/fd")) {
    const link = await Deno.readLink(`/proc/self/fd/${name}`).catch(() => "");
    if (link === `${path}-wal (deleted)`) held.push(link);
  }
  return held;
}

/** A log as it was written before: a row with JSON for each query. */
async function writeRows(path: string, entries: readonly LogEntry[]): Promise<void> {
  const client = createClient({ url: `file:${path}` });
  await client.execute("PRAGMA auto_vacuum=INCREMENTAL");
  await client.execute("PRAGMA journal_mode=WAL");
  await client.execute(`CREATE TABLE entry (
    id INTEGER PRIMARY KEY, client TEXT NOT NULL, identity TEXT NOT NULL,
    name TEXT NOT NULL, verdict TEXT NOT NULL, data TEXT NOT NULL)`);
  await client.execute("CREATE INDEX entry_client ON entry (client, id)");
  await client.batch(
    entries.map((entry) => ({
      sql: "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)",
      args: [
        entry.id,
        entry.Remote.split(":")[0]!,
        entry.identity,
        entry.Q[0]!.Name,
        entry.verdict,
        JSON.stringify(entry),
      ],
    })),
    "write",
  );
  await client.execute("INSERT INTO entry VALUES (7, '', '', '', 'pass', 'no JSON')");
  client.close();
}

function earlier(count: number): readonly LogEntry[] {
  const first = Date.now() - 60_000;
  return Array.from({ length: count }, (_, i) => {
    const who = i % 4 === 0 ? { client: "192.168.2.10", identity: mac(2) } : {};
    const at = first + i;
    return entryOf(logged({ ...who, at, name: `old${i}.example.` }), at * 1000);
  });
}

Deno.test("a log of the legacy format is migrated completely and readable meanwhile", () =>
  withFile(async (path) => {
    const entries = earlier(2500);
    await writeRows(path, entries);
    let book = await QueryLog.open(await SegmentTable.open(path), options);
    await write(book, [query({ name: "new.example." })]);
    assert.equal(await book.migrateLegacy(), true);
    const newest = (await book.search({ ...ALL, limit: 3 })).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(newest, ["new.example.", "old2499.example.", "old2498.example."]);
    await book.close();
    book = await QueryLog.open(await SegmentTable.open(path), options);
    while (await book.migrateLegacy());
    const read: LogEntry[] = [];
    for (let before: number | null = null;;) {
      const { items, next } = await book.search({ ...ALL, before });
      read.push(...items);
      if (next === null) break;
      before = next;
    }
    assert.deepEqual(read.slice(1), entries.toReversed());
    assert.deepEqual((await book.status("192.168.2.10", 0)).counts, { pass: 625 });
    assert.equal((await book.search({ ...ALL, name: "old77." })).items.length, 1);
    await book.retainDevices([mac(2)]);
    assert.deepEqual((await book.status("", 0)).counts, { pass: 625 });
    const left = await remains(path);
    assert.ok(!left.includes(hex("entry_client")), "the earlier table is gone");
    await book.close();
  }));

Deno.test("a deleted device's queries are removed from a legacy log at once", () =>
  withFile(async (path) => {
    await writeRows(path, earlier(1500));
    const book = await QueryLog.open(await SegmentTable.open(path), options);
    await book.deleteQueries("192.168.2.10");
    assert.deepEqual((await book.status("", 0)).counts, { pass: 1125 });
    assert.ok(!(await remains(path)).includes(hex("192.168.2.10")));
    await book.close();
  }));

/** Makes pages unreadable that hold rows of a log: its beginning and end stay. */
async function breakPages(path: string): Promise<void> {
  const bytes = await Deno.readFile(path);
  const leaves: number[] = [];
  // A leaf of a table begins with 13 (the file format of SQLite, 1.6).
  for (let at = 4096; at < bytes.length; at += 4096) if (bytes[at] === 13) leaves.push(at);
  assert.ok(leaves.length > 20);
  for (const at of leaves.slice(8, 12)) bytes.fill(0xff, at, at + 4096);
  await Deno.writeFile(path, bytes);
}

Deno.test("a file that is found corrupt later is moved away and replaced", () =>
  withFile(async (path) => {
    const table = await SegmentTable.open(path);
    const data = [...crypto.getRandomValues(new Uint8Array(1500))];
    const message = answerBytes("a.", { answers: [{ type: 10, data }] });
    const at = Date.now() - 1000;
    for (let i = 0; i < 60; i++) {
      await table.write(blockOf([query({ message, at: at + i })]), {
        isPartial: false,
        written: at + i,
      });
    }
    await table.run("PRAGMA wal_checkpoint(TRUNCATE)");
    table.close();
    await breakPages(path);
    const store = await LogStore.open({
      path,
      config: DEFAULT_LOG_CONFIG,
      log: { warn() {} },
      restartDelayMs: 20,
    });
    await assert.rejects(Deno.stat(`${path}.broken`), Deno.errors.NotFound);
    await assert.rejects(store.status("", 0), /malformed/);
    const empty = await eventually("it is open again", () => store.search(ALL));
    assert.deepEqual(empty, { items: [], next: null });
    store.record(query({ name: "new.example." }));
    assert.equal((await store.search(ALL)).items.length, 1);
    assert.equal(store.dropped, 0);
    assert.ok((await Deno.stat(`${path}.broken`)).isFile);
    assert.ok((await Deno.stat(`${path}-wal`)).isFile, "nobody took it away");
    await store.close();
  }));

Deno.test("a corrupt segment is skipped, and deleted by the next deletion", () =>
  withFile(async (path) => {
    const book = await QueryLog.open(await SegmentTable.open(path), options);
    await write(book, [query({ name: "a." })]);
    await book.trim();
    await write(book, [query({ name: "b." })]);
    const other = createClient({ url: `file:${path}` });
    await other.execute(
      "UPDATE block SET bytes = x'28b52ffd00' WHERE id = (SELECT min(id) FROM block)",
    );
    other.close();
    assert.deepEqual((await book.search(ALL)).items.map(({ Q }) => Q[0]!.Name), ["b."]);
    await book.deleteQueries("192.168.2.6");
    assert.deepEqual(await book.search(ALL), { items: [], next: null });
    await book.close();
  }));

Deno.test("a text of the log that is damaged ends nothing, and the rest is counted", () =>
  withFile(async (path) => {
    const table = await SegmentTable.open(path);
    const book = await QueryLog.open(table, options);
    await write(book, [query({ name: "a." })]);
    await book.trim();
    await write(book, [query({ name: "b." })]);
    // Where libSQL reads such a text as one, it ends the whole process.
    await table.run(
      "UPDATE block SET client_counts = CAST(x'ff' AS TEXT) WHERE id = (SELECT min(id) FROM block)",
    );
    const counts = await Array.fromAsync(table.clientCounts(0), (one) => one.counts.length);
    assert.deepEqual(counts, [0, 1]);
    assert.equal((await book.search(ALL)).items.length, 2);
    await book.close();
  }));

Deno.test("a log of an earlier version is read, searched and written on", () =>
  withFile(async (path) => {
    const first = await QueryLog.open(await SegmentTable.open(path), options);
    await write(first, [query({ name: "a." })]);
    await first.close();
    const old = createClient({ url: `file:${path}` });
    await old.executeMultiple(`
      ALTER TABLE block RENAME COLUMN client_counts TO asked;
      ALTER TABLE block RENAME COLUMN is_partial TO loose;
      ALTER TABLE block RENAME COLUMN encoding TO form;
      ALTER TABLE retention_clock RENAME COLUMN suspect_since TO doubted;
      ALTER TABLE retention_clock RENAME TO belief;
      INSERT OR REPLACE INTO belief VALUES (1, 1700000000000, 1600000000000);`);
    old.close();
    const table = await SegmentTable.open(path);
    assert.deepEqual(await table.clockState(), {
      at: 1_700_000_000_000,
      suspectSince: 1_600_000_000_000,
    });
    const book = await QueryLog.open(table, options);
    await write(book, [query({ name: "b." })]);
    const found = await book.search({ ...ALL, client: "192.168.2.6" });
    assert.deepEqual(found.items.map(({ Q }) => Q[0]!.Name), ["b.", "a."]);
    await book.close();
    const again = await SegmentTable.open(path);
    assert.equal((await Array.fromAsync(again.clientCounts(0))).length > 0, true);
    again.close();
  }));

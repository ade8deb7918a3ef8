import assert from "node:assert/strict";
import fc from "fast-check";
import { Problem } from "../../system/core/problem.ts";
import { LogBook } from "../../system/dns/log/book.ts";
import { Discretion } from "../../system/dns/log/discretion.ts";
import { dnsLogDocument } from "../../system/dns/log/document.ts";
import { entryOf, eventsOf } from "../../system/dns/log/entry.ts";
import { readAnswers } from "../../system/dns/log/records.ts";
import { heedDomain, ignoreDomains, setLog } from "../../system/dns/log/rules.ts";
import { type Looks, MOST_LOOKS } from "../../system/dns/log/search.ts";
import { DEFAULT_LOG, LogEntry } from "../../system/dns/log/schema.ts";
import type { QueryRecord } from "../../system/dns/log/sink.ts";
import { LogTable } from "../../system/dns/log/table.ts";
import { deleteDevice } from "../../system/devices/delete.ts";
import { configWith, device, mac } from "../kit/device_config.ts";
import { withLogFile as withFile } from "../kit/dns_log.ts";
import { answerBytes, blockOf, logged, query, type QueryFields } from "../kit/dns_query.ts";

const ALL = { client: "", name: "", verdicts: [], before: null, limit: 100 } as const;
const DAY = 86_400_000;

/** Writes queries as they come from the resolver. */
async function write(book: LogBook, queries: readonly QueryRecord[]): Promise<void> {
  await book.write(blockOf(queries, book.last));
}

Deno.test("answers are read with the fields of their types", () => {
  const text = (word: string): number[] => [...word].map((letter) => letter.charCodeAt(0));
  const www = [3, ...text("web"), 0xc0, 0x10];
  const read = (type: number, data: readonly number[]) => {
    const { answers, first } = readAnswers(
      answerBytes("www.example.", { answers: [{ type, data }] }),
    );
    const { Hdr, ...fields } = answers[0]!;
    assert.deepEqual(Hdr, {
      Name: "www.example.",
      Rrtype: type,
      Class: 1,
      Ttl: 60,
      Rdlength: data.length,
    });
    return [fields, first];
  };
  assert.deepEqual(read(1, [192, 0, 2, 1]), [{ A: "192.0.2.1" }, "192.0.2.1"]);
  assert.deepEqual(read(28, [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 1]), [
    { AAAA: "2001:db8::1" },
    "2001:db8::1",
  ]);
  assert.deepEqual(read(5, www), [{ Target: "web.example." }, "web.example."]);
  assert.deepEqual(read(15, [0, 10, ...www]), [
    { Preference: 10, Mx: "web.example." },
    "10 web.example.",
  ]);
  assert.deepEqual(read(33, [0, 1, 0, 2, 1, 0xbb, ...www]), [
    { Priority: 1, Weight: 2, Port: 443, Target: "web.example." },
    "1 2 443 web.example.",
  ]);
  assert.deepEqual(read(16, [4, ...text("a<b>"), 1, 7]), [
    { Txt: ["a<b>", "?"] },
    '"a<b>" "?"',
  ]);
  assert.deepEqual(read(99, [1, 2, 255]), [{ Data: "0102ff" }, "0102ff"]);
  assert.deepEqual(read(1, [1, 2]), [{ Data: "0102" }, "0102"]);
});

Deno.test("reading answers takes any bytes without a throw, and never says much", () => {
  fc.assert(fc.property(
    fc.uint8Array({ minLength: 0, maxLength: 600 }),
    fc.nat(40),
    (bytes, answers) => {
      const message = new Uint8Array([0, 1, 0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0, ...bytes]);
      const { answers: read } = readAnswers(message);
      assert.ok(read.length <= 32);
      assert.ok(JSON.stringify(read).length < 200_000);
    },
  ));
});

Deno.test("an entry says what became of a query in existing words", () => {
  const typed = (fields: Partial<QueryFields>) => entryOf(logged(fields), 5).Type;
  const message = (rcode: number) => answerBytes("www.example.com.", { rcode });
  assert.equal(typed({}), "NOERROR");
  assert.equal(typed({ message: message(0) }), "NODATA");
  assert.equal(typed({ message: message(3) }), "NXDOMAIN");
  assert.equal(typed({ message: message(3), verdict: "block" }), "BLOCKED");
  assert.equal(typed({ message: message(3), verdict: "rebind" }), "BLOCKED");
  assert.equal(typed({ message: message(3), verdict: "quarantine" }), "BLOCKED");
  assert.equal(typed({ message: message(2) }), "OTHERERROR");
  const entry = entryOf(logged({ client: "fd00::6", at: 1_700_000_000_123 }), 5);
  assert.deepEqual(LogEntry.parse(entry), entry);
  assert.equal(entry.Remote, "[fd00::6]:40000");
  assert.equal(entry.Local, "192.168.2.1:53");
  assert.equal(entry.Timestamp, "2023-11-14T22:13:20.123Z");
  assert.deepEqual([entry.FirstName, entry.FirstAnswer], ["www.example.com.", "192.0.2.1"]);
  assert.equal(eventsOf(entry, "")[0]!.topic, "dns:serve:fd00::6");
});

Deno.test("what is not usual is told on a topic of its own", () => {
  const told = (fields: Partial<QueryFields>) => {
    const record = logged(fields);
    return eventsOf(entryOf(record, 5), record.rebound).slice(1);
  };
  const [ClientIP, Name] = ["192.168.2.6", "www.example.com."];
  assert.deepEqual(told({}), []);
  assert.deepEqual(told({ verdict: "block" }), [
    { topic: "dns:block:event", value: { ClientIP, Name } },
  ]);
  assert.deepEqual(told({ verdict: "answer" }), [
    { topic: "dns:override:event", value: { ClientIP, IP: "192.0.2.1", Name } },
  ]);
  assert.deepEqual(told({ verdict: "rebind", rebound: "192.168.2.1" }), [
    { topic: "dns:blockrebind:event", value: { ClientIP, BlockedIP: "192.168.2.1", Name } },
  ]);
});

Deno.test("names are hidden with or without a final dot and in any case, and all below a star", () => {
  const discretion = new Discretion({
    HostPrivacyIPList: ["192.168.2.6", "fd00::6"],
    DomainIgnoreList: ["private.example.", "*.family.example", "one"],
  });
  const hides = (name: string, client = "192.168.2.10"): boolean =>
    discretion.hides(client, query({ name }).name);
  assert.ok(hides("a.", "192.168.2.6"));
  assert.ok(hides("a.", "fd00::6"));
  for (
    const name of [
      "private.example.",
      "PRIVATE.example",
      "a.family.example.",
      "a.b.Family.EXAMPLE.",
    ]
  ) {
    assert.ok(hides(name), name);
  }
  for (
    const name of ["a.private.example.", "family.example.", "afamily.example.", "one.example."]
  ) {
    assert.ok(!hides(name), name);
  }
});

Deno.test("domains are ignored one by one or joined by commas, and each once", () => {
  const start = configWith();
  const [one, list] = ignoreDomains(start, "Example.com.");
  assert.deepEqual(list, ["example.com."]);
  const [two, more] = ignoreDomains(one, "example.com,b.example, *.c.example,b.example.");
  assert.deepEqual(more, ["example.com.", "b.example", "*.c.example"]);
  const bad = ["example.com", "", ",", "a b", "a..b", "*.", "a.*.b", "<b>", `${"a".repeat(64)}.b`];
  for (const text of bad) {
    assert.throws(
      () => ignoreDomains(one, text),
      (error) => error instanceof Problem && error.status === 400,
      text,
    );
  }
  assert.deepEqual(heedDomain(two, "EXAMPLE.com")[1], ["b.example", "*.c.example"]);
  assert.equal(heedDomain(two, "not.there")[0], two);
});

Deno.test("settings of the log keep what is not named, and name everything once", () => {
  const [config, log] = setLog(configWith(), {
    HostPrivacyIPList: ["192.168.2.6", "192.168.2.6"],
    RetentionDays: 30,
    StoreLocalMemory: undefined,
  });
  assert.deepEqual(log, { ...DEFAULT_LOG, HostPrivacyIPList: ["192.168.2.6"], RetentionDays: 30 });
  assert.equal(setLog(config, { RetentionDays: 30 })[0], config);
});

Deno.test("a deleted device's address is private no more", () => {
  const start = configWith({
    devices: { [mac(1)]: device(mac(1), { RecentIP: "192.168.2.6" }) },
    dnsLog: { ...DEFAULT_LOG, HostPrivacyIPList: ["192.168.2.6", "192.168.2.10"] },
  });
  const [after] = deleteDevice(start, mac(1));
  assert.deepEqual(after.dnsLog.HostPrivacyIPList, ["192.168.2.10"]);
});

Deno.test("an existing file of settings is read, bad entries aside", () => {
  const { value, aside } = dnsLogDocument.read({
    HostPrivacyIPList: ["192.168.2.6", "nobody", null],
    DomainIgnoreList: ["a.example.", "A.example"],
    StoreLocalMemory: null,
  });
  assert.deepEqual(value, {
    ...DEFAULT_LOG,
    HostPrivacyIPList: ["192.168.2.6"],
    DomainIgnoreList: ["a.example."],
  });
  assert.deepEqual(aside.map(({ pointer }) => pointer), [
    "/HostPrivacyIPList/1",
    "/HostPrivacyIPList/2",
    "/DomainIgnoreList/1",
  ]);
  assert.throws(() => dnsLogDocument.read({ RetentionDays: 0 }), Problem);
  assert.deepEqual(
    dnsLogDocument.read({ HostPrivacyIPList: null, DomainIgnoreList: null }).value,
    DEFAULT_LOG,
  );
});

Deno.test("what is older than the days asked for is forgotten", () =>
  withFile(async (path) => {
    const clock = { now: 1_700_000_000_000 };
    const table = await LogTable.open(path);
    const config = { ...DEFAULT_LOG, RetentionDays: 2 };
    const book = await LogBook.open(table, { config, now: () => clock.now });
    const ages = [0, DAY, 2 * DAY, 3 * DAY, 10 * DAY];
    for (const age of ages) {
      await write(book, [query({ at: clock.now + age, name: `d${age / DAY}.` })]);
    }
    clock.now += 4.5 * DAY;
    await book.trim();
    const names = async () => (await book.page(ALL)).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(await names(), ["d10.", "d3."]);
    await book.configure({ ...config, RetentionDays: 1 });
    assert.deepEqual(await names(), ["d10."]);
    await book.close();
  }));

Deno.test("the log never takes more room than asked for, and the oldest goes first", () =>
  withFile(async (path) => {
    const config = { ...DEFAULT_LOG, RetentionMegabytes: 10 };
    const book = await LogBook.open(await LogTable.open(path), { config, now: Date.now });
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
    const { items } = await book.page({ ...ALL, limit: 1 });
    assert.equal(items[0]!.Q[0]!.Name, "n11-1999.");
    assert.deepEqual((await book.page({ ...ALL, name: "n0-" })).items, []);
    await book.close();
  }));

Deno.test("pages go through the whole log once, filtered or not", () => walkAll({}));

Deno.test("a question that would look through too much goes on in parts, and misses nothing", async () => {
  for (const entries of [10, 25, 249, 250]) await walkAll({ entries });
  for (const blocks of [1, 2, 3]) await walkAll({ blocks });
  for (const passed of [1, 2, 3, 4]) await walkAll({ passed });
});

async function walkAll(looks: Partial<Looks>): Promise<void> {
  await withFile(async (path) => {
    const book = await LogBook.open(await LogTable.open(path), {
      config: DEFAULT_LOG,
      now: Date.now,
      looks: { ...MOST_LOOKS, ...looks },
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
    const walk = async (part: Partial<Parameters<LogBook["page"]>[0]>): Promise<number> => {
      const ids: number[] = [];
      for (let before: number | null = null;;) {
        const { items, next } = await book.page({ ...ALL, ...part, before, limit: 7 });
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

Deno.test("a log that is told to keep nothing tells and keeps nothing", () =>
  withFile(async (path) => {
    const config = { ...DEFAULT_LOG, StoreLocalMemory: false };
    const book = await LogBook.open(await LogTable.open(path), { config, now: Date.now });
    const { last } = await book.events(null, { wait: 0, most: 10 });
    await write(book, [query()]);
    assert.equal((await book.events(last, { wait: 0, most: 10 })).items.length, 1);
    assert.deepEqual((await book.page(ALL)).items, []);
    await book.close();
  }));

Deno.test("events come once, in their order, and what is skipped is counted", () =>
  withFile(async (path) => {
    const book = await LogBook.open(await LogTable.open(path), {
      config: DEFAULT_LOG,
      now: Date.now,
    });
    const { last, items } = await book.events(null, { wait: 0, most: 10 });
    assert.deepEqual(items, []);
    const waiting = book.events(last, { wait: 10_000, most: 2 });
    await write(book, ["a.", "b.", "c."].map((name) => query({ name })));
    const batch = await waiting;
    const names = batch.items.map(({ value }) => (value as LogEntry).Q[0]!.Name);
    assert.deepEqual([names, batch.skipped], [["b.", "c."], 1]);
    const later = await book.events(batch.last, { wait: 1, most: 2 });
    assert.deepEqual([later.items, later.skipped], [[], 0]);
    await book.close();
  }));

Deno.test("what came too fast to be told is counted to the last query, and none twice", () =>
  withFile(async (path) => {
    const book = await LogBook.open(await LogTable.open(path), {
      config: { ...DEFAULT_LOG, StoreLocalMemory: false },
      now: Date.now,
    });
    const ends: number[] = [(await book.events(null, { wait: 0, most: 10 })).last];
    const one = query();
    for (let block = 0; block < 12; block++) {
      await write(book, Array.from({ length: 700 }, () => one));
      ends.push(book.last);
    }
    for (const [blocks, after] of ends.entries()) {
      const { items, skipped, last } = await book.events(after, { wait: 0, most: 100 });
      const all = (12 - blocks) * 700;
      assert.deepEqual([items.length, skipped], [Math.min(all, 100), Math.max(all - 100, 0)]);
      assert.equal(last, book.last);
    }
    assert.equal((await book.events(book.last - 3, { wait: 0, most: 100 })).items.length, 3);
    await book.forget("192.168.2.6");
    assert.deepEqual((await book.events(book.last - 3, { wait: 0, most: 100 })).items, []);
    await book.close();
  }));

Deno.test("what is asked while much is forgotten is written down", () =>
  withFile(async (path) => {
    let meanwhile = 0;
    const book: LogBook = await LogBook.open(await LogTable.open(path), {
      config: DEFAULT_LOG,
      now: Date.now,
      between: () => write(book, [query({ name: `m${meanwhile++}.` })]),
    });
    const message = answerBytes("a.", { answers: [{ type: 10, data: new Array(1000).fill(7) }] });
    for (let block = 0; block < 5; block++) {
      await write(book, Array.from({ length: 100 }, () => query({ message })));
    }
    await book.forget("192.168.2.6");
    const { items } = await book.page(ALL);
    assert.ok(meanwhile >= 5);
    assert.deepEqual(
      items.map(({ Q }) => Q[0]!.Name),
      Array.from({ length: meanwhile }, (_, i) => `m${i}.`).reverse(),
    );
    await book.close();
  }));

Deno.test("what a device asked is forgotten with it, also where it had another address", () =>
  withFile(async (path) => {
    const book = await LogBook.open(await LogTable.open(path), {
      config: DEFAULT_LOG,
      now: Date.now,
    });
    await write(book, [
      query({ identity: mac(1) }),
      query({ identity: mac(1), client: "192.168.2.99" }),
      query({ identity: mac(2), client: "192.168.2.10" }),
      query({ identity: "", client: "192.168.2.14" }),
    ]);
    const clients = async () =>
      (await book.page(ALL)).items.map(({ Remote }) => Remote.split(":")[0]);
    await book.keepOnly([mac(2)]);
    assert.deepEqual(await clients(), ["192.168.2.14", "192.168.2.10"]);
    await book.forget("192.168.2.14");
    assert.deepEqual(await clients(), ["192.168.2.10"]);
    await book.forget("");
    assert.deepEqual(await clients(), []);
    await book.close();
  }));

Deno.test("ids grow although the clock is put back, and across a restart", () =>
  withFile(async (path) => {
    const clock = { now: 2_000_000 };
    const open = async () =>
      await LogBook.open(await LogTable.open(path), { config: DEFAULT_LOG, now: () => clock.now });
    let book = await open();
    await write(book, [query({ at: 2_000_000, name: "a." }), query({ at: 1_000_000, name: "b." })]);
    await book.close();
    clock.now = 500_000;
    book = await open();
    await write(book, [query({ at: 500_000, name: "c." })]);
    const names = (await book.page(ALL)).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(names, ["c.", "b.", "a."]);
    await book.close();
  }));

Deno.test("a broken file of the log is put aside, and a new one begun", () =>
  withFile(async (path) => {
    await Deno.writeTextFile(path, "this is no database, however long one looks at it".repeat(100));
    const table = await LogTable.open(path);
    await table.write(blockOf([query({ at: 0 })], 4), { loose: false });
    assert.equal(await table.last(), 5);
    table.close();
    assert.ok((await Deno.stat(`${path}.broken`)).isFile);
    if (Deno.build.os === "linux") assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  }));

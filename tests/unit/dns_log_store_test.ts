import assert from "node:assert/strict";
import { createClient } from "@libsql/client";
import fc from "fast-check";
import { QueryBatch, unpacked } from "../../system/dns/log/batch.ts";
import { DEFAULT_LOG } from "../../system/dns/log/schema.ts";
import { LogStore } from "../../system/dns/log/store.ts";
import { LogTable } from "../../system/dns/log/table.ts";
import { withLogFile as withFile } from "../kit/dns_log.ts";
import { answerBytes, query } from "../kit/dns_query.ts";

const ALL = { client: "", name: "", verdicts: [], before: null, limit: 100 } as const;
const quiet = { warn: (): void => {} };

Deno.test("the store takes queries in without waiting, drops what is too much, and counts it", () =>
  withFile(async (path) => {
    const store = await LogStore.open({ path, config: DEFAULT_LOG, log: quiet });
    const lent = answerBytes("www.example.com.", { answers: [{ type: 1, data: [192, 0, 2, 1] }] });
    store.record(query({ message: lent }));
    lent.fill(0xff);
    const [first] = (await store.page(ALL)).items;
    assert.equal(first!.FirstAnswer, "192.0.2.1");
    for (let i = 0; i < 10_000; i++) store.record(query());
    assert.equal(store.dropped, 10_000 - 8192);
    await store.configure({ ...DEFAULT_LOG, HostPrivacyIPList: ["192.168.2.6"] });
    store.record(query());
    await store.close();
    store.record(query());
    const again = await LogStore.open({ path, config: DEFAULT_LOG, log: quiet });
    assert.deepEqual((await again.status("", 0)).counts, { pass: 1 });
    await again.close();
  }));

Deno.test("long answers that come too fast take no more memory than short ones", () =>
  withFile(async (path) => {
    const store = await LogStore.open({ path, config: DEFAULT_LOG, log: quiet });
    const message = answerBytes("www.example.com.", {
      answers: [{ type: 16, data: new Array(60_000).fill(97) }],
    });
    for (let i = 0; i < 1000; i++) store.record(query({ message }));
    const kept = 1000 - store.dropped;
    assert.ok(kept > 100 && kept * message.length < 20e6, `${kept} are kept`);
    assert.deepEqual((await store.status("", 0)).counts, { pass: kept });
    store.record(query());
    assert.equal(store.dropped, 1000 - kept, "there is room again");
    await store.close();
  }));

Deno.test("a disk that takes nothing is complained about once, and everything lost is counted", () =>
  withFile(async (path) => {
    const said: unknown[] = [];
    const log = { warn: (text: string) => said.push(text) };
    const store = await LogStore.open({ path, config: DEFAULT_LOG, log });
    // Another writer that does not let go is what a disk without room comes to: no commit succeeds.
    const other = createClient({ url: `file:${path}` });
    const held = await other.transaction("write");
    for (let round = 1; round <= 2; round++) {
      store.record(query());
      await store.page(ALL);
      assert.equal(store.dropped, round);
    }
    assert.deepEqual(said, ["Queries could not be written down"]);
    await held.rollback();
    other.close();
    store.record(query());
    assert.equal((await store.page(ALL)).items.length, 1);
    await store.close();
  }));

Deno.test("a log that another program holds is not taken for a broken one", () =>
  withFile(async (path) => {
    const other = createClient({ url: `file:${path}` });
    await other.execute("PRAGMA locking_mode=EXCLUSIVE");
    await other.execute("CREATE TABLE theirs (a)");
    await assert.rejects(LogTable.open(path), /lock|busy/i);
    await assert.rejects(Deno.stat(`${path}.broken`), Deno.errors.NotFound);
    other.close();
  }));

Deno.test("a batch gives back all that is known of each query, also after it was handed over", () => {
  const text = fc.constantFrom("", "192.168.2.6", "a.example.", "upload:mine", "9.9.9.9");
  const port = fc.nat(65_535);
  const record = fc.record({
    at: fc.integer({ min: 0, max: 2 ** 45 }),
    client: text,
    clientPort: port,
    identity: text,
    local: text,
    localPort: port,
    name: fc.string(),
    qtype: port,
    qclass: port,
    verdict: fc.constantFrom("pass", "block", "rebind"),
    by: text,
    categories: fc.array(text),
    upstream: text,
    ms: fc.double({ noNaN: true }),
    message: fc.uint8Array(),
    rebound: text,
  }, {
    requiredKeys: [
      ...["at", "client", "clientPort", "identity", "local", "localPort", "name", "qtype"] as const,
      ...["qclass", "verdict", "by", "upstream", "ms", "message"] as const,
    ],
  });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 600 }), (records) => {
      const batch = new QueryBatch();
      for (let turn = 0; turn < 2; turn++) {
        for (const one of records) batch.add(one);
        const given = unpacked(structuredClone(batch.take()));
        assert.deepEqual(given, records.map((one) => ({ ...one })));
      }
    }),
    { numRuns: 50 },
  );
});

Deno.test("a batch gives back every query with its own answer, whatever their sizes", () => {
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.uint8Array({ minLength: 60_000, maxLength: 65_535, size: "max" }),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.nat(7), (messages, hidden) => {
      const batch = new QueryBatch();
      const lent = new Uint8Array(65_535);
      for (const [index, bytes] of messages.entries()) {
        lent.set(bytes);
        batch.add(query({ name: `n${index}.`, message: lent.subarray(0, bytes.length) }));
      }
      batch.drop(({ name }) => name === `n${hidden}.`);
      const given = unpacked(batch.take());
      assert.equal(batch.size, 0);
      assert.deepEqual(
        given.map(({ name, message }) => [name, message.toHex()]),
        messages.map((bytes, index) => [`n${index}.`, bytes.toHex()] as const)
          .filter((_, index) => index !== hidden),
      );
    }),
    { numRuns: 30 },
  );
});

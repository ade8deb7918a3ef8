import assert from "node:assert/strict";
import { createClient } from "@libsql/client";
import fc from "fast-check";
import { RecordSegment } from "../../../../system/dns/log/segments/record_segment.ts";
import { mergeSegments } from "../../../../system/dns/log/segments/segment_copy.ts";
import { DEFAULT_LOG_CONFIG, VERDICTS } from "../../../../system/dns/log/schema.ts";
import { LogStore } from "../../../../system/dns/log/writer/store.ts";
import { SegmentTable } from "../../../../system/dns/log/writer/segment_table.ts";
import { withLogFile as withFile } from "../../../kit/dns/query_log.ts";
import { answerBytes, blockOf, query } from "../../../kit/dns/query.ts";

const ALL = { client: "", name: "", verdicts: [], before: null, limit: 100 } as const;
const quiet = { warn: (): void => {} };

Deno.test("the store records queries without waiting, drops those beyond its limit and counts them", () =>
  withFile(async (path) => {
    const config = { ...DEFAULT_LOG_CONFIG, RetentionMegabytes: 1000 };
    const store = await LogStore.open({ path, config, log: quiet });
    const lent = answerBytes("www.example.com.", { answers: [{ type: 1, data: [192, 0, 2, 1] }] });
    store.record(query({ message: lent }));
    lent.fill(0xff);
    const [first] = (await store.search(ALL)).items;
    assert.equal(first!.FirstAnswer, "192.0.2.1");
    const many = query();
    for (let i = 0; i < 100_000; i++) store.record(many);
    assert.equal(store.dropped, 0);
    for (let i = 0; i < 400_000; i++) store.record(many);
    const { dropped } = store;
    assert.ok(dropped > 100_000 && dropped < 300_000, `${dropped} were dropped`);
    await store.close();
    store.record(many);
    const again = await LogStore.open({ path, config, log: quiet });
    assert.deepEqual((await again.status("", 0)).counts, { pass: 500_001 - dropped });
    await again.close();
  }));

Deno.test("filtered queries leave no trace from the next query on, nor in the queue", () =>
  withFile(async (path) => {
    const store = await LogStore.open({ path, config: DEFAULT_LOG_CONFIG, log: quiet });
    const ask = () => {
      store.record(query());
      store.record(query({ client: "192.168.2.10", name: "secret.example." }));
      store.record(query({ client: "192.168.2.10", name: "seen.example." }));
    };
    ask();
    await store.configure({
      ...DEFAULT_LOG_CONFIG,
      HostPrivacyIPList: ["192.168.2.6"],
      DomainIgnoreList: ["secret.example"],
    });
    ask();
    const names = (await store.search(ALL)).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(names, ["seen.example.", "seen.example."]);
    assert.equal(store.dropped, 0, "what is hidden is not lost");
    await store.close();
  }));

Deno.test("long responses that arrive too fast take no more memory than short ones", () =>
  withFile(async (path) => {
    const store = await LogStore.open({ path, config: DEFAULT_LOG_CONFIG, log: quiet });
    const message = answerBytes("www.example.com.", {
      answers: [{ type: 16, data: new Array(60_000).fill(97) }],
    });
    for (let i = 0; i < 10_000; i++) store.record(query({ message }));
    const kept = 10_000 - store.dropped;
    // Of each as much is kept as may be told of it.
    assert.ok(kept > 1000 && kept * 16_384 < 28e6, `${kept} are kept`);
    assert.equal((await store.search(ALL)).items[0]!.FirstAnswer.length > 400, true);
    await store.close();
  }));

Deno.test("a full disk is logged once, and all lost queries are counted", () =>
  withFile(async (path) => {
    const logged: unknown[] = [];
    const log = { warn: (_: string, message: string) => logged.push(message) };
    const store = await LogStore.open({ path, config: DEFAULT_LOG_CONFIG, log });
    // Another writer that does not let go is what a disk without room comes to: no commit succeeds.
    const other = createClient({ url: `file:${path}` });
    const held = await other.transaction("write");
    for (let round = 1; round <= 2; round++) {
      store.record(query());
      await store.search(ALL);
      assert.equal(store.dropped, round);
    }
    assert.deepEqual(logged, ["Queries could not be logged"]);
    await held.rollback();
    other.close();
    store.record(query());
    assert.equal((await store.search(ALL)).items.length, 1);
    await store.close();
  }));

Deno.test("a log that another program locks does not count as corrupt", () =>
  withFile(async (path) => {
    const other = createClient({ url: `file:${path}` });
    await other.execute("PRAGMA locking_mode=EXCLUSIVE");
    await other.execute("CREATE TABLE theirs (a)");
    await assert.rejects(SegmentTable.open(path), /lock|busy/i);
    await assert.rejects(Deno.stat(`${path}.broken`), Deno.errors.NotFound);
    other.close();
  }));

const text = fc.constantFrom("", "192.168.2.6", "a.example.", "upload:mine", "9.9.9.9", "ü<b>");
const port = fc.nat(65_535);
const record = fc.record({
  at: fc.integer({ min: 0, max: 2 ** 42 }),
  client: text,
  clientPort: port,
  identity: text,
  local: text,
  verdict: fc.constantFrom(...VERDICTS),
  by: fc.oneof(text, fc.constant({ override: { list: "L", domain: "d.", client: "*" } })),
  categories: fc.array(text, { maxLength: 16 }),
  upstream: text,
  ms: fc.nat(4_000_000).map((hundredths) => hundredths / 100),
  name: fc.constantFrom(".", "a.", "b.Example.", `${"x".repeat(63)}.y.`),
  rebindAddress: text,
});

Deno.test("a segment returns every field of each query, whatever is removed from it", () => {
  fc.assert(
    fc.property(
      fc.array(record, { minLength: 1, maxLength: 60 }),
      fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
      (records, gone) => {
        const queries = records.map((one) => query(one));
        const block = blockOf(queries);
        const want = (index: number) => {
          const { name, by, ...rest } = records[index]!;
          const answer = queries[index]!.message.slice(2);
          return {
            ...rest,
            name: name.toLowerCase(),
            by: typeof by === "string" ? by : "L: d.",
            qtype: 1,
            qclass: 1,
            answer: answer.toHex(),
          };
        };
        const have = (from: RecordSegment, index: number) => {
          const { message, ...rest } = from.query(index);
          return { ...rest, answer: message.slice(2).toHex() };
        };
        const indices = records.map((_, index) => index);
        assert.deepEqual(indices.map((index) => have(block, index)), indices.map(want));
        const ids = indices.map((index) => block.id(index));
        assert.deepEqual(ids, [...new Set(ids)].sort((a, b) => a - b), "ids grow");
        const left = block.without((index) => gone[index]!);
        const kept = indices.filter((index) => !gone[index]);
        assert.equal(left?.size ?? 0, kept.length);
        assert.deepEqual(kept.map((_, i) => have(left!, i)), kept.map(want));
        assert.deepEqual(kept.map((_, i) => left!.id(i)), kept.map((index) => ids[index]));
        const halves = [
          block.without((index) => index % 2 > 0),
          block.without((index) => index > 0),
        ];
        const twice = RecordSegment.read(mergeSegments(halves as RecordSegment[]))!;
        assert.equal(twice.size, halves[0]!.size + 1);
        assert.deepEqual(have(twice, twice.size - 1), want(0));
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("a segment finds name parts as in their texts", () => {
  const label = fc.string({
    unit: fc.constantFrom("a", "b", "0", "-", "\\032", "\\."),
    minLength: 1,
    maxLength: 6,
  });
  const part = fc.string({
    unit: fc.constantFrom("a", "b", "0", "-", ".", "3", "\\"),
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(fc.property(fc.array(label, { maxLength: 4 }), part, (labels, part) => {
    const name = labels.length === 0 ? "." : `${labels.join(".")}.`;
    const block = blockOf([query({ name })]);
    assert.equal(block.nameIncludes(0, part), block.query(0).name.includes(part));
  }));
});

Deno.test("invalid bytes are no segment, and none makes reading throw", () => {
  const { bytes } = blockOf([query(), query({ name: "b.", categories: ["ads"] })]);
  assert.equal(RecordSegment.read(new Uint8Array(0)), null);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length), (at, value, end) => {
      const broken = bytes.slice(0, end);
      broken[at] = value;
      const block = RecordSegment.read(broken);
      for (let index = 0; index < (block?.size ?? 0); index++) {
        block!.entry(index);
        block!.nameIncludes(index, "www");
      }
    }),
    { numRuns: 2000 },
  );
});

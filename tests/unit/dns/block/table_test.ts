import assert from "node:assert/strict";
import fc from "fast-check";
import { hashSuffixes, SUFFIX_WORDS } from "../../../../system/dns/block/table/name_hash.ts";
import {
  EMPTY_TABLE,
  MARK,
  markOf,
  NameTable,
  TableBuilder,
} from "../../../../system/dns/block/table/name_table.ts";
import { readTable, writeTable } from "../../../../system/dns/block/table/table_file.ts";
import { nameBytes } from "../../../../system/dns/codec/name.ts";
import { halfSipHash64 } from "../../../kit/dns/half_siphash.ts";

/** `vectors_hsip64` of the reference code: HalfSipHash-2-4 of 0, 1, 2 … with the key 00 to 07. */
const VECTORS = [
  "218d1f59b9b83cc8",
  "be552412f8387315",
  "064f39ef7c50eb57",
  "ce0f1a45f7060679",
  "d5e78a175be52ea1",
  "cb9d7c3f2f3db580",
  "ce3e91358aa2bc25",
  "ff202728b07bc684",
  "edfee820bce4858c",
  "5b51cccc13888307",
  "95b0469f06a6f2ee",
];

function hex([a, b]: readonly [number, number]): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, a, true);
  view.setUint32(4, b, true);
  return new Uint8Array(view.buffer).toHex();
}

Deno.test("the hash that tests compare with is HalfSipHash, by the reference's vectors", () => {
  for (const [length, vector] of VECTORS.entries()) {
    const input = Uint8Array.from({ length }, (_, i) => i);
    const hash = halfSipHash64([0x03020100, 0x07060504], input, { c: 2, d: 4 });
    assert.equal(hex(hash), vector, `${length} bytes`);
  }
});

const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
const name = fc.array(label, { minLength: 1, maxLength: 10 }).map((labels) => labels.join("."));
const word = fc.integer({ min: 0, max: 0xffff_ffff });
const key = fc.tuple(word, word);

Deno.test("every parent of a name has the hash that it would have by itself", () => {
  const out = new Uint32Array(SUFFIX_WORDS);
  fc.assert(fc.property(key, name, (key, name) => {
    const labels = name.split(".");
    assert.equal(hashSuffixes(key, nameBytes(name)!, out), labels.length);
    for (let depth = 0; depth <= labels.length; depth++) {
      const stream = labels.slice(labels.length - depth).reverse()
        .flatMap((one) => [one.length, ...new TextEncoder().encode(one)]);
      const expected = halfSipHash64(key, Uint8Array.from(stream), { c: 1, d: 3 });
      assert.deepEqual([out[2 * depth], out[2 * depth + 1]], [...expected]);
    }
  }));
});

Deno.test("hashing never reads past the longest name, whatever the bytes are", () => {
  const out = new Uint32Array(SUFFIX_WORDS);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    assert.ok(hashSuffixes([1, 2], bytes, out) <= 127);
  }));
});

/** A few hashes, so that they meet in the table. */
const fewHashes = fc.record({
  a: fc.constantFrom(0, 1, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff),
  b: fc.integer({ min: 0, max: 20 }),
  mark: fc.integer({ min: 0, max: 127 }),
});

Deno.test("a table holds exactly what was added, with the marks of each name", () => {
  fc.assert(fc.property(fc.array(fewHashes, { maxLength: 200 }), (added) => {
    const builder = new TableBuilder([3, 4]);
    const naive = new Map<string, Set<number>>();
    for (const { a, b, mark } of added) {
      const marks = naive.get(`${a} ${b}`) ?? new Set();
      naive.set(`${a} ${b}`, marks);
      assert.equal(builder.add(a, b, mark), !marks.has(mark));
      marks.add(mark);
    }
    const image = builder.finish(["one"]);
    const table = new NameTable(image);
    assert.equal(image.count, naive.size);
    for (const a of [0, 1, 2, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]) {
      for (let b = 0; b <= 21; b++) {
        const marks = [...naive.get(`${a} ${b}`) ?? []].sort((x, y) => x - y);
        assert.deepEqual(image.sets[table.find(a, b)], marks);
      }
    }
  }));
});

function tableOf(count: number): { table: NameTable; hashOf: (i: number) => [number, number] } {
  const builder = new TableBuilder([9, 10]);
  const out = new Uint32Array(SUFFIX_WORDS);
  const hashOf = (i: number): [number, number] => {
    const at = 2 * hashSuffixes(builder.key, nameBytes(`n${i}.example`)!, out);
    return [out[at]!, out[at + 1]!];
  };
  for (let i = 0; i < count; i++) {
    builder.add(...hashOf(i), markOf(i % 3, MARK.block));
    if (i % 5 === 0) builder.add(...hashOf(i), markOf(60, MARK.exception));
  }
  return { table: new NameTable(builder.finish(["a", "b", "c"])), hashOf };
}

Deno.test("100,000 names take at most 20 bytes each, are all found, and no others are", () => {
  const count = 100_000;
  const { table, hashOf } = tableOf(count);
  const { image } = table;
  assert.equal(image.count, count);
  const bytes = image.words.byteLength / count;
  assert.ok(bytes <= 20, `${bytes} bytes a name`);
  assert.ok(image.words.buffer instanceof SharedArrayBuffer);
  for (let i = 0; i < count; i++) {
    const marks = [markOf(i % 3, MARK.block), ...i % 5 === 0 ? [markOf(60, MARK.exception)] : []];
    assert.deepEqual(image.sets[table.find(...hashOf(i))], marks);
  }
  for (let i = count; i < 2 * count; i++) assert.equal(table.find(...hashOf(i)), 0);
});

Deno.test("an empty table finds nothing", () => {
  assert.equal(EMPTY_TABLE.find(0, 0), 0);
  assert.equal(new NameTable(new TableBuilder([0, 0]).finish([])).find(0xffff_ffff, 7), 0);
});

Deno.test("a table is the same after writing and reading", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const { image } = tableOf(5000).table;
    await writeTable(`${folder}/table`, image);
    const read = await readTable(`${folder}/table`);
    assert.deepEqual(read, image);
    assert.ok(read!.words.buffer instanceof SharedArrayBuffer);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["table"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a truncated, corrupt or foreign table is rejected", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/table`;
  try {
    assert.equal(await readTable(path), null);
    await writeTable(path, tableOf(100).table.image);
    const whole = await Deno.readFile(path);
    for (const length of [0, 5, 12, 40, whole.length - 1]) {
      await Deno.writeFile(path, whole.subarray(0, length));
      assert.equal(await readTable(path), null, `${length} bytes`);
    }
    for (let at = 0; at < whole.length; at += at < 300 ? 1 : 50) {
      const bent = whole.slice();
      bent[at] = bent[at]! ^ 0x01;
      await Deno.writeFile(path, bent);
      assert.equal(await readTable(path), null, `byte ${at}`);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

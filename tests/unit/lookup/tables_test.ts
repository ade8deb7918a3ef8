import assert from "node:assert/strict";
import fc from "fast-check";
import { formatAddress, parseAddress } from "../../../system/core/net/net.ts";
import {
  compileCountries,
  type CompiledRanges,
  compileNetworks,
} from "../../../system/lookup/tables/compile_ranges.ts";
import { countryNumber } from "../../../system/lookup/tables/data_row.ts";
import { find4, find6, rangesOf, words6 } from "../../../system/lookup/tables/range_table.ts";
import { textAt } from "../../../system/lookup/tables/text_list.ts";
import { compileVendors, vendorOf } from "../../../system/lookup/tables/vendor_table.ts";
import { contentOf } from "../../kit/builders/lookup_data.ts";

const COUNTRIES = ["AU", "CN", "DE", "US"];

/** Ranges in ascending order that do not overlap, of some family, with a country each. */
function ranges(family: 4 | 6): fc.Arbitrary<readonly (readonly [bigint, bigint, string])[]> {
  const max = family === 4 ? 2n ** 32n - 1n : 2n ** 128n - 1n;
  const edges = fc.uniqueArray(fc.bigInt(0n, max), { minLength: 2, maxLength: 40 });
  return fc.tuple(edges, fc.array(fc.constantFrom(...COUNTRIES), { minLength: 20, maxLength: 20 }))
    .map(([values, countries]) => {
      const sorted = [...values].sort((a, b) => a < b ? -1 : 1);
      return countries.flatMap((country, index) => {
        const [first, last] = [sorted[2 * index], sorted[2 * index + 1]];
        return first === undefined || last === undefined ? [] : [[first, last, country] as const];
      });
    });
}

function find(table: CompiledRanges, family: 4 | 6, value: bigint): number {
  return family === 4 ? find4(table.four, Number(value)) : find6(table.six, words6(value));
}

Deno.test("a lookup answers what a search through all ranges answers, at and beside every edge", async () => {
  for (const family of [4, 6] as const) {
    const max = family === 4 ? 2n ** 32n - 1n : 2n ** 128n - 1n;
    await fc.assert(
      fc.asyncProperty(ranges(family), async (list) => {
        const text = (value: bigint): string => formatAddress({ family, value });
        const file = list.map(([first, last, country]) =>
          `${text(first)},${text(last)},${country}\n`
        ).join("");
        const table = await compileCountries([contentOf(file)], null);
        const probes = list.flatMap(([first, last]) => [first - 1n, first, last, last + 1n])
          .filter((value) => value >= 0n && value <= max);
        for (const value of [0n, max, ...probes]) {
          const naive = list.find(([first, last]) => first <= value && value <= last)?.[2];
          assert.equal(find(table, family, value), naive ? countryNumber(naive) : 0);
        }
      }),
      { numRuns: 60 },
    );
  }
});

Deno.test("the ranges of some countries are those of the file", async () => {
  await fc.assert(
    fc.asyncProperty(ranges(4), fc.subarray(COUNTRIES), async (list, wanted) => {
      const text = (value: bigint): string => formatAddress({ family: 4, value });
      const file = list.map(([first, last, country]) => `${text(first)},${text(last)},${country}\n`)
        .join("");
      const { four } = await compileCountries([contentOf(file)], null);
      const found = [...rangesOf(four, 1, new Set(wanted.map(countryNumber)))];
      const sum = found.reduce((total, [first, last]) => total + last - first + 1n, 0n);
      const naive = list.filter(([, , country]) => wanted.includes(country))
        .reduce((total, [first, last]) => total + last - first + 1n, 0n);
      assert.equal(sum, naive);
    }),
    { numRuns: 60 },
  );
});

const GOOD = "1.0.0.0,1.0.0.255,AU\n1.0.1.0,1.0.3.255,CN\n2001:200::,2001:200:ffff::,JP\n";

const BAD: Readonly<Record<string, string>> = {
  "a web page": "<!doctype html><html></html>\n",
  "JSON": '{"a": 1}\n',
  "empty": "",
  "no text": "1.0.0.0,1.0.0.255,AU\n\0\0\0\n",
  "cut off within a line": "1.0.0.0,1.0.0.255,AU\n1.0.1.0,1.0.3.2",
  "unsorted": "1.0.1.0,1.0.3.255,CN\n1.0.0.0,1.0.0.255,AU\n",
  "overlapping": "1.0.0.0,1.0.1.255,AU\n1.0.1.0,1.0.3.255,CN\n",
  "the same twice": "1.0.0.0,1.0.0.255,AU\n1.0.0.0,1.0.0.255,AU\n",
  "reversed": "1.0.0.255,1.0.0.0,AU\n",
  "of two families in one line": "1.0.0.0,2001::,AU\n",
  "not a country": "1.0.0.0,1.0.0.255,AUS\n",
  "not an address": "one,two,AU\n",
  "a very long line": `${"x".repeat(10_000)}\n`,
};

Deno.test("a file that is no data is refused with a reason", async (t) => {
  for (const [what, text] of Object.entries(BAD)) {
    await t.step(what, async () => {
      await assert.rejects(compileCountries([contentOf(text)], null), { name: "DataError" });
    });
  }
});

Deno.test("a file that is too large is refused before it is taken in", async () => {
  const comments = new TextEncoder().encode(`#${"x".repeat(1022)}\n`.repeat(4096));
  let parts = 0;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      parts++;
      controller.enqueue(comments);
    },
  });
  await assert.rejects(compileCountries([endless], null), /too large/);
  assert.ok(parts * comments.length < 300 << 20);
});

Deno.test("a table is not replaced by one of less than half of its ranges, but by one family alone", async () => {
  const old = await compileCountries([contentOf(GOOD)], null);
  const one = contentOf("5.0.0.0,5.0.0.255,DE\n6.0.0.0,6.0.0.255,DE\n");
  const four = await compileCountries([one], old);
  assert.equal(find4(four.four, Number(parseAddress("5.0.0.1")!.value)), countryNumber("DE"));
  assert.equal(four.six, old.six);
  const many = await compileCountries([contentOf(numbered(10))], null);
  await assert.rejects(compileCountries([contentOf(numbered(4))], many), /less than half/);
  assert.ok(await compileCountries([contentOf(numbered(6))], many));
});

function numbered(count: number): string {
  return Array.from({ length: count }, (_, n) => `9.0.${n}.0,9.0.${n}.255,DE\n`).join("");
}

Deno.test("networks keep their names, in quotes or between tabs, and compressed", async () => {
  const csv = '1.0.0.0,1.0.0.255,13335,"Cloud, ""Inc."""\n1.0.4.0,1.0.7.255,38803,Plain\n';
  const zipped = contentOf(csv).pipeThrough(new CompressionStream("gzip"));
  const tsv = "1.0.0.0\t1.0.0.255\t13335\tUS\tCloud\n1.0.1.0\t1.0.3.255\t0\tNone\tNot routed\n";
  const [plain, gzip, tabs] = [
    await compileNetworks([contentOf(csv)], null),
    await compileNetworks([zipped], null),
    await compileNetworks([contentOf(tsv)], null),
  ];
  assert.deepEqual([...plain.numbers], [13335, 38803]);
  assert.deepEqual([0, 1].map((at) => textAt(plain.names, at)), ['Cloud, "Inc."', "Plain"]);
  assert.deepEqual(gzip, plain);
  assert.deepEqual([...tabs.numbers], [13335]);
  assert.equal(textAt(tabs.names, 0), "Cloud");
  assert.equal(find4(tabs.four, Number(parseAddress("1.0.1.7")!.value)), 0);
});

Deno.test("the longest prefix of a MAC address is whose it is", () => {
  const table = compileVendors(
    JSON.stringify({
      "AABBCC": "IEEE Registration Authority\nStreet",
      "AABBCC1": "Middle Ltd",
      "AABBCC123": "Small Ltd\nTown",
    }),
    null,
  );
  assert.equal(vendorOf(table, "aabbcc999999"), "IEEE Registration Authority");
  assert.equal(vendorOf(table, "aabbcc199999"), "Middle Ltd");
  assert.equal(vendorOf(table, "aabbcc123999"), "Small Ltd");
  assert.equal(vendorOf(table, "ddeeff000000"), "");
  for (const text of ["[]", "x", '{"AABB": "x"}', '{"AABBCC": 1}', '{"ZZZZZZ": "x"}', "{}"]) {
    assert.throws(() => compileVendors(text, table), { name: "DataError" });
  }
});

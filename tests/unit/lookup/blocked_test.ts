import assert from "node:assert/strict";
import fc from "fast-check";
import {
  blockerOf,
  countPrefixes,
  decodeRanges,
  encodeRanges,
  maskWords,
} from "../../../system/core/kernel/blocked_ranges.ts";
import { renderBlocked } from "../../../system/core/kernel/nft/blocked_text.ts";
import { parseBlockedList } from "../../../system/lookup/blocked/block_list.ts";
import { disjoint, type Owned, prefixGroups } from "../../../system/lookup/blocked/layers.ts";

const BASE: Readonly<Record<4 | 6, bigint>> = { 4: 0x08000000n, 6: 0x2600n << 112n };
const SPAN = 4096n;

/** Ranges within a few thousand addresses, which overlap often. */
function layers(family: 4 | 6): fc.Arbitrary<readonly (readonly Owned[])[]> {
  const at = fc.bigInt(0n, SPAN - 1n);
  const range = (owner: number) =>
    fc.tuple(at, at).map(([a, b]): Owned => [
      BASE[family] + (a < b ? a : b),
      BASE[family] + (a < b ? b : a),
      owner,
    ]);
  const layer = (owner: number) => fc.array(range(owner), { maxLength: 6 }).map(disjoint);
  return fc.tuple(layer(0), layer(1), layer(2));
}

function words(family: 4 | 6, value: bigint): readonly number[] {
  const shifts = family === 4 ? [0n] : [96n, 64n, 32n, 0n];
  return shifts.map((shift) => Number(value >> shift & 0xffffffffn));
}

const SOURCES = [
  { type: "country", key: "DE" },
  { type: "asn", key: "64496" },
  { type: "list", key: "abc1" },
] as const;

Deno.test("prefixes hold exactly the addresses of the layers, and the first layer decides whose they are", () => {
  for (const family of [4, 6] as const) {
    fc.assert(
      fc.property(layers(family), (drawn) => {
        const ranges = { sources: SOURCES, groups: prefixGroups(family, drawn) };
        for (const { length, addresses } of ranges.groups) {
          const mask = maskWords(family, length);
          assert.ok(addresses.every((word, at) => (word & ~mask[at % mask.length]!) === 0));
        }
        const edges = drawn.flat().flatMap(([first, last]) => [first - 1n, first, last, last + 1n]);
        for (const value of [BASE[family], ...edges]) {
          const naive = drawn.findIndex((layer) =>
            layer.some(([first, last]) => first <= value && value <= last)
          );
          assert.equal(
            blockerOf(ranges, family, words(family, value))?.key,
            SOURCES[naive]?.key,
          );
        }
        const copy = decodeRanges(encodeRanges(ranges));
        assert.deepEqual(copy, ranges);
      }),
      { numRuns: 100 },
    );
  }
});

Deno.test("addresses that are not on the Internet are never blocked", () => {
  const all = [[0n, (1n << 32n) - 1n, 0]] as const;
  const groups = prefixGroups(4, [all]);
  for (const address of [0x0a000001, 0xc0a80201, 0x7f000001, 0xe0000001, 0x64400001, 0]) {
    assert.equal(blockerOf({ sources: SOURCES, groups }, 4, [address]), null);
  }
  assert.ok(blockerOf({ sources: SOURCES, groups }, 4, [0x08080808]));
  const six = prefixGroups(6, [[[0n, (1n << 128n) - 1n, 0]]]);
  assert.equal(blockerOf({ sources: SOURCES, groups: six }, 6, words(6, 0xfe80n << 112n)), null);
  assert.equal(blockerOf({ sources: SOURCES, groups: six }, 6, words(6, 1n)), null);
  assert.ok(blockerOf({ sources: SOURCES, groups: six }, 6, words(6, 0x2001n << 112n)));
});

Deno.test("bytes that are not valid ranges are rejected when they are decoded", () => {
  const good = encodeRanges({
    sources: SOURCES,
    groups: prefixGroups(4, [[[0x08000000n, 0x080000ffn, 0]]]),
  });
  assert.equal(countPrefixes(decodeRanges(good)), 1);
  for (let at = 0; at < good.length; at++) {
    assert.throws(() => decodeRanges(good.slice(0, at)));
  }
  const unmasked = good.slice();
  unmasked[unmasked.length - 8] = 7;
  assert.throws(() => decodeRanges(unmasked), RangeError);
  const stray = good.slice();
  stray[stray.length - 4] = 9;
  assert.throws(() => decodeRanges(stray), RangeError);
  const quoted = encodeRanges({ sources: [{ type: "country", key: 'x"; drop' }], groups: [] });
  assert.throws(() => decodeRanges(quoted), RangeError);
});

Deno.test("the script replaces one table of its own, without sets of intervals", () => {
  const script = renderBlocked({
    sources: SOURCES,
    groups: [
      ...prefixGroups(4, [[[0x08000000n, 0x080001ffn, 0]]]),
      ...prefixGroups(6, [[[0x2600n << 112n, (0x2601n << 112n) - 1n, 1]]]),
    ],
  });
  assert.match(script, /^table inet geo_block\ndelete table inet geo_block\n/);
  assert.match(script, /map v4_23 \{\n {4}type ipv4_addr : verdict\n.* 8\.0\.0\.0 : jump s0 /);
  assert.match(script, /ip daddr & 255\.255\.254\.0 vmap @v4_23/);
  assert.match(script, /ip6 saddr & ffff:: vmap @v6_16/);
  assert.doesNotMatch(script, /interval/);
});

Deno.test("lists of networks and prefixes are read, and what is none is refused", () => {
  const list = parseBlockedList(
    [
      "# a comment",
      "192.0.2.0/24 ; SBL1",
      "AS64496",
      "64497",
      "198.51.100.7",
      "2001:db8::/32",
      '{"asn":64498,"rir":"x"}',
      '{"type":"metadata","size":1}',
      "",
    ].join("\n"),
  );
  assert.deepEqual(list, {
    asns: [64496, 64497, 64498],
    prefixes: ["192.0.2.0/24", "198.51.100.7", "2001:db8::/32"],
  });
  for (
    const text of [
      "",
      "# nothing\n",
      "<html></html>",
      "0.0.0.0/0\n",
      "1.0.0.0/7\n",
      "2000::/3\n",
      "one\ntwo\n192.0.2.1\n",
      "4294967296\n",
      "AS0\n",
      "192.0.2.0/33\n",
      "192.0.2.1\0\n",
    ]
  ) {
    assert.throws(() => parseBlockedList(text), { name: "DataError" }, JSON.stringify(text));
  }
});

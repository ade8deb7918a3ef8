import assert from "node:assert/strict";
import type { BlockConfig } from "../../../../system/dns/block/schema.ts";
import {
  compileFilter,
  decide,
  type Verdict,
} from "../../../../system/dns/block/verdict/verdict.ts";
import { nameBytes } from "../../../../system/dns/codec/name.ts";
import {
  blockConfig,
  blockList,
  dnsClient,
  tableOf,
  type TestLists,
} from "../../../kit/dns/block.ts";

const CLIENT = dnsClient("192.168.2.6");
const ADS = "https://lists.example/ads", KIDS = "https://lists.example/kids";

/** Decides a name under these lists, of which a configuration may have only some. */
function verdict(
  name: string,
  { lists, config = {} }: { readonly lists: TestLists; readonly config?: Partial<BlockConfig> },
): Verdict {
  const BlockLists = Object.keys(lists).map((uri) => blockList(uri));
  const compiled = compileFilter(blockConfig({ BlockLists, ...config }), tableOf(lists), [CLIENT]);
  return decide({ name: nameBytes(name)!, client: CLIENT, now: 0 }, compiled);
}

const blockedBy = (list: string): Verdict => ({ kind: "block", by: { list }, categories: [] });

Deno.test("an exception applies to its own list only", () => {
  const lists = {
    [ADS]: ["ads.example", "@good.ads.example", "bad.good.ads.example"],
    [KIDS]: ["games.ads.example", "good.ads.example"],
  };
  const config = { BlockLists: [blockList(ADS)] };
  assert.equal(verdict("x.ads.example", { lists, config }).kind, "block");
  assert.equal(verdict("good.ads.example", { lists, config }).kind, "pass");
  assert.equal(verdict("bad.good.ads.example", { lists, config }).kind, "pass");
  assert.deepEqual(verdict("good.ads.example", { lists }), blockedBy(KIDS));
});

Deno.test("an exception below a blocked name holds, and what is blocked above it exists", () => {
  const lists = {
    [ADS]: ["b.example", "@good.x.b.example", "other.example", "@com"],
    [KIDS]: ["games.example", "b.example"],
  };
  const only = (...uris: readonly string[]) => ({
    lists,
    config: { BlockLists: uris.map((uri) => blockList(uri)) },
  });
  const verdictWith = (name: string, ...uris: readonly string[]) => verdict(name, only(...uris));
  for (const name of ["good.x.b.example", "deep.good.x.b.example"]) {
    assert.equal(verdictWith(name, ADS).kind, "pass", name);
    assert.deepEqual(verdictWith(name, ADS, KIDS), blockedBy(KIDS), "its own list alone");
  }
  for (const name of ["b.example", "x.b.example"]) {
    assert.deepEqual(verdictWith(name, ADS), { ...blockedBy(ADS), nodata: true }, name);
    assert.deepEqual(
      verdictWith(name, ADS, KIDS),
      blockedBy(ADS),
      "another list leaves nothing below",
    );
  }
  for (const name of ["y.b.example", "bad.x.b.example", "other.example"]) {
    assert.deepEqual(verdictWith(name, ADS), blockedBy(ADS), name);
  }
});

Deno.test("an important block holds against an exception, not against an important one", () => {
  const lists = {
    [ADS]: [
      "!b.example",
      "@a.b.example",
      "@!c.b.example",
      "d.example",
      "!x.d.example",
      "@d.example",
    ],
  };
  const config = { BlockLists: [blockList(ADS)] };
  const kind = (name: string) => verdict(name, { lists, config }).kind;
  assert.equal(kind("a.b.example"), "block");
  assert.equal(kind("c.b.example"), "pass");
  assert.equal(kind("deep.c.b.example"), "pass");
  assert.equal(kind("d.example"), "pass");
  assert.equal(kind("y.d.example"), "pass");
  assert.equal(kind("x.d.example"), "block");
});

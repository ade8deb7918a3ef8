import assert from "node:assert/strict";
import { KeptOutline } from "../../../system/host/nft/kept_outline.ts";

Deno.test("the tables of the kernel are read again only after a transaction", async () => {
  let generation = 7, reads = 0, during = 0;
  const outline = new KeptOutline({
    read: () => {
      generation += during;
      return Promise.resolve(`table inet t${++reads} {\n}\n`);
    },
    generation: () => generation,
  });
  const names = async () => (await outline.tables()).map(({ name }) => name);
  assert.deepEqual(await names(), ["t1"]);
  assert.deepEqual(await names(), ["t1"]);
  generation++;
  assert.deepEqual(await names(), ["t2"]);
  generation++;
  during = 1;
  assert.deepEqual(await names(), ["t3"]);
  during = 0;
  assert.deepEqual(await names(), ["t4"], "what changed while it was read is not kept");
  assert.deepEqual(await names(), ["t4"]);
});

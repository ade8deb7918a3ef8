import assert from "node:assert/strict";
import { memo } from "../../../system/core/config/memo.ts";

Deno.test("a memo computes again only when one of its inputs is another value", () => {
  let computed = 0;
  const sum = memo((...numbers: readonly (number | object)[]) => `${++computed} ${numbers.length}`);
  const part = {};
  assert.equal(sum(1, part), "1 2");
  assert.equal(sum(1, part), "1 2");
  assert.equal(sum(1, {}), "2 2");
  assert.equal(sum(1), "3 1");
  assert.equal(sum(Number.NaN), "4 1");
  assert.equal(sum(Number.NaN), "4 1");
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { canonical } from "../../../system/core/config/json.ts";
import { sameJson } from "../../../system/core/config/same_json.ts";

Deno.test("two values are the same JSON where their canonical texts are equal", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(fc.property(value, value, (one, other) => {
    assert.equal(sameJson(one, other), canonical(one) === canonical(other));
    assert.ok(sameJson(one, structuredClone(one)));
  }));
  assert.ok(sameJson({ a: 1, b: [{}] }, { b: [{}], a: 1, c: undefined }));
  for (
    const [one, other] of [[[], {}], [[1], [1, 2]], [{ a: 1 }, { b: 1 }], [{}, null], [1, "1"]]
  ) {
    assert.ok(!sameJson(one, other), JSON.stringify([one, other]));
    assert.ok(!sameJson(other, one), JSON.stringify([other, one]));
  }
});

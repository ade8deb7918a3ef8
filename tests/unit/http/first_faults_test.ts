import assert from "node:assert/strict";
import { z } from "zod";
import { firstFaults } from "../../../routes/http/first_faults.ts";

const LARGE = 5000;

/** A schema of odd numbers that counts what it looks at. */
function counting(): { readonly odd: z.ZodType; readonly seen: () => number } {
  let seen = 0;
  const odd = z.number().refine((value) => (seen++, value % 2 === 1), "This is even");
  return { odd, seen: () => seen };
}

Deno.test("a list of nothing but faults is read as far as faults are wanted", async () => {
  const { odd, seen } = counting();
  const faults = await firstFaults(z.array(odd), Array.from({ length: LARGE }, () => 2), 20);
  assert.ok(seen() <= 20, `${seen()} items were looked at`);
  assert.deepEqual(faults.map(({ path }) => path[0]), [...Array(20).keys()]);
});

Deno.test("faults are found once, in maps, in lists within items, and behind what may be left out", async () => {
  const { odd, seen } = counting();
  const item = z.object({ Numbers: z.array(odd).nullable().optional(), Name: z.string() });
  const schema = z.record(z.string(), item).transform((value) => value).optional();
  const Numbers = [...Array.from({ length: LARGE - 1 }, () => 1), 2];
  const value = { a: { Numbers, Name: "a" }, b: { Numbers: [1] } };
  const faults = await firstFaults(schema, value, 20);
  assert.deepEqual(faults.map(({ path }) => path), [["a", "Numbers", LARGE - 1], ["b", "Name"]]);
  assert.ok(seen() < 2 * LARGE);
});

Deno.test("a large value without faults has none, and a small one is left to be checked whole", async () => {
  const { odd, seen } = counting();
  assert.deepEqual(await firstFaults(z.array(odd), [2, 4], 20), []);
  assert.equal(seen(), 0);
  assert.deepEqual(await firstFaults(z.array(odd), Array.from({ length: LARGE }, () => 1), 20), []);
});

import assert from "node:assert/strict";
import * as z from "zod";
import { atOnce } from "../../../system/core/time/slices.ts";
import { type Checked, checkLarge } from "../../../system/core/config/check_large.ts";

const LARGE = 5000;

/** A schema of odd numbers that counts what it looks at. */
function counting(): { readonly odd: z.ZodType; readonly seen: () => number } {
  let seen = 0;
  const odd = z.number().refine((value) => (seen++, value % 2 === 1), "This is even");
  return { odd, seen: () => seen };
}

function check(schema: z.ZodType, value: unknown): Checked {
  return atOnce(checkLarge(schema, value, 20));
}

function pathsOf(checked: Checked): readonly (readonly PropertyKey[])[] {
  assert.ok(!checked.success);
  return checked.issues.map(({ path }) => path);
}

const many = <T>(value: T): readonly T[] => Array.from({ length: LARGE }, () => value);

Deno.test("a list of nothing but faults is read as far as faults are wanted", () => {
  const { odd, seen } = counting();
  const faults = pathsOf(check(z.array(odd), many(2)));
  assert.ok(seen() <= 20, `${seen()} items were looked at`);
  assert.deepEqual(faults.map(([at]) => at), [...Array(20).keys()]);
});

Deno.test("faults are found once, in maps, in lists within items, and behind what may be left out", () => {
  const { odd, seen } = counting();
  const item = z.object({ Numbers: z.array(odd).nullable().optional(), Name: z.string() });
  const schema = z.record(z.string(), item).transform((value) => value).optional();
  const Numbers = [...Array.from({ length: LARGE - 1 }, () => 1), 2];
  const value = { a: { Numbers, Name: "a" }, b: { Numbers: [1] } };
  assert.deepEqual(pathsOf(check(schema, value)), [["a", "Numbers", LARGE - 1], ["b", "Name"]]);
  assert.ok(seen() < 2 * LARGE);
});

Deno.test("each item of a large value is looked at once, and others have their turn meanwhile", () => {
  const { odd, seen } = counting();
  const steps = checkLarge(z.object({ Numbers: z.array(odd) }), { Numbers: many(1) }, 20);
  let most = 0, before = 0;
  for (let step = steps.next(); !step.done; step = steps.next()) {
    most = Math.max(most, seen() - before);
    before = seen();
  }
  assert.equal(seen(), LARGE);
  assert.ok(most <= 1, `${most} items at a time`);
});

Deno.test("a large value becomes what the schema makes of it at once", () => {
  const inner = z.object({
    Name: z.string().trim().toLowerCase(),
    Count: z.coerce.number().default(3),
    Labels: z.array(z.string().transform((text) => text.length)).optional(),
  });
  const schemas: readonly z.ZodType[] = [
    z.array(inner),
    z.object({ Items: z.array(inner), Other: z.string().default("other"), Flag: z.boolean() })
      .transform((value) => ({ ...value, count: value.Items.length })),
    z.record(z.string().toUpperCase(), inner).refine((all) => Object.keys(all).length > 5),
    z.union([z.string(), z.object({ Items: z.array(inner).max(LARGE) })]),
    z.strictObject({ Items: z.array(inner).default([]), Flag: z.boolean() }).readonly(),
    z.lazy(() => z.array(inner).nullable()),
    z.preprocess((value) => value, z.array(inner)),
    z.object({ Items: z.array(inner).min(LARGE + 1), Flag: z.boolean() }),
    z.object({ Items: z.array(inner) }).refine(({ Items }) => Items.length === 1, {
      path: ["Items"],
    }),
  ];
  const items = many({ Name: " A ", Labels: ["one", "three"], Unknown: 1 });
  const values: readonly unknown[] = [
    items,
    { Items: items, Flag: true },
    { Items: items, Flag: true, More: {} },
    Object.fromEntries(items.map((item, i) => [`key ${i}`, item])),
    { Items: [] },
    [],
    null,
    undefined,
  ];
  for (const [at, schema] of schemas.entries()) {
    for (const [number, value] of values.entries()) {
      const whole = schema.safeParse(value);
      const mine = check(schema, value);
      assert.equal(mine.success, whole.success, `schema ${at}, value ${number}`);
      if (mine.success) assert.deepEqual(mine.data, whole.data);
      else {
        // Those of a list of faults end early.
        assert.deepEqual(mine.issues.slice(0, 1), whole.error!.issues.slice(0, 1));
      }
    }
  }
});

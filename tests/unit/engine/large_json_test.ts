import assert from "node:assert/strict";
import fc from "fast-check";
import { largeJson, MAX_DEPTH, TooDeep } from "../../../system/core/config/large_json.ts";
import { atOnce } from "../../../system/core/time/slices.ts";

const LARGE = 200_000;

function read(text: string): unknown {
  return atOnce(largeJson(text));
}

/** Values whose texts are large, with large and small ones in them. */
const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 8 }).map((text) => (text || "x").repeat(LARGE / 2)),
  fc.constantFrom('"', "\\", '\\\\"', "[", "},{", "\n", "\u2028", "é", "😀").map((text) =>
    text.repeat(LARGE / 2)
  ),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    words,
    fc.double({ noNaN: true }),
    fc.constantFrom(null, true, 0, {}, []),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__"), words), tie("value"), {
      maxKeys: 4,
    }),
    fc.tuple(fc.array(tie("value"), { maxLength: 3 }), fc.integer({ min: 1, max: 40_000 })).map((
      [some, times],
    ) => [...Array.from({ length: times }, (_, i) => ({ i, text: "t" })), ...some]),
  ),
})).value;

Deno.test("a large text has the value that JSON.parse gives it", () => {
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      assert.deepEqual(read(text), JSON.parse(text));
    }),
    { numRuns: 25 },
  );
});

Deno.test("what is no JSON is refused, wherever the fault is", () => {
  const item = JSON.stringify({ name: "x".repeat(100), list: [1, 2, 3] });
  const list = `[${Array.from({ length: 3000 }, () => item).join(",")}]`;
  const long = `"${"x".repeat(LARGE)}"`;
  const faulty = [
    ...[`${list}]`, `${list},1`, `1${list}`, list.slice(0, -1), `[${list},]`, `[,${list}]`],
    ...[`[${list}${list}]`, `[1${list}]`, `{"a":${list},}`, `{${list}:1}`, `{"a":1${list}}`],
    ...[`{"a" ${list}}`, `{"a":${list} 1}`, `[${long}${long}]`, `[${long},]`, `{${long}}`],
    ...[
      `{"a":${long}`,
      long.slice(0, -1),
      `"${"\\".repeat(LARGE + 1)}"`,
      `"${long.slice(1, -1)}\n"`,
    ],
    ...[`"${"x".repeat(LARGE)}\\u12"`, list.replaceAll(",", ",,"), list.replace("]", "}")],
    list.slice(0, list.indexOf(item, LARGE)) + "?" + list.slice(list.indexOf(item, LARGE)),
  ];
  for (const text of faulty) {
    assert.throws(() => JSON.parse(text), SyntaxError);
    assert.throws(() => read(text), SyntaxError, text.slice(0, 40) + " … " + text.slice(-40));
  }
});

Deno.test("the last field of a name counts, and one called __proto__ is a field", () => {
  const long = "x".repeat(LARGE);
  const text = `{"a":1,"__proto__":["${long}"],"a":"${long}","b":2}`;
  const value = read(text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["a", "__proto__", "b"]);
  assert.equal(value["a"], long);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

Deno.test("nesting is bounded", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  read(nested(MAX_DEPTH));
  assert.throws(() => read(nested(MAX_DEPTH + 1)), TooDeep);
  assert.throws(() => read("[".repeat(LARGE)), TooDeep);
});

Deno.test("a large text is read in many steps", () => {
  for (
    const text of [
      JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ i }))),
      JSON.stringify({ text: "0.0.0.0 advertisements.example\n".repeat(30_000) }),
      JSON.stringify({ text: '"'.repeat(LARGE) }),
    ]
  ) {
    let steps = 0;
    for (const reading = largeJson(text); !reading.next().done;) steps++;
    assert.ok(steps > text.length / 100_000, `${steps} steps of ${text.length} characters`);
  }
});

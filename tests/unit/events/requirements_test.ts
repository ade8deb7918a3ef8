import assert from "node:assert/strict";
import fc from "fast-check";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/libsql";
import { createClient } from "@libsql/client";
import { compileCondition, isMatch } from "../../../system/events/jpath/condition.ts";
import { requirementsOf } from "../../../system/events/jpath/requirements.ts";
import { requirementSql } from "../../../system/events/store/requirement_sql.ts";

for (
  const [condition, found] of [
    ['$[?(@.name=="user 7")]', [{ kind: "text", text: '"user 7"' }]],
    ['$[?("a\\"b"==@.name)]', [{ kind: "text", text: '"a\\"b"' }]],
    ['$[?(@.IP.SrcIP=="192.168.2.6")]', [{ kind: "text", text: '"192.168.2.6"' }]],
    ["$[?(@.n<7)]", [{ kind: "number", keys: ["n"], operator: "<", value: 7 }]],
    ["$[?(7<@.n)]", [{ kind: "number", keys: ["n"], operator: ">", value: 7 }]],
    ['$[?(@.name=~"^user 7")]', [{ kind: "text", text: "user 7" }]],
    ['$[?(@.a=="x" && @.b!="y")].c', [{ kind: "text", text: '"x"' }]],
    ['$[?(@.a=="x" || @.b=="y")]', [{
      kind: "any",
      of: [[{ kind: "text", text: '"x"' }], [{ kind: "text", text: '"y"' }]],
    }]],
    // What may match without it requires nothing.
    ['$[?(@.a=="x" || @.b)]', []],
    ['$[?(@.a=="10")]', []],
    ['$[?(@.a=="true")]', []],
    ['$[?(@.time=="2026")]', []],
    ['$[?(@.*=="x")]', []],
    ['$[?(@.a=~"us.r")]', []],
    ['$[?(!(@.a=="x"))]', []],
    ['$[0].a=="x"', []],
    ['$..[?(@.a=="x")]', []],
    ['@.a=="x"', []],
  ] as const
) {
  Deno.test(`what ${condition} requires`, () => assert.deepEqual(requirementsOf(condition), found));
}

const KEYS = ["a", "b", "time"] as const;
const TEXTS = ["", "x", 'q"u\\o', "ü\u2028", "10", "10.0", "true", "null", "-0", "x y"];
const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(0, 1, 10, -1, 0.1, 10.5, 1e21, 2 ** 53),
  fc.constantFrom(true, false, null),
);
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom(...KEYS), scalar),
);
const item = fc.oneof(fc.dictionary(fc.constantFrom(...KEYS), value), value);
const literal = fc.oneof(
  fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)),
  fc.constantFrom("0", "1", "10", "10.5", "0.1", "true", "false"),
);
const path = fc.constantFrom("@.a", "@.b", "@.a.b", "@.time", '@["a"]', "@.a[0]");
const comparison = fc.tuple(
  ...[path, fc.constantFrom("==", "!=", "<", "<=", ">", ">=", "=~"), literal, fc.boolean()],
).map(([one, operator, other, isTurned]) =>
  isTurned && operator !== "=~" ? `${other}${operator}${one}` : `${one}${operator}${other}`
);
const test = fc.oneof(
  comparison,
  fc.tuple(comparison, fc.constantFrom("&&", "||"), comparison).map((parts) => parts.join(" ")),
  fc.tuple(path, fc.array(literal, { maxLength: 2 })).map(([one, list]) => `${one} in [${list}]`),
);

/** False where a text that is no pattern stands as one. */
function isCondition(text: string): boolean {
  try {
    compileCondition(text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("the database passes over nothing that a condition matches", async () => {
  const client = createClient({ url: ":memory:" });
  const db = drizzle({ client });
  const passes = async (data: string, condition: string): Promise<boolean> => {
    const fits = requirementSql(sql`${data}`, requirementsOf(condition));
    if (fits === undefined) return true;
    const row = await db.get<{ fits: number }>(sql`SELECT ${fits} AS fits`);
    return Number(Object.values(row)[0]) === 1;
  };
  let passedOver = 0;
  await fc.assert(
    fc.asyncProperty(item, test, async (stored, condition) => {
      const filter = `$[?(${condition})]`;
      fc.pre(isCondition(filter));
      const doesPass = await passes(JSON.stringify(stored), filter);
      passedOver += Number(!doesPass);
      assert.ok(doesPass || !isMatch(compileCondition(filter).value(stored)));
    }),
    { numRuns: 1500 },
  );
  assert.ok(passedOver > 100, "it does pass over some");
  const deep = `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`;
  assert.ok(await passes(deep, "$[?(@.a<7)]"), "what SQLite cannot read is evaluated");
  client.close();
});

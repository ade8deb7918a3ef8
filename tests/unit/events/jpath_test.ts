import assert from "node:assert/strict";
import { compileCondition, isMatch } from "../../../system/events/jpath/condition.ts";

const EVENT = {
  type: "user",
  name: "admin",
  port: "10",
  empty: "",
  none: null,
  off: false,
  zero: 0,
  list: [1, 2, 3, 4],
  objects: [{ a: 1, s: "x" }, { a: 2, s: "yy" }, { b: 3 }],
  deep: { deeper: { name: "below", "odd key": 7 } },
};

/** `[condition, value]`; undefined: it has none. */
const VALUES: readonly (readonly [condition: string, value: unknown])[] = [
  ["$[0].type", "user"],
  ['$[0]["type"]', "user"],
  ["$[0].missing", undefined],
  ["$[-1].name", "admin"],
  ["$[1]", undefined],
  ["$[0].list[1]", 2],
  ["$[0].list[-1]", 4],
  ["$[0].list[0,2]", [1, 3]],
  ["$[0].list[9,10]", []],
  ["$[0].list[1:3]", [2, 3]],
  ["$[0].list[::2]", [1, 3]],
  ["$[0].list[-2:]", [3, 4]],
  ["$[0].list[::-1]", [4, 3, 2, 1]],
  ["$[0].list[0:9]", [1, 2, 3, 4]],
  ["$[0].list[*]", [1, 2, 3, 4]],
  ["$[0].deep.*.name", ["below"]],
  ["$..name", ["admin", "below"]],
  ['$..["odd key"]', [7]],
  ["$[0].objects[*].a", [1, 2]],
  ["$[0].objects[?(@.a>1)].s", ["yy"]],
  ["$[0].objects[?@.a>1].s", ["yy"]],
  ["$..[?(@.a==2)].s", ["yy"]],
  ["$[0].list[?(@>2)]", [3, 4]],
  ["$[0].list[(1+1)]", 3],
  ['$[0].port == "10.0"', true],
  ["$[0].port == 10", true],
  ['$[0].off == "false"', true],
  ['$[0].name == "admin"', true],
  ["$[0].name == `admin`", true],
  ["$[0].list == [1, 2, 3, 4]", true],
  ['$[0].name < "b"', true],
  ["$[0].list < 3", undefined],
  ['$[0].name =~ "^ad"', true],
  ['$[0].name =~ "dm"', true],
  ['$[0].name !~ "^x"', true],
  ['$[0].zero =~ "0"', undefined],
  ['$[0].name in ["root", "admin"]', true],
  ['$[0].missing ?? "else"', "else"],
  ["$[0].zero == 0 ? 1 : 2", 1],
  ["1 + 2 * 3 ** 2", 19],
  ["7 % 4 | 8", 11],
  ['"a" + "b"', "ab"],
  ["!$[0].off", true],
  ['!"word"', undefined],
  ['$[0].off && $[0].missing == "x"', false],
  ["$[0].zero == 0 || $[0].missing", true],
  ['date("1970-01-02") == 86400', true],
];

for (const [condition, value] of VALUES) {
  Deno.test(`JSONPath: ${condition}`, () => {
    assert.deepEqual(compileCondition(condition).value(EVENT), value);
  });
}

/** Whether the filter of one event lets it through. */
const FILTERS: readonly (readonly [filter: string, passes: boolean])[] = [
  ['@.type=="user"', true],
  ['@.type=="token"', false],
  ['@.missing!="x"', false],
  ["@.missing", false],
  ["@.name", false],
  ["@.zero", false],
  ["@.off", false],
  ["!@.off", true],
  ['@.type=="user" && @.name!="root"', true],
  ['@.name!="admin" || @.type!="user"', false],
  ['@.name=="admin" || @.missing=="x"', true],
  ['@.missing=="x" || @.name=="admin"', false],
];

for (const [filter, passes] of FILTERS) {
  Deno.test(`a filter: ${filter}`, () => {
    assert.equal(isMatch(compileCondition(`$[?(${filter})]`).value(EVENT)), passes);
  });
}

Deno.test("false and 0 match; nothing, and what is empty, do not", () => {
  for (const value of [false, 0, "x", [0], { a: 1 }]) assert.equal(isMatch(value), true);
  for (const value of [undefined, null, "", [], {}]) assert.equal(isMatch(value), false);
});

for (
  const bad of [
    "",
    "$[",
    "$.",
    "$[?(@.a==]",
    "$[1,2:3]",
    "$[1:2:3:4]",
    "`open",
    '@.a =~ "("',
    "$[" + "(".repeat(100),
    "x".repeat(3000),
  ]
) {
  Deno.test(`no condition: ${bad.slice(0, 20)}`, () => {
    assert.throws(() => compileCondition(bad), Error);
  });
}

Deno.test("what would never end has no value, soon", () => {
  const wide = { rows: Array.from({ length: 400 }, () => Array.from({ length: 400 }, () => "a")) };
  let nested: unknown = 1;
  for (let depth = 0; depth < 3000; depth++) nested = { a: [nested, nested] };
  const bombs = [
    "$..*..*..*..*",
    "$..*[?(@..*==1)]",
    "$[0].rows[*][*][?($..*)]",
    "$..[?(@..[?(@..[?(@..a)])])]",
    `$${".*".repeat(200)}`,
    "9**9**9**9 == 1",
    '$[0].text =~ "(a*)*b"',
    '$[0].text =~ "(a|aa)+$"',
  ];
  for (const event of [wide, { text: "a".repeat(1_000_000) }, nested]) {
    for (const bomb of bombs) {
      const start = performance.now();
      compileCondition(bomb).value(event);
      assert.ok(performance.now() - start < 3000, bomb);
    }
  }
});

Deno.test("a condition reaches nothing but the event", () => {
  for (const text of ["$.constructor", '$["__proto__"]', "$[0].constructor.constructor", "this"]) {
    assert.equal(isMatch(compileCondition(text).value({ a: 1 })), false, text);
  }
  assert.equal(compileCondition("globalThis").value({}), undefined);
  assert.equal(compileCondition('eval("1")').value({}), undefined);
});

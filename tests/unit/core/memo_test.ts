import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { memberIndex, namesByKey } from "../../../system/core/config/member_index.ts";
import { derive, memo, onceEach, sameWhere } from "../../../system/core/config/memo.ts";

type Keyed = Readonly<Record<string, { readonly key: number }>>;

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

Deno.test("versions of a record whose members are the same by the comparison are given as one", () => {
  interface Thing {
    readonly size: number;
    readonly colour: string;
  }
  const sized = sameWhere((a: Thing, b: Thing) => a.size === b.size);
  const first = { a: { size: 1, colour: "red" }, b: { size: 2, colour: "red" } };
  assert.equal(sized(first), first);
  const blue = derive<Thing>(first, { a: { size: 1, colour: "blue" } });
  assert.equal(sized(blue), first);
  const large = derive<Thing>(blue, { b: { size: 9, colour: "blue" } });
  assert.equal(sized(large), large);
  const back = derive<Thing>(large, { b: { size: 2, colour: "blue" } });
  assert.equal(sized(back), back);
  const unseen = derive<Thing>(derive<Thing>(back, { a: { size: 3, colour: "" } }), { b: first.b });
  assert.equal(
    sized(unseen),
    unseen,
    "versions between for which no result was computed count too",
  );
  const more = { ...unseen, c: first.a };
  assert.equal(sized(more), more);
});

Deno.test("a result is kept with its value, whatever it is, and not with copies of the value", () => {
  let computed = 0;
  const count = onceEach((_: object) => ++computed);
  const nothing = onceEach((_: object): undefined => void ++computed);
  const large = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`name ${at}`, at]));
  const values = [{ a: 1 }, [1, 2], Object.freeze({ b: 1 }), new Map(), () => {}];
  for (const value of [...values, large, Object.keys(large)]) {
    const before = computed;
    assert.equal(count(value), before + 1);
    assert.equal(nothing(value), undefined);
    assert.equal(count(value), before + 1);
    assert.equal(nothing(value), undefined);
    assert.equal(computed, before + 2);
  }
  const value = { list: [1] };
  const first = count(value);
  assert.deepEqual(Reflect.ownKeys(value), ["list"]);
  assert.notEqual(count({ ...value }), first);
  assert.notEqual(count(structuredClone(value)), first);
});

Deno.test("a value that many functions are computed of keeps the latest results", () => {
  let computed = 0;
  const functions = Array.from({ length: 100 }, () => onceEach((_: object) => ++computed));
  for (const value of [{}, Array.from({ length: 1000 }, () => 0)]) {
    computed = 0;
    for (const one of functions) one(value);
    assert.equal(functions.at(-1)!(value), 100);
    assert.equal(functions[60]!(value), 61);
    assert.equal(functions[0]!(value), 101, "computed again");
  }
});

Deno.test("an index gives for each version what all of its members give, in any order of versions", () => {
  const change = fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    key: fc.integer({ min: 0, max: 3 }),
    /** Versions that no other was made of are not followed. */
    apart: fc.boolean(),
  });
  const queries = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 })), { maxLength: 20 });
  fc.assert(fc.property(fc.array(change, { maxLength: 12 }), queries, (changes, wanted) => {
    const versions: Keyed[] = [{ a: { key: 0 }, b: { key: 1 } }];
    for (const { name, key, apart } of changes) {
      const next = derive(versions.at(-1)!, { [name]: { key } });
      versions.push(apart ? { ...next } : next);
    }
    const namesOf = namesByKey(({ key }: Keyed[string]) => key);
    for (const [at, key] of wanted) {
      const version = versions[at % versions.length]!;
      const names = Object.keys(version).filter((name) => version[name]!.key === key);
      assert.deepEqual(namesOf(version, key), names);
    }
  }));
});

Deno.test("an index looks at what differs between two versions, and at no other member", () => {
  let looks = 0;
  const sum = memberIndex<{ readonly key: number }, { value: number }>({
    empty: () => ({ value: 0 }),
    add: (index, _, { key }) => {
      looks++;
      index.value += key;
    },
    remove: (index, _, { key }) => {
      looks++;
      index.value -= key;
    },
  });
  const first: Keyed = Object.fromEntries(
    Array.from({ length: 100 }, (_, key) => [`n${key}`, { key }]),
  );
  assert.equal(sum(first).value, 4950);
  looks = 0;
  const second = derive(derive(first, { n1: { key: 2 } }), { more: { key: 1 } });
  assert.equal(sum(second).value, 4952);
  assert.equal(looks, 3);
  assert.equal(sum(first).value, 4950);
  assert.equal(looks, 6);
  assert.equal(sum(first).value, 4950);
  assert.equal(looks, 6);
});

/** Collects garbage, as V8 does by itself. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

Deno.test("an index keeps no version of a record in memory, and is right without the former one", async () => {
  const namesOf = namesByKey(({ key }: Keyed[string]) => key);
  const former = (() => {
    const record: Keyed = { a: { key: 1 }, b: { key: 2 } };
    assert.deepEqual(namesOf(record, 1), ["a"]);
    return { record: new WeakRef(record), deleted: new WeakRef(record["a"]!) };
  })();
  // What a WeakRef was made of or gave stays until the turn of the event loop is over.
  await new Promise((resolve) => setTimeout(resolve, 0));
  collect();
  assert.equal(former.record.deref(), undefined);
  assert.equal(former.deleted.deref(), undefined);
  assert.deepEqual(namesOf({ b: { key: 1 }, c: { key: 1 } }, 1), ["b", "c"]);
});

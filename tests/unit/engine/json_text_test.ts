import assert from "node:assert/strict";
import fc from "fast-check";
import {
  canonical,
  digest,
  fileBytes,
  fileText,
  hashText,
  jsonSteps,
  prepareDigest,
  prepareFile,
} from "../../../system/core/config/json.ts";
import { encodedParts } from "../../../system/core/data/encoded_parts.ts";
import { atOnce } from "../../../system/core/time/slices.ts";

/** Values of every kind, some of them so large that they are written in parts. */
const { all: value } = fc.letrec((tie) => ({
  plain: fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom("\u2028", '"\\', "\ud800", "line\n feed", "x".repeat(40_000)),
    fc.constantFrom(null, true, 0, -1.5, NaN, undefined, new Date(0)),
  ),
  few: fc.oneof(
    { maxDepth: 3 },
    tie("plain"),
    fc.array(tie("few"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom("a", "b", "7", "__proto__", "toString"), fc.string()),
      tie("few"),
      { maxKeys: 4 },
    ),
  ),
  many: fc.tuple(
    fc.constantFrom<unknown>([], {}, undefined, 1, "\u00e4\n", [1, [2]], { a: { b: "\n" }, c: [] }),
    fc.nat({ max: 1200 }),
    fc.boolean(),
  ).map(([one, count, isList]) =>
    isList
      ? Array(count).fill(one)
      : Object.fromEntries(Array.from({ length: count }, (_, i) => [`name ${i}`, one]))
  ),
  some: fc.oneof(tie("few"), tie("many")),
  all: fc.oneof(
    tie("some"),
    fc.array(tie("some"), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie("some"), { maxKeys: 4 }),
  ),
}));

Deno.test("the text of a value in small steps is that of JSON.stringify", () => {
  fc.assert(
    fc.property(value, (value) => {
      assert.equal(atOnce(jsonSteps(value)), JSON.stringify(value) ?? "null");
      const indented = JSON.stringify(value, null, 1) ?? "null";
      assert.equal(atOnce(jsonSteps(value, { indent: 0 })), indented);
      const within = atOnce(jsonSteps({ a: [value] }, { indent: 2 }));
      assert.equal(within, JSON.stringify({ a: [value] }, null, 1).replaceAll("\n", "\n  "));
    }),
    { numRuns: 60 },
  );
});

Deno.test("a large value becomes text in many steps, none of which writes much of it", () => {
  const devices = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`device ${i}`, { Tags: Array(60).fill(`tag ${i}`) }]),
  );
  const steps = jsonSteps({ value: devices, rejected: [] });
  let count = 0;
  while (!steps.next().done) count++;
  assert.ok(count > 50, `${count} steps`);
});

Deno.test("what was prepared in small steps has the bytes and the digest that it has at once", () => {
  fc.assert(
    fc.property(value, (value) => {
      // JSON alone: what a document may hold.
      const [one, other] = [1, 2].map(() => JSON.parse(JSON.stringify(value) ?? "null"));
      atOnce(prepareFile(one));
      atOnce(prepareDigest(one));
      assert.equal(fileText(one), fileText(other));
      assert.equal(digest(one), digest(other));
      if (typeof one === "object" && one !== null) {
        const text = JSON.stringify(other, null, 1);
        assert.equal(new TextDecoder().decode(fileBytes(one)), `${text}\n`);
      } else assert.equal(digest(one), hashText(canonical(other)));
    }),
    { numRuns: 40 },
  );
});

Deno.test("a text is encoded in parts as it is as a whole", () => {
  const part = 256 << 10;
  for (const before of [part - 1, part, part + 1]) {
    const text = `${"x".repeat(before)}\u{1f600}${"\u00e4".repeat(part)}\ud83d`;
    const parts = [...encodedParts(text)];
    assert.ok(parts.length >= 3);
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const one of parts) {
      whole.set(one, at);
      at += one.length;
    }
    assert.deepEqual(whole, new TextEncoder().encode(text));
  }
  assert.deepEqual([...encodedParts("")], []);
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { atOnce } from "../../../system/core/time/slices.ts";
import type { PatchEntry } from "../../../system/core/engine/change.ts";
import { digest, fileText } from "../../../system/core/config/json.ts";
import {
  HIDDEN,
  maskAt,
  maskNamed,
  maskPatch,
  maskSteps,
} from "../../../system/core/engine/journal/secrets.ts";
import {
  applyPatch,
  diffDocument,
  invertPatch,
  touching,
} from "../../../system/core/engine/journal/patch.ts";

const keyOf = (element: unknown): string =>
  JSON.stringify((element as { name?: unknown }).name ?? "?");
const diff = (before: unknown, after: unknown): readonly PatchEntry[] =>
  diffDocument(before, after, { document: "d", keyOf });

const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "a#2", "", 0, 1, true, null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("name", "x", "y", "__proto__", "0"), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

Deno.test("a patch makes the one value of the other, and its inverse goes back", () => {
  fc.assert(
    fc.property(tree, tree, (a, b) => {
      const patch = diff(a, b);
      assert.equal(digest(applyPatch(a, patch, keyOf)), digest(b));
      assert.equal(digest(applyPatch(b, invertPatch(patch), keyOf)), digest(a));
      assert.equal(patch.length === 0, digest(a) === digest(b));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("a patch applies to any other value without failing", () => {
  fc.assert(fc.property(tree, tree, tree, (a, b, c) => {
    applyPatch(c, diff(a, b), keyOf);
  }));
});

Deno.test("a removed element comes back at its place", () => {
  const before = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const patch = diff(before, [{ name: "a" }, { name: "c" }]);
  assert.deepEqual(patch, [{ document: "d", path: ['"b"'], before: { name: "b" }, index: 1 }]);
  const later = [{ name: "a" }, { name: "c" }, { name: "d" }];
  assert.deepEqual(applyPatch(later, invertPatch(patch), keyOf), [
    { name: "a" },
    { name: "b" },
    { name: "c" },
    { name: "d" },
  ]);
});

Deno.test("patches touch each other when one's place holds the other's", () => {
  const entry = (...path: string[]): PatchEntry[] => [{ document: "d", path, after: 1 }];
  const touches = (one: readonly PatchEntry[], other: readonly PatchEntry[]): boolean =>
    atOnce(atOnce(touching(one))(other));
  assert.equal(touches(entry("a"), entry("a", "x")), true);
  assert.equal(touches(entry("a", "x"), entry("a")), true);
  assert.equal(touches(entry("a", "x"), entry("a", "y")), false);
  assert.equal(touches(entry("a"), [{ document: "e", path: ["a"], after: 1 }]), false);
  const segment = fc.constantFrom("a", "b", "", " ", '"', '" "', "\\");
  const entries = fc.array(
    fc.record({
      document: fc.constantFrom("d", 'd "a"'),
      path: fc.array(segment, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  );
  fc.assert(fc.property(entries, entries, (one, other) => {
    const holds = (a: PatchEntry, b: PatchEntry): boolean =>
      a.document === b.document && a.path.every((part, depth) => part === b.path[depth]);
    const expected = one.some((a) => other.some((b) => holds(a, b) || holds(b, a)));
    assert.equal(touches(one, other), expected);
  }));
});

Deno.test("a list within a document that is another for the most part is one entry of a patch", () => {
  const list = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `element ${from + i}`);
  const of = (Tags: string[]) => ({ tv: { Name: "tv", Tags } });
  const lengthOf = (before: string[], after: string[]): number => {
    const patch = diff(of(before), of(after));
    assert.deepEqual(applyPatch(of(before), patch, keyOf), of(after));
    assert.deepEqual(applyPatch(of(after), invertPatch(patch), keyOf), of(before));
    return patch.length;
  };
  assert.equal(lengthOf([], list(0, 40)), 1);
  assert.equal(lengthOf(list(0, 40), list(40, 60)), 1);
  assert.equal(lengthOf(list(0, 100), list(0, 140)), 40, "most of it stays");
  assert.equal(
    lengthOf([], list(0, 20)),
    20,
    "few elements stay apart, so that each can be undone",
  );
  assert.equal(diff(list(0, 0), list(0, 40)).length, 40, "nor is a document as a whole one entry");
});

Deno.test("secrets read (hidden) wherever they stand in a patch", () => {
  const secrets = { secret: (path: readonly string[]) => path.at(-1) === "Psk" };
  const device = { Name: "tv", PSKEntry: { Psk: "correct horse" } };
  const patch = diffDocument(
    { a: device, b: device },
    { a: { ...device, PSKEntry: { Psk: "" } }, list: [device] },
    { document: "d" },
  );
  const text = JSON.stringify(maskPatch(patch, () => secrets));
  assert.doesNotMatch(text, /horse/);
  assert.match(text, new RegExp(HIDDEN.replaceAll(/[()]/g, "\\$&")));
  assert.match(JSON.stringify(patch), /horse/);
});

Deno.test("an element named by its JSON does not show a secret in its name", () => {
  const secrets = { secret: (path: readonly string[]) => path.at(-1) === "Psk" };
  const patch = diffDocument([], [{ Psk: "correct horse" }], { document: "d" });
  assert.doesNotMatch(JSON.stringify(maskPatch(patch, () => secrets)), /horse/);
});

Deno.test("a field that no schema knows is hidden when its name says that it is secret", () => {
  const value = [{
    Name: "wlan0",
    Guest: { Password: "horse 1", wpa_passphrase: "horse 2", sae_passwords: ["horse 3"] },
    PSK: "horse 4",
    PublicKey: "shown",
    tags: ["secret"],
    Key: "",
  }];
  const patch = [
    ...diffDocument([], value, { document: "d" }),
    { document: "d", path: ["0", "ApiKey"], after: "horse 5" },
    { document: "d", path: ["tags", "secret"], after: "secret" },
  ];
  const text = JSON.stringify(maskPatch(patch, () => ({})));
  assert.doesNotMatch(text, /horse/);
  assert.match(text, /"PublicKey":"shown","tags":\["secret"\],"Key":""/);
  assert.match(text, /"after":"secret"/);
  assert.doesNotMatch(JSON.stringify(maskNamed(value)), /horse/);
});

Deno.test("a file is JSON indented by one blank", () => {
  fc.assert(
    fc.property(
      tree,
      (value) => assert.equal(fileText(value), JSON.stringify(value, null, 1) + "\n"),
    ),
  );
});

Deno.test("a digest ignores the order of names and nothing else", () => {
  assert.equal(digest({ a: { x: 1, y: 2 }, b: 1 }), digest({ b: 1, a: { y: 2, x: 1 } }));
  assert.notEqual(digest({ a: [1, 2] }), digest({ a: [2, 1] }));
  assert.notEqual(digest([]), digest({}));
});

Deno.test("what is hidden by its name is the same where no place is secret, seen once or again", () => {
  const name = fc.constantFrom("Name", "Psk", "token", "PublicKey", "list", "passwords");
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      fc.constantFrom("", "x", 7, null, true),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(name, tie("tree"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const whole = maskAt(value, [], { secret: () => false });
      assert.deepEqual(maskAt(value, [], {}), whole);
      assert.deepEqual(maskAt(value, [], {}), whole);
    }),
  );
});

Deno.test("a large value is masked in small steps as it is at once", () => {
  const lists = Array.from(
    { length: 3000 },
    (_, i) => ({ Domain: `${i}.test`, Password: `p ${i}` }),
  );
  const entries = [{ document: "d", path: ["Lists"], before: [], after: [{ Domains: lists }] }];
  const steps = maskSteps(entries, () => ({}));
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  assert.ok(count > 1000, `${count} steps`);
  assert.deepEqual(step.value, maskPatch(structuredClone(entries), () => ({})));
  assert.doesNotMatch(JSON.stringify(step.value), /"p \d/);
});

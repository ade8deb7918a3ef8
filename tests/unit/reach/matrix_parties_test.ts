import assert from "node:assert/strict";
import { partiesOf, partsOf, sizeOf } from "../../../ui/pages/reach/matrix/parties.ts";
import { cellOf, endsOf } from "../../../ui/pages/reach/matrix/text.ts";
import type { ReachMatrix } from "../../../ui/pages/reach/matrix/wire.ts";

const [A, B, C, D] = ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03", "wg:1"];
const NAMES: Readonly<Record<string, string>> = { [A]: "ant", [B]: "bee", [C]: "cat", [D]: "dog" };
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  [A]: ["kids"],
  [B]: ["kids", "media"],
  [C]: ["media"],
  [D]: [],
};
const plain = { groups: [], policies: [] };
/** ant and bee are alike; everybody but dog reaches the Internet, and none another. */
const MATRIX: ReachMatrix = {
  classes: [
    { ...plain, kind: "device", members: [A, B] },
    { ...plain, kind: "device", members: [C] },
    { ...plain, kind: "device", members: [D] },
    { ...plain, kind: "internet", members: [] },
    { ...plain, kind: "router", members: [] },
  ],
  answers: [
    { access: "nothing", reason: "no rule allows it" },
    { access: "everything", reason: "policy wan" },
    { access: "everything", reason: "a rule" },
  ],
  cells: [
    [0, 0, 0, 1, 0],
    [0, -1, 0, 2, 0],
    [0, 0, -1, 0, 0],
    [0, 0, 0, -1, 0],
    [1, 1, 1, 1, -1],
  ],
};
const names = {
  name: (id: string) => NAMES[id] ?? id,
  groups: (id: string) => GROUPS[id] ?? null,
};
const shown = (open: readonly string[], text = "") =>
  partiesOf(MATRIX, names, { open: new Set(open), text });
const party = (label: string, open: readonly string[] = ["kids", "media", ""]) =>
  shown(open).find((one) => one.label === label)!;

Deno.test("rows are groups by name, an open one with its devices, then the Internet and the router", () => {
  assert.deepEqual(shown([]).map(({ label }) => label), [
    "kids",
    "media",
    "Without a group",
    "Internet",
    "This router",
  ]);
  const rows = shown(["media"]);
  assert.deepEqual(rows.map(({ label }) => label).slice(1, 4), ["media", "bee", "cat"]);
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
  assert.equal(sizeOf(rows[1]!), 2);
});

Deno.test("a filter finds groups, and devices once whatever their groups", () => {
  assert.deepEqual(shown(["kids", "media"], "bee").map(({ label }) => label), ["bee"]);
  assert.deepEqual(shown([], "kid").map(({ label }) => label), ["kids"]);
  assert.deepEqual(shown([], D).map(({ label }) => label), ["dog"]);
  assert.deepEqual(shown([], "nobody"), []);
});

Deno.test("without groups there are devices alone", () => {
  const rows = partiesOf(MATRIX, { ...names, groups: () => [] }, { open: new Set(), text: "" });
  assert.deepEqual(rows.map(({ label }) => label), [
    ...["ant", "bee", "cat", "dog", "Internet", "This router"],
  ]);
});

Deno.test("a cell of groups says what all of its pairs have, and else that they differ", () => {
  assert.equal(cellOf(MATRIX, party("kids"), party("Internet")).reason, "policy wan");
  const media = cellOf(MATRIX, party("media"), party("Internet"));
  assert.deepEqual([media.word, media.reason], ["yes", "2 different rules"]);
  assert.equal(cellOf(MATRIX, party("Without a group"), party("Internet")).word, "no");
  // bee is in both: two pairs with itself are none.
  assert.equal(partsOf(MATRIX, party("kids"), party("media"))[0]?.pairs, 3);
  assert.equal(cellOf(MATRIX, party("ant"), party("ant")).word, "itself");
  assert.equal(cellOf(MATRIX, party("ant"), party("bee")).word, "no");
});

Deno.test("an access test is about two devices, and about no group and no device with itself", () => {
  assert.deepEqual(endsOf(MATRIX, party("ant"), party("Internet")), { from: A, to: "internet" });
  assert.equal(endsOf(MATRIX, party("kids"), party("Internet")), null);
  assert.equal(endsOf(MATRIX, party("dog"), party("dog")), null);
});

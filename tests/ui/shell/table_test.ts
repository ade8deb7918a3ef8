import assert from "node:assert/strict";
import fc from "fast-check";
import { COLUMNS, type Entry } from "../../../ui/pages/devices/columns.tsx";
import type { Device } from "../../../ui/wire.ts";
import { isPendingApproval } from "../../../ui/text/format.ts";
import { classesOf, type Column, tracks } from "../../../ui/parts/table/column.ts";
import {
  MAX_WHOLE_ROWS,
  pieces,
  rangeAround,
  screenRows,
  widened,
} from "../../../ui/parts/table/row_range.ts";
import { assignSlots, type Slots } from "../../../ui/parts/table/row_slots.ts";
import { hasText } from "../../../ui/parts/table/filter_bar.tsx";
import { keyTarget } from "../../../ui/parts/form/keys.ts";
import {
  parseSort,
  type Sort,
  sortBy,
  sortRows,
  sortText,
  stableOrder,
} from "../../../ui/parts/table/sort.ts";
import { sampleHome, uiDevice } from "../../kit/builders/ui_samples.ts";

const entries = Object.entries(sampleHome(Date.parse("2026-03-01T12:00:00Z")));
const keyOf = ([identity]: Entry): string => identity;
const sorted = (rows: readonly Entry[], sort: Sort | null): readonly Entry[] =>
  sortRows(rows, {
    columns: COLUMNS,
    sort,
    keyOf,
    first: ([, device]) => isPendingApproval(device),
  });

Deno.test("devices pending approval are on top whatever the sort order", () => {
  for (const { name } of COLUMNS) {
    for (const down of [false, true]) {
      const rows = sorted(entries, { column: name, down });
      assert.equal(rows[0]?.[1].Name, "ESP-8C4F21");
      assert.deepEqual(new Set(rows), new Set(entries), "no row is lost or twice");
    }
  }
});

Deno.test("addresses sort by number, and devices without one come last in both directions", () => {
  const list = ["192.168.2.10", "192.168.2.9", ""].map((RecentIP): Entry => [
    RecentIP,
    uiDevice({ RecentIP, Policies: ["wan"] }),
  ]);
  const order = (down: boolean) => sorted(list, { column: "address", down }).map(keyOf);
  assert.deepEqual(order(false), ["192.168.2.9", "192.168.2.10", ""]);
  assert.deepEqual(order(true), ["192.168.2.10", "192.168.2.9", ""]);
});

Deno.test("the last seen device sorts first, and one never seen last", () => {
  const device = (part: Partial<Device>): Device => uiDevice({ Policies: ["wan"], ...part });
  const list: readonly Entry[] = [
    ["never", device({})],
    ["now", device({ Online: true })],
    ["then", device({ DHCPLastTime: "2026-02-01T12:00:00Z" })],
  ];
  assert.deepEqual(sorted(list, { column: "seen", down: false }).map(keyOf), [
    "now",
    "then",
    "never",
  ]);
});

Deno.test("a saved sort order is read back, and an unknown column is ignored", () => {
  const columns: readonly Column<string>[] = [
    { name: "seen", word: "Last seen", cell: (text) => text, sort: (text) => text },
    { name: "on", word: "On", cell: (text) => text },
  ];
  const down = { column: "seen", down: true };
  assert.deepEqual(parseSort(sortText(down), columns), down);
  for (const text of ["<script>", "on", "-on", "-", "", null]) {
    assert.equal(parseSort(text, columns), null);
  }
  assert.deepEqual(sortBy(null, "seen"), { column: "seen", down: false });
  assert.deepEqual(sortBy(sortBy(null, "seen"), "seen"), down);
  assert.deepEqual(sortBy(down, "on"), { column: "on", down: false });
});

Deno.test("rows keep their order while data changes", () => {
  assert.deepEqual(stableOrder(["a", "b", "c"], ["c", "a", "b"]), {
    order: ["a", "b", "c"],
    moved: 3,
  });
  assert.deepEqual(stableOrder(["a", "b"], ["n", "a", "b"]).order, ["a", "b", "n"]);
  assert.deepEqual(stableOrder(["a", "b", "c"], ["a", "c"]), { order: ["a", "c"], moved: 0 });
});

Deno.test("a steady order holds exactly the rows that are wanted", () => {
  const ids = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 12 });
  fc.assert(fc.property(ids, ids, (shown, wanted) => {
    assert.deepEqual(new Set(stableOrder(shown, wanted).order), new Set(wanted));
    assert.equal(stableOrder(shown, wanted).order.length, wanted.length);
  }));
});

Deno.test("the visible range is drawn, and no more than a few screens", () => {
  fc.assert(fc.property(
    fc.integer({ min: 0, max: 20_000 }),
    fc.integer({ min: -900_000, max: 900_000 }),
    fc.integer({ min: 100, max: 3000 }),
    fc.integer({ min: 20, max: 120 }),
    (total, top, screen, rowHeight) => {
      const near = screenRows({ total, top, screen, rowHeight });
      let beyond = 0;
      for (let next = widened(0, total); next !== beyond; next = widened(beyond, total)) {
        const extent = rangeAround(near, beyond, total);
        assert.ok(extent.from >= 0 && extent.to <= total && extent.from <= extent.to);
        const firstSeen = Math.floor(-top / rowHeight);
        const lastSeen = Math.ceil((screen - top) / rowHeight) - 1;
        for (const row of [firstSeen, lastSeen]) {
          if (row < 0 || row >= total) continue;
          assert.ok(extent.from <= row && row < extent.to, `row ${row} of ${total}`);
        }
        beyond = next;
      }
      const extent = rangeAround(near, beyond, total);
      if (total <= MAX_WHOLE_ROWS) return assert.deepEqual(extent, { from: 0, to: total });
      assert.ok(extent.to - extent.from <= screen / rowHeight + 70);
    },
  ));
});

Deno.test("a list that became shorter is drawn at its end before it is scrolled", () => {
  const near = { from: 800, to: 824 };
  assert.deepEqual(rangeAround(near, 0, 300), { from: 276, to: 300 });
  assert.deepEqual(rangeAround(near, 8, 10), { from: 0, to: 10 });
});

Deno.test("drawn rows and their spacers make up the whole table, in order", () => {
  fc.assert(fc.property(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 60 }),
    fc.array(fc.integer({ min: -5, max: 320 }), { maxLength: 4 }),
    (total, from, many, kept) => {
      const extent = { from: Math.min(from, total), to: Math.min(from + many, total) };
      let next = 0;
      const rows = new Set<number>();
      for (const piece of pieces(total, extent, kept)) {
        if ("gap" in piece) {
          assert.ok(piece.gap > 0);
          next += piece.gap;
          assert.equal(piece.before, next);
        } else {
          assert.equal(piece.row, next++);
          rows.add(piece.row);
        }
      }
      assert.equal(next, total);
      for (let row = extent.from; row < extent.to; row++) assert.ok(rows.has(row));
      for (const row of kept) if (row >= 0 && row < total) assert.ok(rows.has(row));
    },
  ));
});

Deno.test("rows that come take the elements of those that go, from the top", () => {
  const first = assignSlots(new Map(), ["a", "b", "c"], "");
  assert.deepEqual([...first], [["a", 0], ["b", 1], ["c", 2]]);
  const sorted = assignSlots(first, ["x", "b", "y", "z"], "");
  assert.deepEqual([...sorted], [["x", 0], ["b", 1], ["y", 2], ["z", 3]]);
  assert.deepEqual(
    [...assignSlots(sorted, ["x", "p", "q"], "b")],
    [["x", 0], ["p", 2], ["q", 3]],
    "the element that had the focus is given to no other row",
  );
});

Deno.test("no two rows have one element, and rows that stay keep theirs", () => {
  const keys = fc.uniqueArray(fc.constantFrom(..."abcdefghij"), { maxLength: 10 });
  fc.assert(fc.property(fc.array(fc.tuple(keys, fc.constantFrom("", "a", "b"))), (turns) => {
    let slots: Slots = new Map();
    for (const [wanted, held] of turns) {
      const next = assignSlots(slots, wanted, held);
      assert.deepEqual([...next.keys()], wanted);
      assert.equal(new Set(next.values()).size, wanted.length);
      for (const [key, slot] of slots) {
        if (next.has(key)) assert.equal(next.get(key), slot);
        else if (key === held) assert.ok(![...next.values()].includes(slot));
      }
      slots = next;
    }
  }));
});

Deno.test("arrow keys move through rows and stop at the ends", () => {
  const keys = ["ArrowDown", "ArrowUp", "Home", "End", "x"];
  assert.deepEqual(keys.map((key) => keyTarget(key, 0, 3)), [1, 0, 0, 2, null]);
  assert.deepEqual(keys.map((key) => keyTarget(key, 2, 3)), [2, 1, 0, 2, null]);
  assert.deepEqual(keys.map((key) => keyTarget(key, -1, 3)), [null, null, null, null, null]);
});

Deno.test("a column that a width has no room for has no track there", () => {
  const columns: readonly Column<string>[] = [
    { name: "a", word: "A", cell: (text) => text },
    { name: "b", word: "B", cell: (text) => text, width: "80px", from: "desk", num: true },
    { name: "c", word: "C", cell: (text) => text, width: "60px", from: "large", phone: "none" },
  ];
  assert.deepEqual(tracks(columns, true), {
    "--large": "44px minmax(0, 1fr) 80px 60px",
    "--desk": "44px minmax(0, 1fr) 80px",
    "--tablet": "44px minmax(0, 1fr)",
  });
  assert.deepEqual(columns.map(classesOf), [
    "c-a on-name",
    "c-b on-line num from-desk",
    "c-c on-none from-large",
  ]);
});

Deno.test("search words match in any order and case, and no word matches everything", () => {
  assert.equal(hasText("Home server 192.168.2.10 lan2", "2.10 HOME"), true);
  assert.equal(hasText("Home server", "home cellar"), false);
  assert.equal(hasText("Home server", "   "), true);
});

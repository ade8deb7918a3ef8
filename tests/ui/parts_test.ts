import assert from "node:assert/strict";
import fc from "fast-check";
import { linePath, peakAt, roundMost } from "../../ui/parts/series.ts";
import { nextTab } from "../../ui/parts/tabs.tsx";
import { keepSame } from "../../ui/keep_same.ts";
import { allOrNone, existing, through, toggled } from "../../ui/parts/table/choice.ts";
import { wifiText } from "../../ui/pages/add_device/wifi_text.ts";
import { outcome } from "../../ui/pages/add_device/joined.ts";
import { currentOf, PLACES } from "../../ui/parts/areas.ts";
import { buildUi } from "../../ui/build.ts";
import { assertAccessible, assertNoSidewaysScroll, DESK, PHONE, picture } from "../kit/browser.ts";
import { onRouter } from "../kit/real_stage.ts";
import { uiDevice } from "../kit/ui_samples.ts";

const DEVELOPMENT = await Deno.makeTempDir({ prefix: "sluice-ui-" });
await buildUi({ development: true, into: DEVELOPMENT });
// The builder keeps a process of its own for a moment.
await new Promise((done) => setTimeout(done, 500));

Deno.test("a line stays in its box, whatever its values are", () => {
  const box = { width: 72, height: 16, most: 10 };
  fc.assert(fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1 }), (values) => {
    const numbers = linePath(values, box).split(/[ML ]/).filter((part) => part !== "").map(Number);
    assert.equal(numbers.length, values.length * 2);
    numbers.forEach((number, at) => assert.ok(number >= 0 && number <= (at % 2 ? 16 : 72)));
  }));
  assert.equal(linePath([0, 10], box), "M0 16L72 0");
});

Deno.test("a scale ends at a round number that nothing exceeds", () => {
  assert.deepEqual([[], [0], [3], [372], [0.04]].map(roundMost), [1, 1, 5, 500, 0.05]);
  assert.equal(peakAt([1, 5, 3, 5]), 1);
  assert.equal(peakAt([]), -1);
});

Deno.test("arrows walk the tabs in a circle", () => {
  assert.deepEqual(
    ["ArrowLeft", "ArrowRight", "Home", "End", "x"].map((key) => nextTab(key, 0, 3)),
    [
      2,
      1,
      0,
      2,
      0,
    ],
  );
});

Deno.test("what says the same stays the same object", () => {
  const before = { a: { x: 1 }, b: { x: 2 } };
  assert.equal(keepSame(before, { a: { x: 1 }, b: { x: 2 } }), before);
  const after = keepSame(before, { a: { x: 1 }, b: { x: 3 } });
  assert.equal(after["a"], before.a);
  assert.deepEqual(after["b"], { x: 3 });
  assert.deepEqual(keepSame(before, { a: { x: 1 } }), { a: { x: 1 } });
});

Deno.test("a choice grows by ranges, and forgets what is gone", () => {
  const order = ["a", "b", "c", "d"];
  const some = toggled(new Set(), "b");
  assert.deepEqual([...through(some, order, "b", "d")], ["b", "c", "d"]);
  assert.deepEqual([...toggled(some, "b")], []);
  assert.deepEqual([...allOrNone(some, order)].sort(), order);
  assert.deepEqual([...allOrNone(new Set([...order, "x"]), order)], ["x"]);
  assert.deepEqual([...existing(new Set(["a", "z"]), { a: 1 })], ["a"]);
});

Deno.test("the text of a Wi-Fi code escapes what means something in it", () => {
  assert.equal(
    wifiText('Har;bour "5"', "a\\b:c,d"),
    'WIFI:T:WPA;S:Har\\;bour \\"5\\";P:a\\\\b\\:c\\,d;;',
  );
});

Deno.test("a password that waits turns into the device that joined with it, or is gone", () => {
  const waiting = {
    identity: "pending-2",
    name: "tv",
    type: "sae",
    password: "x",
    before: new Set(["a"]),
  };
  const tv = uiDevice({ Name: "tv" });
  assert.deepEqual(outcome(waiting, { a: tv, "pending-2": tv }), { state: "waits" });
  assert.deepEqual(outcome(waiting, { a: tv, b: tv }), { state: "joined", identity: "b" });
  assert.deepEqual(outcome(waiting, { a: tv, pending: tv }), { state: "gone" });
});

Deno.test("the current page is marked, and Home only at home", () => {
  assert.equal(currentOf("/admin", "/admin/"), "page");
  assert.equal(currentOf("/admin", "/admin/devices"), undefined);
  assert.equal(currentOf("/admin/devices", "/admin/devices/x"), "true");
  assert.equal(PLACES.filter(({ below }) => below).length, 4, "a phone has room for four and More");
});

Deno.test("the page of parts is in development builds alone", async () => {
  const holds = async (folder: string): Promise<boolean> => {
    for await (const { name } of Deno.readDir(`${folder}/assets`)) {
      if (!name.endsWith(".js")) continue;
      const text = await Deno.readTextFile(`${folder}/assets/${name}`);
      if (text.includes("Every part in every state")) return true;
    }
    return false;
  };
  assert.equal(await holds(DEVELOPMENT), true);
  assert.equal(await holds(new URL("../../ui/dist", import.meta.url).pathname), false);
});

Deno.test("every part is accessible in both colours and widths", async () => {
  try {
    await onRouter({ ui: DEVELOPMENT }, async ({ open }) => {
      for (const [size, dark] of [[DESK, false], [DESK, true], [PHONE, true]] as const) {
        const page = await open({ path: "/admin/ui-parts", size, dark });
        await page.getByRole("heading", { name: "Parts", level: 1 }).waitFor();
        await page.getByRole("tab", { name: "Traffic" }).click();
        await page.keyboard.press("ArrowRight");
        await page.getByText("What belongs to history.").waitFor();
        await page.getByRole("button", { name: "Toast" }).click();
        await page.getByText("joined kids.").waitFor();
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `parts-${size.width}-${dark ? "dark" : "light"}`);
        for (const kind of ["Dialog", "Drawer"]) {
          await page.getByRole("button", { name: kind, exact: true }).click();
          await page.getByRole("dialog").waitFor();
          await assertAccessible(page);
          await page.keyboard.press("Escape");
        }
      }
    });
  } finally {
    await Deno.remove(DEVELOPMENT, { recursive: true });
  }
});

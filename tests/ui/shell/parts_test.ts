import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import {
  areaPath,
  linePath,
  momentTarget,
  peakAt,
  roundMost,
  timeTicks,
} from "../../../ui/parts/chart/series.ts";
import { byLetter, nextTab } from "../../../ui/parts/form/keys.ts";
import { reuseEqual } from "../../../ui/state/reuse_equal.ts";
import { allOrNone, existing, through, toggled } from "../../../ui/parts/table/selection.ts";
import { wifiText } from "../../../ui/pages/devices/add/wifi_qr.ts";
import { joinOutcome } from "../../../ui/pages/devices/add/join_outcome.ts";
import { currentOf, MENU_PAGES } from "../../../ui/shell/menu.ts";
import { buildUi } from "../../../ui/build.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { uiDevice } from "../../kit/builders/ui_samples.ts";

const DEVELOPMENT = await Deno.makeTempDir({ prefix: "sluice-ui-" });
await buildUi({ development: true, into: DEVELOPMENT });
// The builder keeps a process of its own for a moment.
await new Promise((done) => setTimeout(done, 500));
addEventListener("unload", () => Deno.removeSync(DEVELOPMENT, { recursive: true }));
const PARTS = "/admin/ui-parts";

Deno.test("a chart line and its area stay within the box for any values", () => {
  const box = { width: 72, height: 16, most: 10 };
  const value = fc.option(fc.double(), { nil: null });
  fc.assert(fc.property(fc.array(value, { minLength: 1 }), (values) => {
    const known = values.filter((one) => one !== null && !Number.isNaN(one)).length;
    for (const path of [linePath(values, box), areaPath(values, box)]) {
      const numbers = path.split(/[MLZ ]/).filter((part) => part !== "").map(Number);
      numbers.forEach((number, at) => assert.ok(number >= 0 && number <= (at % 2 ? 16 : 72)));
      if (path === linePath(values, box)) assert.equal(numbers.length, known * 2);
    }
  }));
  assert.equal(linePath([0, 10], box), "M0 16L72 0");
  assert.equal(linePath([0, null, 10, 10], box), "M0 16M48 0L72 0", "what is not known is a gap");
  assert.equal(areaPath([10, 10], box), "M0 16L0 0L72 0L72 16Z");
});

Deno.test("a scale ends at a round number that nothing exceeds", () => {
  assert.deepEqual([[], [0], [3], [372], [0.04], [null, 7]].map(roundMost), [
    1,
    1,
    5,
    500,
    0.05,
    10,
  ]);
  assert.equal(roundMost([Infinity]), 1);
  assert.equal(peakAt([1, 5, 3, 5]), 1);
  assert.equal(peakAt([null, null]), -1);
  assert.equal(peakAt([]), -1);
});

Deno.test("axis times are round in local time, few, and within the range", () => {
  const HOUR = 3_600_000;
  const from = Date.UTC(2026, 2, 1);
  const day = timeTicks(from, from + 24 * HOUR, { most: 6, offset: 0 });
  assert.deepEqual(day.moments.map((at) => (at - from) / HOUR), [0, 6, 12, 18, 24]);
  // In a zone that is five and a half hours ahead, midnight is at 18:30 of UTC.
  const week = timeTicks(from, from + 7 * 24 * HOUR, { most: 7, offset: -330 });
  assert.equal(week.days, true);
  assert.deepEqual(week.moments.map((at) => (at - from) / HOUR % 24), Array(7).fill(18.5));
  fc.assert(fc.property(
    fc.integer({ min: 0, max: 4e12 }),
    fc.integer({ min: -10, max: 1e12 }),
    fc.integer({ min: -840, max: 720 }),
    (start, length, offset) => {
      const { moments } = timeTicks(start, start + length, { most: 6, offset });
      assert.ok(moments.length <= 7);
      for (const at of moments) assert.ok(at >= start && at <= start + length);
    },
  ));
});

Deno.test("arrow keys read a chart point by point, and stop at its ends", () => {
  const keys = ["ArrowLeft", "ArrowRight", "PageDown", "PageUp", "Home", "End", "x"];
  assert.deepEqual(keys.map((key) => momentTarget(key, 50, 100)), [49, 51, 40, 60, 0, 99, null]);
  assert.deepEqual(keys.map((key) => momentTarget(key, 0, 1)), [0, 0, 0, 0, 0, 0, null]);
});

Deno.test("a letter in a menu moves to the next item that begins with it", () => {
  const items = ["Rename", "Delete", "Restore"].map((text) => ({ text }));
  assert.equal(byLetter("r", items, 0), 2);
  assert.equal(byLetter("R", items, 2), 0);
  assert.equal(byLetter("x", items, 0), null);
  assert.equal(byLetter("Escape", items, 0), null);
});

Deno.test("arrow keys cycle through the tabs", () => {
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

Deno.test("equal values keep their object identity", () => {
  const before = { a: { x: 1 }, b: { x: 2 } };
  assert.equal(reuseEqual(before, { a: { x: 1 }, b: { x: 2 } }), before);
  const after = reuseEqual(before, { a: { x: 1 }, b: { x: 3 } });
  assert.equal(after["a"], before.a);
  assert.deepEqual(after["b"], { x: 3 });
  assert.deepEqual(reuseEqual(before, { a: { x: 1 } }), { a: { x: 1 } });
});

Deno.test("a selection extends by ranges, and drops rows that are gone", () => {
  const order = ["a", "b", "c", "d"];
  const some = toggled(new Set(), "b");
  assert.deepEqual([...through(some, order, "b", "d")], ["b", "c", "d"]);
  assert.deepEqual([...toggled(some, "b")], []);
  assert.deepEqual([...allOrNone(some, order)].sort(), order);
  assert.deepEqual([...allOrNone(new Set([...order, "x"]), order)], ["x"]);
  assert.deepEqual([...existing(new Set(["a", "z"]), { a: 1 })], ["a"]);
});

Deno.test("a Wi-Fi QR code escapes special characters", () => {
  assert.equal(
    wifiText('Har;bour "5"', "a\\b:c,d"),
    'WIFI:T:WPA;S:Har\\;bour \\"5\\";P:a\\\\b\\:c\\,d;;',
  );
});

Deno.test("a pending password becomes the device that joined with it, or is gone", () => {
  const waiting = {
    identity: "pending-2",
    name: "tv",
    type: "sae",
    password: "x",
    before: new Set(["a"]),
  };
  const tv = uiDevice({ Name: "tv" });
  assert.deepEqual(joinOutcome(waiting, { a: tv, "pending-2": tv }), { state: "waits" });
  assert.deepEqual(joinOutcome(waiting, { a: tv, b: tv }), { state: "joined", identity: "b" });
  assert.deepEqual(joinOutcome(waiting, { a: tv, pending: tv }), { state: "gone" });
});

Deno.test("the current page is marked in the menu, and Home only on its own path", () => {
  assert.equal(currentOf("/admin", "/admin/"), "page");
  assert.equal(currentOf("/admin", "/admin/devices"), undefined);
  assert.equal(currentOf("/admin/devices", "/admin/devices/x"), "true");
  assert.equal(currentOf("/admin/dns", "/admin/dns/lists"), undefined, "the menu lists it itself");
  assert.equal(currentOf("/admin/dns/lists", "/admin/dns/lists"), "page");
  assert.equal(
    MENU_PAGES.filter(({ tab }) => tab !== undefined).length,
    4,
    "a phone has room for four and More",
  );
});

Deno.test("the page of UI parts is in development builds only", async () => {
  const holds = async (folder: string): Promise<boolean> => {
    for await (const { name } of Deno.readDir(`${folder}/assets`)) {
      if (!name.endsWith(".js")) continue;
      const text = await Deno.readTextFile(`${folder}/assets/${name}`);
      if (text.includes("Every part in every state")) return true;
    }
    return false;
  };
  assert.equal(await holds(DEVELOPMENT), true);
  assert.equal(await holds(fileURLToPath(new URL("../../../ui/dist", import.meta.url))), false);
});

Deno.test("every part is accessible in both themes and widths", async () => {
  await onRouter({ ui: DEVELOPMENT }, async ({ open }) => {
    for (const [size, dark] of [[DESK, false], [DESK, true], [PHONE, true]] as const) {
      const page = await open({ path: PARTS, size, dark });
      await page.getByRole("heading", { name: "Parts", level: 1 }).waitFor();
      await page.getByRole("tab", { name: "Traffic" }).click();
      await page.keyboard.press("ArrowRight");
      await page.getByText("What belongs to history.").waitFor();
      await page.getByRole("button", { name: "Toast" }).click();
      await page.getByText("joined kids.").waitFor();
      await page.getByText("Show as table").first().click();
      await page.getByRole("rowheader").first().waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `parts-${size.width}-${dark ? "dark" : "light"}`);
      for (const kind of ["Dialog", "Drawer"]) {
        await page.getByRole("button", { name: kind, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        await assertAccessible(page);
        await page.keyboard.press("Escape");
      }
      await page.getByRole("button", { name: "More acts" }).click();
      await page.getByRole("menu").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await page.keyboard.press("Escape");
      await page.setViewportSize({ width: 320, height: 640 });
      await assertNoSidewaysScroll(page);
    }
  });
});

Deno.test("a menu works by keyboard, and the selected item runs", async () => {
  await onRouter({ ui: DEVELOPMENT }, async ({ open }) => {
    const page = await open({ path: PARTS });
    const button = page.getByRole("button", { name: "More acts" });
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await button.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("End");
    assert.equal(await focused(), "Delete");
    await page.keyboard.press("r");
    assert.equal(await focused(), "Rename");
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    assert.equal(await focused(), "More", "the focus is back at the button");
    assert.equal(await button.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByText("Rename was chosen.").waitFor();
    await page.getByRole("menu").waitFor({ state: "hidden" });
  });
});

Deno.test("a form shows field errors, form errors and conflicts without losing input", async () => {
  await onRouter({ ui: DEVELOPMENT }, async ({ open }) => {
    const page = await open({ path: PARTS });
    const port = page.getByLabel("Port", { exact: true });
    const send = page.getByRole("button", { name: "Keep this port" });
    const answer = (kind: string) => page.getByLabel("What the router answers").selectOption(kind);
    await port.fill("");
    await send.click();
    await page.getByText("This field is required").waitFor();
    assert.equal(await port.getAttribute("aria-invalid"), "true");
    await page.waitForFunction(() => document.activeElement?.matches("[aria-invalid]"));
    await port.fill("22");
    assert.equal(
      await page.getByText("This field is required").count(),
      0,
      "an edit takes it back",
    );

    await answer("field");
    await send.click();
    await page.getByText("Port 443 leads to the router itself").waitFor();
    await assertAccessible(page);
    await answer("rest");
    await send.click();
    await page.getByText("The port was not kept.").waitFor();
    await page.getByText("No buffer space available").waitFor();

    await answer("lost");
    await send.click();
    await page.getByText("Changed by someone else.").first().waitFor();
    await assertAccessible(page);
    assert.equal(await port.inputValue(), "22");
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByText("Port 22 is kept, over what somebody else wrote.").waitFor();
    await send.click();
    await page.getByRole("button", { name: "Load current values" }).click();
    assert.equal(await port.inputValue(), "8443");

    await answer("slow");
    await send.click();
    await page.locator('form[aria-busy="true"]').waitFor();
    assert.equal(await send.getAttribute("aria-disabled"), "true");
    await send.click();
    await page.getByText("Port 8443 is kept.").waitFor();
    await page.locator('form[aria-busy="false"]').first().waitFor();
  });
});

Deno.test("a chart shows the values of a moment to pointer, keyboard and screen readers", async () => {
  await onRouter({ ui: DEVELOPMENT }, async ({ open }) => {
    const page = await open({ path: PARTS });
    const chart = page.getByRole("slider", { name: /Throughput of a day/ });
    const valueText = () => chart.getAttribute("aria-valuetext");
    await chart.focus();
    await page.keyboard.press("Home");
    const first = await valueText();
    assert.match(first ?? "", /^\d\d:\d\d: Down \d+ Mb\/s, Up \d+ Mb\/s$/);
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await valueText(), first);
    await page.keyboard.press("End");
    const last = await valueText();
    const box = await chart.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.waitForFunction(
      (text) => document.querySelector("[role=slider]")?.getAttribute("aria-valuetext") !== text,
      last,
    );
    assert.equal(await chart.getAttribute("aria-valuenow"), "48");
    const gap = page.getByRole("slider", { name: /Answer time/ });
    await gap.focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < 9; step++) await page.keyboard.press("ArrowRight");
    assert.match(await gap.getAttribute("aria-valuetext") ?? "", /Answer time unknown$/);
    await page.getByText("No data yet.").waitFor();
  });
});

Deno.test("a table shows any name as text, sorts, filters, selects, and grows long", async () => {
  await onRouter({ ui: DEVELOPMENT }, async ({ open }) => {
    const page = await open({ path: PARTS });
    const table = page.getByRole("table", { name: "Samples" });
    const first = () => table.locator("tbody [data-row]").first().textContent();
    assert.equal(await first(), "Kids’ tablet");
    await table.getByRole("button", { name: "From" }).click();
    assert.equal(await first(), "<b>Printer</b>");
    assert.equal(await table.locator("b").count(), 0);
    await page.getByLabel("Select Doorbell").check();
    await page.getByText("1 chosen").waitFor();
    await page.getByLabel("Filter samples").fill("مخزن");
    assert.equal(await table.locator("[data-row]").count(), 1);
    await page.getByLabel("Filter samples").fill("nothing like it");
    await page.getByText("Nothing is like “nothing like it”.").waitFor();
    await page.getByLabel("Filter samples").fill("");
    await page.getByRole("button", { name: "Many 1,000" }).click();
    await table.getByRole("link", { name: "Device 0000" }).waitFor();
    assert.ok(await table.locator("[data-row]").count() < 120);
    assert.equal(await table.getAttribute("aria-rowcount"), "1001");
  });
});

import assert from "node:assert/strict";
import type { Page } from "playwright";
import { assertAccessible, PHONE, picture } from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

const MANY = 1000;
/** Rows that are drawn at most of a long table on this screen. */
const NEAR = 100;

/**
 * Does something in the page and waits for the next picture; answers how long that took and which
 * rows had anything drawn in them.
 */
async function measure(
  page: Page,
  what: string,
  act: (argument: string) => void,
  argument = "",
): Promise<{ readonly rows: number; readonly shown: number }> {
  const result = await page.evaluate(
    async ([source, argument]) => {
      const body = document.querySelector("tbody") as HTMLElement;
      const touched = new Set<Node>();
      const watch = new MutationObserver((records) => {
        for (const { target, addedNodes } of records) {
          const row = (target instanceof Element ? target : target.parentElement)?.closest("tr");
          if (row && body.contains(row)) touched.add(row);
          else for (const node of addedNodes) touched.add(node);
        }
      });
      watch.observe(body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      const run = new Function(`return ${source}`)() as (argument: string) => void;
      const start = performance.now();
      run(argument as string);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const took = performance.now() - start;
      await new Promise((done) => setTimeout(done, 300));
      watch.disconnect();
      return { took, rows: touched.size, shown: document.querySelectorAll("tbody tr").length };
    },
    [act.toString(), argument] as const,
  );
  const line = `${what}: ${
    result.took.toFixed(0)
  } ms, ${result.rows} rows drawn, ${result.shown} shown\n`;
  Deno.stdout.writeSync(new TextEncoder().encode(line));
  return result;
}

function type(text: string): void {
  const field = document.querySelector('input[type="search"]') as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

function sortBy(word: string): void {
  const head = [...document.querySelectorAll<HTMLElement>("th .sort")]
    .find((button) => button.textContent?.includes(word));
  head?.click();
}

Deno.test("with 1,000 devices a keystroke, a sort and an event draw only rows near the screen", async () => {
  await onRouter({ files: manyDevices(MANY) }, async ({ open, router }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    await page.getByRole("link", { name: "Device 0000" }).waitFor();
    assert.equal(await page.getByRole("table").getAttribute("aria-rowcount"), String(MANY + 1));
    const first = await measure(page, "filter to 100", type, `"device 01"`);
    assert.ok(first.rows <= 101, "each row is made once, and the room of those that follow");
    // Those beyond the screen follow while the page has nothing else to do.
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 100);
    const second = await measure(page, "filter to 10", type, `"device 012"`);
    assert.equal(second.shown, 10);
    assert.equal(second.rows, 0, "rows that stay are not drawn again");
    const back = await measure(page, "filter emptied", type, "");
    assert.ok(back.shown <= NEAR && back.rows <= NEAR);
    const marked = await page.evaluate(() => {
      const rows = [...document.querySelectorAll<HTMLElement>("tbody [data-key]")]
        .filter((row) => row.getBoundingClientRect().bottom <= innerHeight);
      for (const row of rows) row.dataset["mark"] = "";
      return rows.length;
    });
    const sorted = await measure(page, "sort by groups", sortBy, "Groups");
    assert.ok(sorted.rows <= NEAR);
    const filled = await page.locator("tbody [data-mark]").count();
    assert.equal(filled, marked, "the rows on the screen are filled anew, not made");
    await measure(page, "sort the other way", sortBy, "Groups");
    const touched = page.evaluate(async () => {
      const rows = new Set<Element>();
      const watch = new MutationObserver((records) => {
        for (const { target } of records) {
          const row = (target instanceof Element ? target : target.parentElement)?.closest("tr");
          if (row) rows.add(row);
        }
      });
      watch.observe(document.querySelector("tbody") as HTMLElement, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      await new Promise((done) => setTimeout(done, 1500));
      return rows.size;
    });
    const row = await page.locator("tbody [data-key]").nth(7).getAttribute("data-key");
    const path = `/device?identity=${encodeURIComponent(row ?? "")}`;
    await router.ask("PUT", path, { body: { Name: "Renamed elsewhere" } });
    assert.equal(await touched, 1, "an event draws the one row that it is about");
  });
});

Deno.test("a long list scrolls to its ends by keyboard and wheel, and keeps the focus", async () => {
  await onRouter({ files: manyDevices(MANY) }, async ({ open }) => {
    const page = await open();
    const rows = page.locator("tbody [data-key]");
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.getByRole("link", { name: "Device 0000" }).focus();
    await page.keyboard.press("End");
    await page.getByRole("link", { name: "Device 0999" }).waitFor();
    assert.equal(await focused(), "Device 0999");
    assert.equal(await page.locator("tbody tr").last().getAttribute("aria-rowindex"), "1001");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "Device 0998");
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByRole("link", { name: "Device 0000" }).waitFor();
    assert.equal(await focused(), "Device 0998", "a row with the focus stays though it is far");
    assert.ok(await rows.count() <= NEAR + 1);
    await page.keyboard.press("ArrowUp");
    await page.getByRole("link", { name: "Device 0997" }).waitFor();
    assert.equal(await focused(), "Device 0997");
    for (let step = 0; step < 40; step++) await page.keyboard.press("ArrowUp");
    assert.equal(await focused(), "Device 0957");
    await page.keyboard.press("Home");
    assert.equal(await focused(), "Device 0000");
    await page.keyboard.press("/");
    await page.keyboard.type("0501");
    await page.keyboard.press("ArrowDown");
    assert.equal(await focused(), "Device 0501");
    await assertAccessible(page);
  });
});

Deno.test("several devices are selected by keyboard and edited by one previewed change", async () => {
  await onRouter({ files: manyDevices(40) }, async ({ open, router }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    const device = (number: number) => router.engine.config.devices[mac(number)];
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    await link("Device 0000").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Space");
    const bar = page.getByRole("region", { name: "Selected devices" });
    await bar.getByText("3 devices selected").waitFor();
    await assertAccessible(page);
    await picture(page, "bulk-desk-light");
    const three = Object.entries(router.engine.config.devices)
      .filter(([, { Name }]) => ["Device 0000", "Device 0001", "Device 0002"].includes(Name))
      .map(([identity]) => identity);
    const every = (test: (groups: readonly string[]) => boolean, field: "Groups" | "Policies") =>
      three.every((identity) => test(router.engine.config.devices[identity]?.[field] ?? []));

    await bar.getByRole("button", { name: "Groups" }).click();
    await page.getByRole("button", { name: "Add…" }).click();
    await page.getByText("Enter a name").waitFor();
    await page.getByLabel("Group", { exact: true }).fill("Workshop");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Add…" }).click();
    await page.getByText("3 devices join workshop.").waitFor();
    assert.ok(every((groups) => !groups.includes("workshop"), "Groups"), "nothing moved yet");
    await page.getByRole("button", { name: "Add to 3 devices" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.ok(every((groups) => groups.includes("workshop"), "Groups"));

    await bar.getByRole("button", { name: "Policies" }).click();
    await page.getByLabel("Internet", { exact: true }).check();
    await assertAccessible(page);
    await picture(page, "bulk-policies-desk-light");
    await page.getByRole("button", { name: "Remove…" }).click();
    await page.getByText("3 devices lose Internet.").waitFor();
    await page.getByRole("button", { name: "Remove from 3 devices" }).click();
    await page.getByText("3 devices lose Internet.").waitFor();
    await page.getByRole("dialog", { name: "Preview: Internet" }).waitFor({ state: "detached" });
    assert.ok(every((policies) => !policies.includes("wan"), "Policies"));

    await bar.getByRole("button", { name: "Block" }).click();
    await page.getByRole("button", { name: "Block 3 devices" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.ok(three.every((identity) => router.engine.config.devices[identity]?.DeviceDisabled));
    await bar.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Also deleted: 3 addresses").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Delete 3 devices" }).click();
    await bar.waitFor({ state: "detached" });
    assert.ok(three.every((identity) => router.engine.config.devices[identity] === undefined));
    await page.getByRole("button", { name: "Undo" }).click();
    await link("Device 0000").waitFor();
    assert.ok(device(0) !== undefined);
  });
});

Deno.test("a bulk edit is previewed again after someone else's change", async () => {
  await onRouter({ files: manyDevices(12) }, async ({ open, router }) => {
    const page = await open({ size: PHONE });
    await page.getByLabel("Select Device 0003").check();
    await page.getByLabel("Select Device 0005").check();
    await assertAccessible(page);
    await picture(page, "bulk-phone-light");
    await page.getByRole("button", { name: "Block", exact: true }).click();
    await page.getByText("Who loses access").waitFor();
    const [other] = Object.entries(router.engine.config.devices)
      .find(([, { Name }]) => Name === "Device 0007") ?? [""];
    await router.ask("PUT", `/device?identity=${other}`, { body: { Name: "Another name" } });
    await page.getByRole("button", { name: "Block 2 devices" }).click();
    await page.getByText("Changed by someone else.").waitFor();
    await page.getByRole("button", { name: "Block 2 devices" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.equal(router.engine.config.devices[other]?.Name, "Another name", "it stays");
    const blocked = Object.values(router.engine.config.devices)
      .filter(({ DeviceDisabled }) => DeviceDisabled).map(({ Name }) => Name).sort();
    assert.deepEqual(blocked, ["Device 0003", "Device 0005"]);
  });
});

Deno.test("a list of 100 devices counts its rows until all of them are drawn", async () => {
  await onRouter({ files: manyDevices(100) }, async ({ open }) => {
    const page = await open();
    const list = page.locator("table:not([aria-rowcount])");
    await list.locator("tbody tr").nth(99).waitFor();
    assert.equal(await list.locator("[aria-rowindex]").count(), 0);
    // A page that is never idle draws the rows near the screen alone.
    await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }));
    await page.reload();
    await page.locator('table[aria-rowcount="101"]').waitFor();
    assert.equal(await page.locator("thead tr").getAttribute("aria-rowindex"), "1");
    assert.equal(
      await page.locator("tbody tr[data-key]").first().getAttribute("aria-rowindex"),
      "2",
    );
  });
});

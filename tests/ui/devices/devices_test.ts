import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  onStage,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { reviewEdits } from "../../kit/browser/staged_edits.ts";
import { eventually } from "../../kit/eventually.ts";
import { sampleGroups, sampleHome, sampleId, uiDevice } from "../../kit/builders/ui_samples.ts";

const home = () => ({ devices: sampleHome(Date.now()), groups: sampleGroups, self: sampleId(4) });

Deno.test("the list shows pending devices on top, and keeps filter and facet in the address", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open();
    const rows = page.locator("tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), 16);
    assert.match(await rows.first().textContent() ?? "", /ESP-8C4F21/);
    await assertAccessible(page);
    await picture(page, "devices-desk-light");
    await page.keyboard.press("/");
    await page.keyboard.type("group:kids online");
    assert.deepEqual(await rows.locator("a").allTextContents(), [
      "Game console",
      "Ida’s phone",
      "Kids’ tablet",
    ]);
    assert.match(page.url(), /q=group/);
    await page.getByRole("button", { name: "Blocked 1" }).click();
    await page.getByRole("heading", { name: "No matches" }).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Remove “online”" }).click();
    assert.deepEqual(await rows.locator("a").allTextContents(), ["Old tablet"]);
    await page.reload();
    await rows.first().waitFor();
    assert.deepEqual(await rows.locator("a").allTextContents(), ["Old tablet"]);
  });
});

Deno.test("the list: arrow keys move, Enter opens a device, back returns", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open();
    await page.locator("tbody tr").first().waitFor();
    // A page that has just been drawn hears keys a moment later.
    await eventually("the filter has the keys", async () => {
      await page.keyboard.press("/");
      assert.equal(await page.locator("input[type=search]:focus").count(), 1);
    });
    await page.keyboard.press("ArrowDown");
    await page.locator("[data-row]:focus").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator("[data-row]:focus", { hasText: "Bathroom scale" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Bathroom scale", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Devices", level: 1 }).waitFor();
  });
});

Deno.test("Ctrl K opens a device by a few letters, Esc closes the palette", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open();
    await page.locator("tbody tr").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("server");
    await page.getByRole("option", { name: /^Home server/ }).waitFor();
    await assertAccessible(page);
    await picture(page, "palette-desk-light");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home server", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Go to" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Go to" }).waitFor({ state: "detached" });

    // The row that had the focus has it again, but not once its element shows another device.
    await page.goto(new URL("/admin/devices", page.url()).href);
    const link = page.locator("tbody [data-row]").first();
    const focus = () => page.evaluate(() => document.activeElement?.id || "row");
    for (const [key, focused] of [["", "row"], ["another", "main"]] as const) {
      await link.focus();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Go to" }).waitFor();
      await link.evaluate((element, key) => {
        const row = element.closest<HTMLElement>("[data-key]")!;
        if (key !== "") row.dataset["key"] = key;
      }, key);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Go to" }).waitFor({ state: "detached" });
      assert.equal(await focus(), focused);
    }
  });
});

Deno.test("the list: a sort order is announced to screen readers and saved", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open();
    const head = page.getByRole("columnheader", { name: "IP address" });
    await head.getByRole("button").click();
    await head.getByRole("button").click();
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    await page.reload();
    await head.waitFor();
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    assert.match(await page.locator("tbody tr").nth(1).textContent() ?? "", /192\.168\.2\.198/);
  });
});

Deno.test("the list: an event updates a row in place, and a chip offers to sort again", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    const rows = page.locator("tbody tr a");
    assert.equal(await rows.nth(1).textContent(), "Bathroom scale");
    api.touch(sampleId(12), { Name: "Zebra scale", Online: true });
    await page.getByRole("link", { name: "Zebra scale" }).waitFor();
    assert.equal(await rows.nth(1).textContent(), "Zebra scale");
    await page.getByRole("button", { name: /moved. Sort again/ }).click();
    assert.equal(await rows.last().textContent(), "Zebra scale");
  });
});

Deno.test("the list: a lost connection is shown, and it reconnects by itself", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    api.drop();
    await page.getByText("Reconnecting").first().waitFor();
    await page.getByText("Live").waitFor();
  });
});

Deno.test("hostile names are text on the list, the page, the preview and the toast", async () => {
  const evil = `<img src=x onerror=alert(1)>‮txt`;
  const id = "02:00:5e:00:53:01";
  const devices = { [id]: uiDevice({ Name: evil, MAC: id, Policies: ["wan"], Groups: ["<b>g"] }) };
  await onStage({ devices }, async ({ open }) => {
    const page = await open();
    page.on("dialog", () => assert.fail("a name ran as script"));
    await page.getByRole("link", { name: "<img src=x" }).click();
    await page.getByRole("heading", { name: "<img src=x", level: 1 }).waitFor();
    await page.getByRole("switch", { name: "Internet", exact: true }).click();
    await reviewEdits(page);
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.equal(await page.locator("#app img").count(), 0);
    await assertAccessible(page);
  });
});

Deno.test("very long names fit a phone on every page", async () => {
  const id = "02:00:5e:00:53:01";
  const group = "g".repeat(64);
  const device = { Name: "A".repeat(250), MAC: id, Groups: [group], DeviceTags: [group] };
  const devices = { [id]: uiDevice({ ...device, Policies: ["wan"], RecentIP: "192.168.100.254" }) };
  const groups = [{ Name: group, Disabled: true, GroupTags: [] }];
  await onStage({ devices, groups }, async ({ open }) => {
    const page = await open({ size: PHONE });
    const fits = async (path: string, sign: string) => {
      await page.goto(new URL(path, page.url()).href);
      await page.locator(sign).first().waitFor();
      await assertNoSidewaysScroll(page);
    };
    await fits("/admin/devices", "tbody tr");
    await fits("/admin/groups", ".rows li");
    await fits(`/admin/devices/${encodeURIComponent(id)}`, ".pills li");
    await page.getByRole("switch", { name: "Internet", exact: true }).click();
    await reviewEdits(page);
    await page.getByText("Who loses access").waitFor();
    await assertNoSidewaysScroll(page);
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await assertNoSidewaysScroll(page);
    await fits("/admin/changes", ".log a");
    await page.locator(".log a").first().click();
    await page.locator(".detail .diff").waitFor();
    await assertNoSidewaysScroll(page);
  });
});

Deno.test("on a phone every page fits its width and keeps its names whole", async () => {
  await onStage(home(), async ({ open }) => {
    for (const dark of [false, true]) {
      const tone = dark ? "dark" : "light";
      const page = await open({ size: PHONE, dark });
      await page.getByRole("link", { name: "Kids’ tablet" }).waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `devices-phone-${tone}`);
      await page.getByRole("link", { name: "Kids’ tablet" }).click();
      await page.getByRole("switch", { name: "Internet", exact: true }).waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `device-phone-${tone}`);
      await page.getByRole("switch", { name: "Internet", exact: true }).click();
      await reviewEdits(page);
      await page.getByText("Who loses access").waitFor();
      await assertNoSidewaysScroll(page);
      await assertAccessible(page);
      await picture(page, `preview-phone-${tone}`);
      await page.getByRole("button", { name: "Cancel" }).click();
      for (
        const [name, link, heading] of [
          ["groups", "Groups", "Groups"],
          ["changes", "Change history", "Change history"],
          ["access", "Account and tokens", "Account and tokens"],
        ] as const
      ) {
        const below = page.getByRole("navigation", { name: "Areas, below" });
        await below.getByRole("button", { name: "More" }).click();
        await below.getByRole("link", { name: link }).click();
        await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `${name}-phone-${tone}`);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      await assertNoSidewaysScroll(page);
    }
  });
});

Deno.test("an empty device list is explained", async () => {
  await onStage({ devices: {} }, async ({ open }) => {
    const page = await open();
    await page.getByRole("heading", { name: "No devices yet" }).waitFor();
    await assertAccessible(page);
  });
});

import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { press } from "../../kit/browser/keyboard.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { editsApplied, reviewEdits } from "../../kit/browser/staged_edits.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("edits of a device are staged, reviewed together and applied as one change", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const device = () => router.engine.config.devices[demoId(1)]!;
    const before = device();
    const path = `/admin/devices/${encodeURIComponent(demoId(1))}`;
    const page = await open({ path, size: { ...DESK, width: 1440 } });
    const toggle = (name: string) => page.getByRole("switch", { name, exact: true });

    await toggle("Internet").click();
    await toggle("LAN access").click();
    await page.getByRole("button", { name: "Leave group kids" }).click();
    await page.getByText("Internet off, LAN access on, leaves kids").waitFor();
    assert.equal(device(), before, "nothing is applied yet");
    await toggle("LAN access").click();
    await page.getByRole("button", { name: "Review 2 changes" }).waitFor();
    await toggle("LAN access").click();
    await assertAccessible(page);
    await picture(page, "staged-desk-light");
    await reviewEdits(page);
    const drawer = page.getByRole("dialog", { name: "Preview: 3 changes" });
    await drawer.getByText("Who gains access").waitFor();
    assert.equal(
      await drawer.getByText('"Policies"').first().isVisible(),
      false,
      "details are folded",
    );
    await assertAccessible(page);
    await picture(page, "staged-preview-desk-light");
    await page.keyboard.press("Enter");
    await editsApplied(page);
    assert.deepEqual(device().Groups, []);
    assert.deepEqual(device().Policies.toSorted(), ["dns", "dns:family", "lan", "noapi"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Leave group kids" }).waitFor();
    assert.deepEqual(device(), before);

    // By keyboard alone: flip, review and confirm.
    await press(page, toggle("DNS"), "Space");
    await page.getByRole("button", { name: "Review 1 change" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog").getByText("Internet access without DNS").waitFor();
    await page.keyboard.press("Control+Enter");
    await editsApplied(page);
    assert.ok(!device().Policies.includes("dns"));

    // What takes access from nobody may be applied at once.
    await page.getByLabel("Apply at once when nobody loses access").check();
    await toggle("DNS").click();
    await page.getByText("can use this router's resolver.").waitFor();
    await editsApplied(page);
    assert.ok(device().Policies.includes("dns"));
    await toggle("Internet").click();
    await page.getByRole("button", { name: "Review 1 change" }).waitFor();

    const phone = await open({ path, size: PHONE, dark: true });
    await phone.getByRole("switch", { name: "Internet", exact: true }).click();
    await phone.getByRole("button", { name: "Review 1 change" }).waitFor();
    await assertNoSidewaysScroll(phone);
    await assertAccessible(phone);
    await picture(phone, "staged-phone-dark");
  });
});

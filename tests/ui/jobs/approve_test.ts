import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press } from "../../kit/browser/keyboard.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("a device is approved from Home, the list, its page and several at once", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const join = async (number: number) => {
      const body = { MAC: demoId(number), Iface: "lan1", Name: `plug-${number}` };
      await (await router.inside("dhcp", "PUT", "/dhcpRequest", body)).body?.cancel();
    };
    const device = (number: number) => router.engine.config.devices[demoId(number)]!;
    const page = await open({ path: "/admin" });
    const sheet = page.getByRole("dialog", { name: /^Approve/ });

    // By mouse.
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "Approve ESP-8C4F21" }));
    await sheet.getByRole("region", { name: "Who gains access" }).getByText("Internet").waitFor();
    await assertAccessible(page);
    await picture(page, "approve-desk-light");
    await clicks.on(sheet.getByRole("button", { name: "Approve", exact: true }));
    await page.getByText("is approved: Internet + DNS.").waitFor();
    clicks.atMost(3);
    assert.deepEqual(device(12).Policies, ["wan", "dns", "noapi"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Approve ESP-8C4F21" }).waitFor();

    // By keyboard.
    await press(page, page.getByRole("button", { name: "Approve ESP-8C4F21" }));
    await sheet.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("is approved: Local only.").waitFor();
    assert.deepEqual(device(12).Policies, ["dns", "noapi"]);

    // Several at once; blocked is a decision, too.
    await join(13);
    await join(14);
    await page.getByRole("button", { name: "Approve all…" }).click();
    await sheet.getByText("plug-13, plug-14").waitFor();
    await sheet.getByLabel("Blocked").check();
    await sheet.getByRole("button", { name: "Block 2 devices" }).click();
    await page.getByRole("heading", { name: "All good" }).waitFor();
    assert.ok(device(13).DeviceDisabled && device(14).DeviceDisabled);
    await join(13);
    assert.equal(await page.getByRole("button", { name: /^Approve/ }).count(), 0);

    // On a phone, with a name, an icon, a group and an end.
    await join(15);
    const phone = await open({ path: "/admin/devices", size: PHONE, dark: true });
    await phone.getByRole("button", { name: "Approve… plug-15" }).click();
    await phone.getByLabel("Name").fill("Desk lamp");
    await phone.getByLabel("Icon").selectOption("Sensor");
    await phone.getByLabel("Guest").check();
    await phone.getByRole("combobox", { name: "Group" }).fill("Lights");
    await phone.getByRole("region", { name: "Who gains access" }).getByText("Internet").waitFor();
    await assertNoSidewaysScroll(phone);
    await assertAccessible(phone);
    await picture(phone, "approve-phone-dark");
    await phone.getByRole("button", { name: "Approve", exact: true }).click();
    await phone.getByText("is approved: Guest.").waitFor();
    const { Name, Style, Groups, DeviceExpiration } = device(15);
    assert.deepEqual([Name, Style.Icon, Groups], ["Desk lamp", "sensor", ["lights"]]);
    assert.ok(DeviceExpiration > 0);
  });
});

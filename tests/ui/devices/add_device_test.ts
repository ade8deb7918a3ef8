import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  onStage,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import type { TestRouter } from "../../kit/router.ts";

/** Lets a station join with a password that waits, as hostapd would tell. */
async function associate(router: TestRouter, mac: string, keyId: string): Promise<void> {
  const body = {
    MAC: mac,
    Iface: "wlan0",
    Event: "AP-STA-CONNECTED",
    Status: "Okay",
    KeyID: keyId,
  };
  const answer = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", body);
  assert.equal(answer.status, 200, await answer.text());
}

Deno.test("a Wi-Fi device gets its own password, a QR code, and is shown as soon as it joins", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: "/admin/devices/add" });
    await page.getByText("Live").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Hallway display");
    await page.getByLabel("Groups").fill("Automation");
    await page.getByRole("button", { name: "Generate password" }).click();
    await page.getByText("Waiting for the device to join.").waitFor();
    await page.getByLabel("Network name").fill('Har;bour "5"');
    await page.getByRole("img", { name: /QR code to join/ }).waitFor();
    const device = router.engine.config.devices["pending"];
    assert.equal(device?.PSKEntry.Type, "sae");
    assert.equal(await page.locator(".secret").innerText(), device?.PSKEntry.Psk);
    assert.deepEqual(device?.Policies.toSorted(), ["dns", "noapi", "wan"]);
    assert.deepEqual(device?.Groups, ["automation"]);
    await assertAccessible(page);
    await picture(page, "add-device-desk-light");

    await page.getByRole("button", { name: "Generate new password" }).click();
    await page.getByText("has a new password.").waitFor();
    const renewed = router.engine.config.devices["pending"]?.PSKEntry.Psk;
    assert.notEqual(renewed, device?.PSKEntry.Psk);
    assert.equal(await page.locator(".secret").innerText(), renewed);

    await page.getByLabel("Name", { exact: true }).fill("Old printer");
    await page.getByText("WPA2", { exact: true }).click();
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Generate password" }).click();
    await page.getByText("Use 8 to 63 plain ASCII").waitFor();
    await page.getByLabel("Password", { exact: true }).fill("my own: words");
    await page.getByRole("button", { name: "Generate password" }).click();
    await page.getByRole("heading", { name: "Join with Old printer" }).waitFor();
    await page.getByRole("heading", { name: "Waiting to join" }).waitFor();
    const second = router.engine.config.devices["pending-2"]?.PSKEntry;
    assert.deepEqual(second, { Type: "wpa2", Psk: "my own: words" });

    const mac = "02:00:5e:00:53:44";
    await associate(router, mac, "pending-2");
    await page.getByText("Connected.").waitFor();
    await assertAccessible(page);
    await page.getByRole("link", { name: "View device" }).click();
    await page.getByRole("heading", { name: "Old printer", level: 1 }).waitFor();
    assert.equal(router.engine.config.devices["pending"]?.Name, "Hallway display");
    await page.goBack();
    await page.getByRole("button", { name: "Delete Hallway display" }).click();
    await page.getByText("its own Wi-Fi password").waitFor();
    await page.getByRole("button", { name: "Delete device" }).click();
    await page.getByRole("heading", { name: "Waiting to join" }).waitFor({ state: "detached" });
  });
});

Deno.test("a device is added by its MAC address by keyboard, and never twice", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: "/admin/devices/add?by=mac" });
    await page.getByLabel("MAC address", { exact: true }).focus();
    await page.keyboard.type("nonsense");
    await page.keyboard.press("Enter");
    await page.getByText("Enter a valid MAC address").waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("02-00-5E-00-53-99");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Label printer");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Label printer", level: 1 }).waitFor();
    assert.deepEqual(
      router.engine.config.devices["02:00:5e:00:53:99"]?.Policies.toSorted(),
      ["dns", "noapi"],
    );
    await page.goto(new URL("/admin/devices/add?by=mac", page.url()).href);
    await page.getByLabel("MAC address", { exact: true }).fill("02:00:5e:00:53:99");
    await page.getByText("already has this MAC address").waitFor();
    await assertAccessible(page);
  });
});

Deno.test("adding a device fits a phone in the dark theme", async () => {
  await onStage({ devices: {} }, async ({ open }) => {
    const page = await open({ path: "/admin/devices/add", size: PHONE, dark: true });
    await page.getByRole("button", { name: "Generate password" }).waitFor();
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, "add-device-phone-dark");
    await page.setViewportSize({ width: 320, height: 640 });
    await assertNoSidewaysScroll(page);
  });
});

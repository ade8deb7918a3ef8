import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { CLIENT, FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import { otpOf } from "../../kit/otp.ts";

const { mac } = CLIENT;
const PATH = `/admin/devices/${encodeURIComponent(mac)}?tab=details`;
const PASSWORD = "only for this phone";

Deno.test("a device's page shows its radio and signal live, and its password with a code", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const query = new URLSearchParams({ identity: mac });
    const body = { Name: "Phone", MAC: mac, PSKEntry: { Type: "sae", Psk: PASSWORD } };
    await router.json("PUT", `/device?${query}`, { body });
    const { "x-jwt-otp": jwt } = await otpOf(router);
    for (const { size, dark } of LOOKS) {
      wifid.clients = [];
      const page = await open({ path: PATH, size, dark, signIn: true });
      const panel = page.getByRole("region", { name: "Wi-Fi" });
      await panel.getByText("Not connected").waitFor();
      wifid.clients = [CLIENT];
      const report = {
        items: [{
          ...{ name: "wlan0", state: "enabled", channel: 36, frequency: 5180 },
          ...{ problem: "", waiting: dark ? "pending" : "" },
        }],
        present: ["wlan0"],
      };
      await router.inside("wifi", "PUT", "/radios", report);
      await panel.getByText("-52 dBm, good").waitFor();
      await panel.getByText("wlan0, 5 GHz").waitFor();
      await panel.getByText("8 %, 2 frames lost").waitFor();
      assert.ok(!(await page.content()).includes(PASSWORD));
      await page.evaluate((token) => sessionStorage.setItem("sluice.otp", token), jwt!);
      await panel.getByRole("button", { name: "Show password and QR code" }).click();
      assert.equal(await panel.locator(".secret").innerText(), PASSWORD);
      await panel.getByRole("img", { name: /QR code to join/ }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      const name = `device-wifi-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
      await picture(page, name);
      await panel.getByRole("button", { name: "Hide" }).click();
      await panel.getByRole("button", { name: "Show password and QR code" }).waitFor();
      assert.ok(!(await page.content()).includes(PASSWORD));
      await page.close();
    }
  });
});

Deno.test("the password of a device is shown to nobody without a code", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using _wifid = await new FakeWifid().listen(router.home);
    const query = new URLSearchParams({ identity: mac });
    const body = { Name: "Phone", MAC: mac, PSKEntry: { Type: "wpa2", Psk: PASSWORD } };
    await router.json("PUT", `/device?${query}`, { body });
    await otpOf(router);
    const page = await open({ path: PATH });
    await page.getByRole("button", { name: "Show password and QR code" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Showing it requires a code.").waitFor();
    assert.ok(!(await page.content()).includes(PASSWORD));
  });
});

Deno.test("a wired device has no Wi-Fi on its page", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using _wifid = await new FakeWifid().listen(router.home);
    const query = new URLSearchParams({ identity: mac });
    await router.json("PUT", `/device?${query}`, { body: { Name: "Server", MAC: mac } });
    const page = await open({ path: PATH });
    await page.getByRole("region", { name: "Identity" }).waitFor();
    assert.equal(await page.getByRole("region", { name: "Wi-Fi" }).count(), 0);
  });
});

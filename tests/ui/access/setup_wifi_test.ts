import assert from "node:assert/strict";
import type { Page } from "playwright";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";

const PHONE_MAC = "02:00:5e:00:53:44";
const GUIDE = { path: "/admin/setup" };

const title = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** A router with an uplink and a radio, whose network counts as applied. */
function onRadio(
  interfaces: readonly unknown[],
  test: (stage: RealStage) => Promise<void>,
): Promise<void> {
  const host = memoryHost({ links: ["wan0", "lan0", "wlan0"] });
  return onRouter({
    files: { "base/interfaces.json": interfaces },
    host: Object.defineProperty(host, "kind", { value: "linux" }),
  }, test);
}

const WAN = {
  ...{ Name: "wan0", Type: "Uplink", Enabled: true, DisableDHCP: true },
  ...{ IP: "203.0.113.2/24", Router: "203.0.113.1" },
};
const LAN = { Name: "lan0", Type: "Downlink", Enabled: true };

Deno.test("the guide turns a radio on before its tools are there, without any LAN port", async () => {
  await onRadio([WAN], async ({ open, router }) => {
    const page = await open(GUIDE);
    await title(page, "LAN ports");
    await page.getByRole("checkbox", { name: "lan0", exact: true }).uncheck();
    await button(page, "Start network").click();
    await page.getByText("Select at least one interface").waitFor();
    await page.getByRole("checkbox", { name: "wlan0" }).check();
    await button(page, "Start network").click();
    await page.getByText("Enter a name").waitFor();
    await page.getByLabel("Wi-Fi name").fill("Our home");
    await page.getByLabel("Country").fill("de");
    await assertAccessible(page);
    await button(page, "Start network").click();
    await title(page, "First device");
    const { interfaces, radios } = router.engine.config;
    assert.deepEqual(interfaces.map(({ Name, Type }) => [Name, Type]), [
      ["wan0", "Uplink"],
      ["wlan0", "AP"],
    ]);
    const { ssid, country_code, hw_mode, channel } = radios["wlan0"]!;
    // Every adapter has this channel, and every country permits it.
    assert.deepEqual([ssid, country_code, hw_mode, channel], ["Our home", "DE", "g", 1]);
  });
});

Deno.test("the guide offers a radio, then a password that the first phone scans", async () => {
  for (const { size, dark } of LOOKS) {
    await onRadio([WAN, LAN], async ({ open, router }) => {
      await using wifid = await new FakeWifid().listen(router.home);
      const page = await open({ ...GUIDE, size, dark });
      const look = `${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
      await title(page, "First device");
      const radio = page.getByRole("region", { name: "Turn on Wi-Fi" });
      await radio.getByRole("checkbox", { name: "wlan0" }).waitFor();
      await radio.getByLabel("Wi-Fi name").fill("Our home");
      await radio.getByLabel("Country").selectOption("US");
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `guide-radio-${look}`);
      wifid.complaint = "Could not determine operating frequency";
      await button(page, "Turn on Wi-Fi").click();
      await radio.getByText("Could not determine operating frequency").waitFor();
      assert.deepEqual(router.engine.config.radios, {}, "nothing was decided");
      wifid.complaint = "";
      await button(page, "Turn on Wi-Fi").click();
      const join = page.getByRole("region", { name: "Join by Wi-Fi" });
      await join.getByLabel("Name").fill("My phone");
      assert.equal(router.engine.config.radios["wlan0"]?.ssid, "Our home");
      await assertAccessible(page);
      await button(page, "Show QR code").click();
      await page.getByRole("img", { name: /QR code to join/ }).waitFor();
      await page.getByText("Waiting for the device to join.").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `guide-qr-${look}`);
      const body = { MAC: PHONE_MAC, Iface: "wlan0", Event: "AP-STA-CONNECTED", KeyId: "pending" };
      const report = await router.inside("wifi", "PUT", "/reportPSKAuthSuccess", body);
      assert.equal(report.status, 200);
      await page.getByText("Connected.").waitFor();
      const device = router.engine.config.devices[PHONE_MAC];
      assert.deepEqual([device?.Name, device?.Policies], ["My phone", ["wan", "dns", "noapi"]]);
    });
  }
});

Deno.test("the guide says nothing of Wi-Fi on a machine without a radio", async () => {
  await onRadio([WAN, LAN], async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    wifid.items = [];
    const page = await open(GUIDE);
    await title(page, "First device");
    await page.getByText("Waiting for a device").waitFor();
    assert.equal(await page.getByRole("region", { name: /Wi-Fi/ }).count(), 0);
  });
});

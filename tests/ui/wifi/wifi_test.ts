import assert from "node:assert/strict";
import { CLIENT, FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

const WIFI = "/admin/wifi";

Deno.test("a radio is turned on, named and given a channel that the country permits", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    const page = await open({ path: WIFI });
    await page.getByRole("switch", { name: "Access point wlan0" }).click();
    await page.getByText("becomes an access point").waitFor();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.locator('[aria-label="Access point wlan0"][aria-checked="true"]').waitFor();
    await page.getByRole("button", { name: "Settings of wlan0" }).click();
    await page.getByLabel("Network name").fill("Our home");
    await page.getByLabel("Band").selectOption("2.4");
    const channels = page.getByLabel("Channel", { exact: true });
    await channels.selectOption("1");
    assert.deepEqual(
      await channels.locator("option").allTextContents(),
      ["Automatic", "1 (2412 MHz)"],
      "what the country permits and the radio has",
    );
    await page.getByText("Up to 30 dBm").waitFor();
    assert.equal(await page.getByLabel("Offer clients another radio").isChecked(), true);
    await page.getByLabel("Offer clients another radio").uncheck();
    await assertAccessible(page);
    await picture(page, "wifi-radio");
    wifid.complaint = "Could not determine operating frequency";
    await page.getByRole("button", { name: "Preview settings" }).click();
    await page.getByText("Could not determine operating frequency").waitFor();
    wifid.complaint = "";
    await page.getByRole("button", { name: "Preview settings" }).click();
    await page.getByText("starts anew with these settings").waitFor();
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByRole("button", { name: "Keep changes" }).click();
    const settings = await router.json<Record<string, unknown>>("GET", "/hostapd/wlan0/config");
    assert.equal(settings.ssid, "Our home");
    assert.equal(settings.hw_mode, "g");
    assert.equal(settings.channel, 1);
    assert.equal(settings.bss_transition, 0);
  });
});

Deno.test("an additional network is added, edited with its password kept, and deleted", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using _wifid = await new FakeWifid().listen(router.home);
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const network = () =>
      router.engine.config.interfaces.find(({ Name }) => Name === "wlan0")!.ExtraBSS[0];
    const page = await open({ path: WIFI });
    await page.getByRole("tab", { name: "Networks" }).click();
    await page.getByText("sluice-wlan0").waitFor();
    await page.getByRole("button", { name: "Add network" }).click();
    await page.getByLabel("Network name").fill("Guests");
    await page.getByRole("button", { name: "Preview network" }).click();
    await page.getByText("Use 8 to 63 printable ASCII characters").waitFor();
    await page.getByLabel("Password for all").fill("come in, friend");
    await page.getByRole("button", { name: "Preview network" }).click();
    await page.getByRole("button", { name: "Save network" }).click();
    await page.getByText("WPA2 and WPA3, one password for all").waitFor();
    assert.equal(network()!.GuestPassword, "come in, friend");
    await page.getByRole("button", { name: "Edit Guests" }).click();
    await page.getByLabel("Network name").fill("Visitors");
    await page.getByRole("button", { name: "Preview network" }).click();
    await page.getByRole("button", { name: "Save network" }).click();
    await page.getByRole("button", { name: "Delete Visitors" }).waitFor();
    assert.equal(network()!.GuestPassword, "come in, friend");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Delete Visitors" }).click();
    await page.getByRole("button", { name: "Delete network" }).click();
    await page.getByRole("button", { name: "Edit Visitors" }).waitFor({ state: "detached" });
    assert.equal(network(), undefined);
  });
});

Deno.test("clients are listed with their signal, rates and retries, on desktop and phone", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    await router.ask("PUT", "/hostapd/wlan0/enable");
    wifid.clients.push(CLIENT);
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: WIFI, size, dark, signIn: true });
      await page.getByRole("tab", { name: "Clients" }).click();
      await page.getByText("-52 dBm").waitFor();
      if (size !== PHONE) {
        await page.getByText("867 / 6 Mbit/s").waitFor();
        await page.getByText("8 %", { exact: true }).waitFor();
      }
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `wifi-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
  });
});

Deno.test("a radio that was plugged in is listed at once, also one that has another's name", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using wifid = await new FakeWifid().listen(router.home);
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const report = (state: string, problem: string, present: readonly string[]) =>
      router.inside("wifi", "PUT", "/radios", {
        items: [{ name: "wlan0", state, channel: 0, frequency: 0, problem, waiting: "" }],
        present,
      });
    const page = await open({ path: WIFI });
    await page.getByText("Live").waitFor();
    await page.getByText("wlan0", { exact: true }).waitFor();
    wifid.items = [...wifid.items, { ...wifid.items[0]!, name: "wlan1", phy: "phy1" }];
    await report("enabled", "", ["wlan0", "wlan1"]);
    await page.getByRole("switch", { name: "Access point wlan1" }).waitFor();
    await report("renamed", "wlan1", ["wlan0", "wlan1"]);
    await page.getByText("it was wlan1 before").waitFor();
    await assertAccessible(page);
    await picture(page, "wifi-renamed");
  });
});

Deno.test("without the Wi-Fi service the page says so", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: WIFI });
    await page.getByText("The radios are not available.").waitFor();
    await page.getByText("does not run").waitFor();
    await assertAccessible(page);
  });
});

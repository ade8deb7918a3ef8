import assert from "node:assert/strict";
import { FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { endOf, spanOptions } from "../../../ui/pages/wifi/guest_actions.ts";

const WIFI = "/admin/wifi";

Deno.test("how long guests may stay is a time that is chosen, or the one that stands", () => {
  const now = 1_000_000_000_000;
  assert.equal(endOf("none", now, 7), 0);
  assert.equal(endOf("4h", now, 7), 1_000_014_400);
  assert.equal(endOf("kept", now, 7), 7);
  assert.deepEqual(spanOptions("")[0], ["none", "Until I turn it off"]);
  assert.deepEqual(spanOptions("Until noon")[0], ["kept", "Until noon"]);
});

Deno.test("the guest network is turned on, its code shown, and turned off", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using _wifid = await new FakeWifid().listen(router.home);
    const network = () =>
      router.engine.config.interfaces.find(({ Name }) => Name === "wlan0")!.ExtraBSS[0];
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const page = await open({ path: WIFI });
    await page.getByRole("tab", { name: "Guests" }).click();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByLabel("Password for all guests").fill("short");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("8 to 63").first().waitFor();
    await page.getByLabel("Password for all guests").fill("");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("is a network for guests").waitFor();
    await page.getByRole("button", { name: "Turn on" }).last().click();
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    assert.equal(network()!.Ssid, "Guests");
    await page.getByText(network()!.GuestPassword, { exact: true }).waitFor();
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("heading", { name: "Guest network" }).isVisible(), false);
    assert.equal(await page.getByRole("img", { name: /QR code/ }).isVisible(), true);
    await page.emulateMedia({ media: "screen" });
    // Later it takes a code.
    await page.reload();
    await page.getByRole("tab", { name: "Guests" }).click();
    await page.getByRole("button", { name: "Show QR code" }).click();
    await page.getByRole("heading", { name: "Verify" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Showing it requires a code").waitFor();
    await page.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("goes off the air").waitFor();
    await page.getByRole("button", { name: "Turn off" }).last().click();
    await page.getByText("A second Wi-Fi for visitors").waitFor();
    assert.equal(network(), undefined);
  });
});

Deno.test("each guest gets a password of its own, on desktop and phone", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using _wifid = await new FakeWifid().listen(router.home);
    await router.ask("PUT", "/hostapd/wlan0/enable");
    const body = { Name: "Gäste 😀", Passwords: "guest", Until: 4_000_000_000 };
    const put = await router.ask("PUT", "/wifi/guests", { body });
    assert.equal(put.status, 200, await put.text());
    let count = 0;
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: WIFI, size, dark, signIn: true });
      await page.getByRole("tab", { name: "Guests" }).click();
      await page.getByRole("button", { name: "Password for a guest" }).click();
      await page.getByRole("button", { name: "Generate password" }).click();
      await page.getByText("Enter a name").waitFor();
      await page.getByLabel("Name of the guest").fill(`Guest <b>${++count}`);
      await page.getByRole("button", { name: "Generate password" }).click();
      await page.getByRole("img", { name: /QR code/ }).waitFor();
      await page.getByRole("link", { name: `Guest <b>${count}` }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `guests-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
    const passes = Object.values(router.engine.config.devices)
      .filter(({ DeviceTags }) => DeviceTags.includes("guest"));
    assert.equal(new Set(passes.map(({ PSKEntry }) => PSKEntry.Psk)).size, count);
  });
});

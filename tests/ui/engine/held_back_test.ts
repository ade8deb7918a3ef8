import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

/** A device that nobody knows asks for an address; the status of the answer. */
async function join({ router }: RealStage, card: number): Promise<number> {
  const body = { MAC: mac(card), Iface: "lan0", Name: `guest-${card}` };
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", body);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("unknown devices are admitted from Home by preview, and limited again", async () => {
  await onRouter({}, async (stage) => {
    for (let card = 1; card <= 32; card++) assert.equal(await join(stage, card), 200);
    assert.equal(await join(stage, 99), 409);
    const page = await stage.open({ path: "/admin" });
    await page.getByText(/^Unknown devices get no address on lan0 for now/).waitFor();
    await assertAccessible(page);
    await picture(page, "held-back-desk-light");
    await page.getByRole("button", { name: "Admit for 1 hour" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Each of them has no access until approved.").waitFor();
    assert.equal(await join(stage, 99), 409, "a preview opens nothing");
    await drawer.getByRole("button", { name: "Admit for 1 hour" }).click();
    await page.getByText(/^Unknown devices get no address/).waitFor({ state: "detached" });
    assert.equal(await join(stage, 99), 200);

    await page.goto(new URL("/admin/dhcp", page.url()).href);
    const open = page.getByRole("region", { name: "Open to unknown devices" });
    await open.getByText("lan0", { exact: true }).waitFor();
    await assertAccessible(page);
    await picture(page, "open-links-desk-light");
    await open.getByRole("button", { name: "End now" }).click();
    await drawer.getByRole("button", { name: "Limit again" }).click();
    await open.waitFor({ state: "detached" });
    assert.equal(await join(stage, 100), 409);
  });
});

Deno.test("the newest unknown device is added by its MAC address from the notice, on a phone too", async () => {
  await onRouter({}, async (stage) => {
    for (let card = 1; card <= 32; card++) await join(stage, card);
    assert.equal(await join(stage, 99), 409);
    const page = await stage.open({ path: "/admin/groups", size: PHONE, dark: true });
    const add = page.getByRole("link", { name: `Add ${mac(99)}` });
    await add.waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "held-back-phone-dark");
    await add.click();
    const card = page.getByRole("textbox", { name: "MAC address" });
    assert.equal(await card.inputValue(), mac(99));
    await page.getByLabel("Name").fill("Visitor");
    await page.getByRole("button", { name: "Add device" }).click();
    await page.getByRole("heading", { name: "Visitor" }).waitFor();
    assert.equal(await join(stage, 99), 200);
  });
});

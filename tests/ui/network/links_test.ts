import assert from "node:assert/strict";
import type { InterfaceEntry } from "../../../system/network/interfaces/update_schema.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

type Page = Awaited<ReturnType<RealStage["open"]>>;

/** Applies the open preview awaiting confirmation, and keeps it. */
async function keep(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Apply for 90 s" }).click();
  const trial = page.getByRole("region", { name: "Change to confirm" });
  await trial.getByRole("button", { name: "Keep changes" }).click();
  await trial.waitFor({ state: "detached" });
}

const LINKS = "/admin/network/interfaces";

async function entry({ router }: Pick<RealStage, "router">, name: string): Promise<InterfaceEntry> {
  const all = await router.json<InterfaceEntry[]>("GET", "/interfacesConfiguration");
  return all.find(({ Name }) => Name === name)!;
}

Deno.test("extra settings of interfaces are shown, on desktop and phone", async () => {
  await onRouter({}, async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: LINKS, size, dark, signIn: true });
      await page.getByRole("button", { name: "Settings of wan0" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await page.getByRole("button", { name: "Settings of wan0" }).click();
      await page.getByRole("heading", { name: "PPPoE" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      const name = `links-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
      await picture(page, name);
      await page.close();
    }
  });
});

Deno.test("additional IPs and a MAC address are validated at their fields, then applied by preview", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: LINKS });
    await page.getByRole("button", { name: "Settings of wan0" }).click();
    await page.getByLabel("One per line").fill("192.168.2.9/24");
    await page.getByRole("button", { name: "Preview addresses" }).click();
    await page.getByText("overlaps the LAN subnet").waitFor();
    await assertAccessible(page);
    await page.getByLabel("One per line").fill("198.51.100.9/24 198.51.100.1");
    await page.getByRole("button", { name: "Preview addresses" }).click();
    await keep(page);
    assert.deepEqual((await entry(stage, "wan0"))["AdditionalIPs"], [
      { IP: "198.51.100.9/24", Router: "198.51.100.1" },
    ]);
    await page.getByText("1 additional IP").waitFor();
    await page.getByRole("button", { name: "Settings of wan0" }).click();
    await page.getByLabel("MAC address type").selectOption("Custom");
    await page.getByLabel("MAC address", { exact: true }).fill("01:00:5e:00:00:01");
    await page.getByRole("button", { name: "Preview MAC address" }).click();
    await page.getByText("Use a unicast MAC address").waitFor();
  });
});

Deno.test("a PPPoE account is set without showing its password, and a VLAN trunk is enabled", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: LINKS, size: PHONE });
    await page.getByRole("button", { name: "Settings of wan0" }).click();
    await page.getByLabel("User name").fill("me@isp.example");
    await page.getByLabel("Password", { exact: true }).fill("hunter22");
    await page.getByLabel("VLAN", { exact: true }).fill("4095");
    await page.getByRole("button", { name: "Preview PPPoE" }).click();
    await page.getByText("Use a VLAN from 1 to 4094").waitFor();
    await page.getByLabel("VLAN", { exact: true }).fill("7");
    await page.getByRole("button", { name: "Preview PPPoE" }).click();
    await keep(page);
    await page.getByText("PPPoE account").first().waitFor();
    assert.doesNotMatch(await page.content(), /hunter22/);
    assert.equal((await entry(stage, "wan0")).Subtype, "pppup");
    await page.getByRole("button", { name: "Settings of lan0" }).click();
    await page.getByRole("switch", { name: "VLAN trunk on lan0" }).click();
    await keep(page);
    await page.getByRole("button", { name: "Settings of lan0" }).click();
    await page.locator('[aria-label="VLAN trunk on lan0"][aria-checked="true"]').waitFor();
    assert.equal((await entry(stage, "lan0")).Subtype, "VLAN-Trunk");
  });
});

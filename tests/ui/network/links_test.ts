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

const preview = (page: Page) => page.getByRole("button", { name: "Preview change" }).click();
const openForm = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).click();

const LINKS = "/admin/network";

async function entry({ router }: Pick<RealStage, "router">, name: string): Promise<InterfaceEntry> {
  const all = await router.json<InterfaceEntry[]>("GET", "/interfacesConfiguration");
  return all.find(({ Name }) => Name === name)!;
}

Deno.test("one form has all settings of an interface, on desktop and phone", async () => {
  await onRouter({}, async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: LINKS, size, dark, signIn: true });
      await openForm(page, "wan0");
      await page.getByLabel("IP address", { exact: true }).selectOption("PPPoE");
      await page.getByLabel("User name").waitFor();
      assert.equal(await page.getByRole("dialog").locator("button[type=submit]").count(), 1);
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      const name = `links-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
      await picture(page, name);
      await page.close();
    }
  });
});

Deno.test("the former address of interface settings leads to Interfaces", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/network/interfaces" });
    await page.getByRole("heading", { name: "Interfaces", level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, LINKS);
  });
});

Deno.test("role, addresses and MAC address of an interface are saved as one change, which one undo reverts", async () => {
  await onRouter({}, async (stage) => {
    const { router } = stage;
    const changes = async () =>
      (await router.json<{ items: { id: string }[] }>("GET", "/changes")).items;
    const page = await stage.open({ path: LINKS });
    const before = (await changes()).length;
    await openForm(page, "wan0");
    await page.getByLabel("Additional IPs").fill("192.168.2.9/24");
    await preview(page);
    await page.getByText("overlaps the LAN subnet").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Additional IPs").fill("198.51.100.9/24 198.51.100.1");
    await page.getByLabel("MAC address type").selectOption("Custom");
    await page.getByLabel("MAC address", { exact: true }).fill("01:00:5e:00:00:01");
    await preview(page);
    await page.getByText("Use a unicast MAC address").waitFor();
    await page.getByLabel("MAC address", { exact: true }).fill("02:00:00:00:0a:01");
    await page.getByLabel("Address (CIDR)").fill("203.0.113.7/24");
    await preview(page);
    await page.getByText("has the IP address 203.0.113.7/24").waitFor();
    await page.getByText("The interface also has 198.51.100.9/24.").waitFor();
    await picture(page, "links-preview");
    await keep(page);
    const saved = await entry(stage, "wan0");
    assert.deepEqual([saved.IP, saved.MACOverride, saved.AdditionalIPs], [
      "203.0.113.7/24",
      "02:00:00:00:0a:01",
      [{ IP: "198.51.100.9/24", Router: "198.51.100.1" }],
    ]);
    await page.getByText("Static IP, 1 additional IP, custom MAC").waitFor();
    const after = await changes();
    assert.equal(after.length, before + 1);
    assert.equal((await router.ask("PUT", `/changes/${after[0]!.id}/undo`)).status, 200);
    const undone = await entry(stage, "wan0");
    assert.deepEqual([undone.MACOverride, undone.AdditionalIPs], [undefined, undefined]);
    assert.notEqual(undone.IP, "203.0.113.7/24");
  });
});

Deno.test("a PPPoE account is set without showing its password, and a VLAN trunk is enabled", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: LINKS, size: PHONE });
    await openForm(page, "wan0");
    await page.getByLabel("IP address", { exact: true }).selectOption("PPPoE");
    await preview(page);
    await page.getByText("Enter the PPPoE user name").waitFor();
    await page.getByLabel("User name").fill("me@isp.example");
    await page.getByLabel("Password", { exact: true }).fill("hunter22");
    await page.getByLabel("VLAN", { exact: true }).fill("4095");
    await preview(page);
    await page.getByText("Use a VLAN from 1 to 4094").waitFor();
    await page.getByLabel("VLAN", { exact: true }).fill("7");
    await preview(page);
    await page.getByText("connects by PPPoE as me@isp.example").waitFor();
    await keep(page);
    await page.getByRole("row").filter({ hasText: "wan0" }).getByText("PPPoE").waitFor();
    assert.doesNotMatch(await page.content(), /hunter22/);
    assert.equal((await entry(stage, "wan0")).Subtype, "pppup");
    await openForm(page, "wan0");
    await page.getByText("Leave empty to keep the current one").waitFor();
    await page.getByLabel("IP address", { exact: true }).selectOption("DHCP");
    await page.getByText("The PPPoE account is deleted").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await openForm(page, "lan0");
    await page.getByLabel("VLAN trunk").check();
    await preview(page);
    await keep(page);
    await page.getByRole("row").filter({ hasText: "lan0" }).getByText("VLAN trunk").waitFor();
    assert.equal((await entry(stage, "lan0")).Subtype, "VLAN-Trunk");
  });
});

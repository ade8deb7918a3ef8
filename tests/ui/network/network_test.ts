import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  onStage,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { sampleGroups, sampleHome, sampleId } from "../../kit/builders/ui_samples.ts";

const home = () => ({ devices: sampleHome(Date.now()), groups: sampleGroups, self: sampleId(4) });

Deno.test("Interfaces shows roles, on desktop and phone, in both themes", async () => {
  await onRouter({}, async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: "/admin/network", size, dark });
      const table = page.getByRole("table", { name: "Interfaces" });
      await table.getByText("WAN (uplink)", { exact: true }).waitFor();
      await table.getByText("LAN", { exact: true }).first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `network-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
  });
});

Deno.test("an uplink's address is validated at its field, then applied with a confirm window", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: "/admin/network" });
    await page.getByRole("button", { name: "wan0" }).click();
    await page.getByRole("heading", { name: "wan0" }).waitFor();
    await assertAccessible(page);
    await page.getByLabel("Address (CIDR)").fill("203.0.113.0/24");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText("This is the network or broadcast address").waitFor();
    await page.getByLabel("Address (CIDR)").fill("203.0.113.7/24");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText("has the IP address 203.0.113.7/24").waitFor();
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByRole("region", { name: "Change to confirm" }).waitFor();
    await page.getByRole("dialog").first().waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Keep changes" }).click();
    await page.getByRole("region", { name: "Change to confirm" }).waitFor({ state: "detached" });
    const links = await router.json<{ Name: string; IP?: string }[]>(
      "GET",
      "/interfacesConfiguration",
    );
    assert.equal(links.find(({ Name }) => Name === "wan0")?.IP, "203.0.113.7/24");
  });
});

Deno.test("drift in the kernel is listed, and repaired by one button", async () => {
  const drift = [{
    what: "map inet filter internet_access",
    expected: null,
    found: "192.168.2.10 . lan0 : accept",
    urgent: false,
  }];
  const differing = { state: "applied", detail: null, drift } as const;
  await onStage({ ...home(), network: differing }, async ({ open, api }) => {
    const page = await open();
    await page.route("**/network/repair", (route) => {
      api.network = { state: "applied", detail: null };
      return route.fulfill({ json: api.network });
    });
    const banner = page.getByRole("region", { name: "Network status" });
    await banner.getByText("1 difference").waitFor();
    await banner.getByText("Differences").first().click();
    await banner.getByText("192.168.2.10 . lan0 : accept").waitFor();
    await assertAccessible(page);
    await picture(page, "network-drift");
    await page.getByRole("button", { name: "Repair" }).click();
    await banner.waitFor({ state: "detached" });
  });
});

Deno.test("an nft table of other software is taken over with the password, and a refusal is shown", async () => {
  const detail = "The table inet filter belongs to someone else";
  await onStage({ ...home(), network: { state: "blocked", detail } }, async ({ open, api }) => {
    const page = await open({ size: PHONE, dark: true });
    const sent: string[] = [];
    await page.route("**/network/takeover?force=true", (route) => {
      sent.push(route.request().headers()["authorization"] ?? "");
      if (sent.length === 1) {
        return route.fulfill({ status: 401, json: { detail: "Not that one" } });
      }
      api.network = { state: "applied", detail: null };
      return route.fulfill({ json: api.network });
    });
    await page.getByRole("button", { name: "Take over" }).click();
    const box = page.getByRole("dialog");
    await box.getByText(detail).waitFor();
    await assertAccessible(page);
    await picture(page, "network-take-over");
    await box.getByLabel("Your password").fill("wrong");
    await box.getByRole("button", { name: "Take over" }).click();
    await box.getByText("Not that one").waitFor();
    await box.getByLabel("Your password").fill("right");
    await box.getByRole("button", { name: "Take over" }).click();
    await box.waitFor({ state: "detached" });
    assert.equal(sent[1], `Basic ${btoa("admin:right")}`);
  });
});

Deno.test("another DHCP server is shown on its interface, and DHCP is enabled anyway after an explanation", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: "/admin" });
    await page.getByText("Live").waitFor();
    const report = await router.inside("dhcp", "PUT", "/foreignServer", {
      link: "lan0",
      server: "192.168.1.1",
    });
    assert.equal(report.status, 200, await report.text());
    // Home says so by itself, and the message of other pages leads to Network.
    await page.getByRole("button", { name: /Enable DHCP anyway.*lan0/ }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Devices" })
      .click();
    await page.getByRole("region", { name: "Notices" }).getByRole("link", { name: "Interfaces" })
      .click();
    const panel = page.getByRole("region", { name: "Other DHCP servers" });
    await panel.getByText("192.168.1.1 answers on lan0").waitFor();
    await assertAccessible(page);
    await panel.getByRole("button", { name: /Enable DHCP anyway/ }).click();
    const box = page.getByRole("dialog");
    await box.getByText("A device takes the first offer").waitFor();
    await assertAccessible(page);
    await picture(page, "network-foreign-server");
    await box.getByRole("button", { name: "Cancel" }).click();
    await panel.getByRole("button", { name: /Enable DHCP anyway/ }).click();
    await box.getByRole("button", { name: "Enable DHCP anyway" }).click();
    await page.getByText("now serves DHCP.").waitFor();
    await panel.waitFor({ state: "detached" });
    const { items } = await router.json<{ items: unknown[] }>("GET", "/notices");
    assert.deepEqual(items, []);
  });
});

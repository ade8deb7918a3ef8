import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { until } from "../../kit/process.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { PASSWORD } from "../../kit/router.ts";
import { lastsChoices, lastsText, listOf, routerAddress } from "../../../ui/pages/dhcp/text.ts";

const ADDRESSES = "/admin/dhcp";
const NAMES = ["Kids’ tablet", "Home server", "<b>TV</b>"];

async function leases({ router }: RealStage): Promise<void> {
  for (const [index, Name] of NAMES.entries()) {
    const MAC = `02:00:5e:00:53:0${index + 1}`;
    await router.ask("PUT", `/device?identity=${MAC}`, {
      body: { Name, MAC, Policies: ["wan", "dns"], Groups: [] },
    });
    const sent = { MAC, Identifier: MAC, Name: "x", Iface: "lan0", Router: "" };
    await router.inside("dhcp", "PUT", "/dhcpRequest", sent);
  }
}

interface Subnets {
  readonly TinyNets: readonly string[];
  readonly LeaseTime: string;
}

Deno.test("a lease time is shown in words, and the current one is always an option", () => {
  assert.equal(lastsText("24h0m0s"), "1 day");
  assert.equal(lastsText("1h30m0s"), "1 hour 30 minutes");
  assert.equal(lastsText("0h1m0s"), "1 minute");
  assert.deepEqual(lastsChoices("0h5m0s")[0], ["0h5m0s", "5 minutes"]);
  assert.ok(lastsChoices("12h00m00s").some(([text]) => text === "12h00m00s"));
  assert.equal(routerAddress(["10.173.2.0/24", "192.168.2.0/24"]), "10.173.2.1");
  assert.deepEqual(listOf(" 192.168.2.0/24,10.0.0.0/16 "), ["192.168.2.0/24", "10.0.0.0/16"]);
});

Deno.test("DHCP shows the device of each lease and the use of each pool, on desktop and phone", async () => {
  await onRouter({}, async (stage) => {
    await leases(stage);
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: ADDRESSES, size, dark });
      await page.getByRole("link", { name: "Home server" }).waitFor();
      await page.getByRole("link", { name: "<b>TV</b>" }).waitFor();
      await page.getByText("3 of ").first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `addresses-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
    const page = await stage.open({ path: ADDRESSES });
    await page.getByLabel("Filter leases").fill("tablet");
    await page.getByRole("link", { name: "Home server" }).waitFor({ state: "detached" });
    await page.getByLabel("Filter leases").fill("nothing like that");
    await page.getByText("No matches for").waitFor();
    await page.reload();
    await page.getByText("No matches for").waitFor();
    await page.getByLabel("Filter leases").press("Escape");
    await page.getByRole("link", { name: "Home server" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Home server" }).waitFor();
  });
});

Deno.test("a pool that overlaps an uplink is refused, and the suggested free one needs a confirm window", async () => {
  await onRouter({}, async (stage) => {
    await leases(stage);
    await stage.router.ask("PUT", "/uplink/ip", {
      body: { Name: "wan0", DisableDHCP: true, IP: "203.0.113.7/24", Router: "203.0.113.1" },
    });
    const subnets = () => stage.router.json<Subnets>("GET", "/subnetConfig");
    const before = await subnets();
    const page = await stage.open({ path: ADDRESSES });
    await page.getByRole("button", { name: "Edit subnets" }).click();
    await page.getByRole("textbox", { name: "Subnets" }).fill("192.168.2.0/30");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText("Use a prefix from /8 to /24").waitFor();
    await page.getByRole("textbox", { name: "Subnets" }).fill("203.0.113.0/24");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText(/203\.0\.113\.0\/24 overlaps/).waitFor();
    await assertAccessible(page);
    await picture(page, "addresses-refused");
    await page.getByRole("button", { name: /^Use 1/ }).click();
    await page.getByText(/get their address from 1/).waitFor();
    await page.getByText(/This router moves to 1/).waitFor();
    await page.getByText("Devices keep their address until they renew").waitFor();
    await assertAccessible(page);
    await picture(page, "addresses-preview");
    assert.deepEqual(await subnets(), before);
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByRole("region", { name: "Change to confirm" }).waitFor();
    assert.notDeepEqual(await subnets(), before);
    await page.getByRole("button", { name: "Revert now" }).click();
    await page.getByRole("region", { name: "Change to confirm" }).waitFor({ state: "detached" });
    assert.deepEqual(await subnets(), before);
  });
});

Deno.test("a new lease time applies without a confirm window and is undone from the toast", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: ADDRESSES, size: PHONE, dark: true });
    const lasts = async () => (await stage.router.json<Subnets>("GET", "/subnetConfig")).LeaseTime;
    const before = await lasts();
    await page.getByRole("button", { name: "Edit subnets" }).click();
    await page.getByLabel("Lease time").selectOption("12h0m0s");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText("are leased for 12 hours").waitFor();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("have a new lease time").waitFor();
    assert.equal(await lasts(), "12h0m0s");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Reverted.").waitFor();
    assert.equal(await lasts(), before);
  });
});

Deno.test("time servers are validated at their field, previewed and removed", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: ADDRESSES });
    const servers = async () =>
      (await router.json<{ NTPServers?: string[] }>("GET", "/subnetConfig")).NTPServers;
    const field = page.getByLabel("NTP servers");
    const preview = page.getByRole("button", { name: "Preview change" });
    await page.getByRole("button", { name: "Edit subnets" }).click();
    await field.fill("time.example");
    await preview.click();
    await page.locator('.field.bad input[aria-invalid="true"]').waitFor();
    assert.equal(await field.inputValue(), "time.example");
    await field.fill("192.168.2.1, 192.0.2.123");
    await page.getByLabel("Lease time").selectOption("12h0m0s");
    await preview.click();
    await page.getByText("are leased for 12 hours").waitFor();
    await page.getByText("Devices get the NTP servers 192.168.2.1 and 192.0.2.123.")
      .waitFor();
    await assertAccessible(page);
    assert.equal(await servers(), undefined);
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("have a new lease time").waitFor();
    assert.deepEqual(await servers(), ["192.168.2.1", "192.0.2.123"]);
    await page.getByText("lease time 12 hours").waitFor();
    await page.getByRole("button", { name: "Edit subnets" }).click();
    assert.equal(await field.inputValue(), "192.168.2.1, 192.0.2.123");
    await field.fill("");
    await preview.click();
    await page.getByText("get no NTP server.").waitFor();
    await page.getByRole("button", { name: "Apply", exact: true }).click();
    // The words of the preview are on the page as well.
    await until("no server is offered", async () => await servers() === undefined);
  });
});

Deno.test("a form keeps its input when the session ends and when someone else changes the settings", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: ADDRESSES });
    const elsewhere = async (net: string) => {
      const body = { TinyNets: [net], LeaseTime: "24h0m0s" };
      const answer = await router.ask("PUT", "/subnetConfig", { body });
      assert.equal(answer.status, 200, await answer.text());
    };
    const networks = page.getByRole("textbox", { name: "Subnets" });
    const preview = page.getByRole("button", { name: "Preview change" });
    await page.getByRole("button", { name: "Edit subnets" }).click();
    await networks.fill("10.9.0.0/24");
    await page.context().clearCookies();
    await preview.click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByLabel("Password").fill(PASSWORD);
    await again.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("get their address from 10.9.0.0/24").waitFor();
    await page.getByRole("button", { name: "Close without applying" }).click();
    assert.equal(await networks.inputValue(), "10.9.0.0/24");

    await elsewhere("10.20.0.0/24");
    await preview.click();
    await page.getByText("Changed by someone else.").waitFor();
    await assertAccessible(page);
    assert.equal(await networks.inputValue(), "10.9.0.0/24", "what was typed stays");
    await page.getByRole("button", { name: "Load current values" }).click();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("input")].some(({ value }) => value === "10.20.0.0/24")
    );
    await networks.fill("10.30.0.0/24");
    await elsewhere("10.21.0.0/24");
    await preview.click();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByText("get their address from 10.30.0.0/24").waitFor();
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByRole("region", { name: "Change to confirm" }).waitFor();
    const { TinyNets } = await router.json<Subnets>("GET", "/subnetConfig");
    assert.deepEqual(TinyNets, ["10.30.0.0/24"]);
  });
});

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Page } from "playwright";
import { gzip } from "../../../system/backup/gzip.ts";
import { writeTar } from "../../../system/backup/tar.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { otpOf } from "../../kit/otp.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

function lookName({ size, dark }: (typeof LOOKS)[number]): string {
  return `${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
}

async function say(stage: RealStage, ...lines: readonly (readonly [string, string])[]) {
  const path = join(stage.router.home, "state/logs/sluice.jsonl");
  const text = lines.map(([message, level]) => {
    const time = new Date().toISOString();
    return `${JSON.stringify({ time, level, process: "api", event: "api.said", message })}\n`;
  }).join("");
  await Deno.writeTextFile(path, text, { append: true });
}

/** A page that has proven the second factor. */
async function proven({ open, router }: RealStage, path: string): Promise<Page> {
  const { "x-jwt-otp": jwt } = await otpOf(router);
  const page = await open({ path });
  await page.evaluate((token) => sessionStorage.setItem("sluice.otp", token), jwt!);
  return page;
}

Deno.test("logs are live, filter by text and level, and show hostile lines as text", async () => {
  await onRouter({}, async (stage) => {
    await say(stage, ["<img src=x onerror=alert(1)> said", "info"], ["A thing broke", "error"]);
    for (const look of LOOKS) {
      const page = await stage.open({ path: "/admin/machine/logs", ...look });
      await page.getByText("<img src=x onerror=alert(1)> said").waitFor();
      await page.getByText("error:").waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `logs-${lookName(look)}`);
      await page.close();
    }
    const page = await stage.open({ path: "/admin/machine/logs" });
    await page.getByText("A thing broke").waitFor();
    await say(stage, ["Something new", "info"]);
    await page.getByText("Something new").waitFor();
    await page.getByLabel("Search logs").fill(".*");
    await page.getByText("No matches for “.*”.").waitFor();
    await page.getByLabel("Search logs").fill("THING");
    await page.getByText("Something new").waitFor();
    await page.getByLabel("Level").selectOption("error");
    await page.getByText("Something new").waitFor({ state: "detached" });
    await page.getByText("A thing broke").waitFor();
  });
});

Deno.test("older log lines load without a gap while new ones arrive", async () => {
  await onRouter({}, async (stage) => {
    await say(stage, ...Array.from({ length: 450 }, (_, n) => [`Line ${n}`, "info"] as const));
    const page = await stage.open({ path: "/admin/machine/logs" });
    await page.getByText("Line 449", { exact: true }).waitFor();
    await say(stage, ["Line 450", "info"], ["Line 451", "info"]);
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("Line 100", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("Line 0", { exact: true }).waitFor();
    const numbers = (await page.locator(".log-lines li p").allInnerTexts())
      .map((text) => Number(text.replace("Line ", "")));
    const newest = numbers[0] ?? 0;
    // The last ones may have come before older lines were asked for.
    assert.ok(newest >= 449 && newest <= 451, String(newest));
    assert.deepEqual(numbers, Array.from({ length: newest + 1 }, (_, n) => newest - n));
    assert.equal(
      await page.getByRole("switch", { name: "Live" }).getAttribute("aria-checked"),
      "false",
    );
  });
});

Deno.test("System shows the state of the machine, on desktop and phone", async () => {
  await onRouter({}, async ({ open }) => {
    for (const look of LOOKS) {
      const page = await open({ path: "/admin/machine", ...look });
      await page.getByText("v0.0.0").waitFor();
      await page.getByRole("switch", { name: "TLS" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `system-${lookName(look)}`);
      await page.close();
    }
  });
});

Deno.test("System renames the router, toggles HTTPS, pings a host, and warns of a wrong clock", async () => {
  await onRouter({ age: 120_000 }, async ({ open, router }) => {
    const page = await open({ path: "/admin/machine" });
    await page.getByText(/It is (1 min 59 s|2 min( \d s)?) behind yours/).waitFor();
    await page.getByLabel("Host name", { exact: true }).fill("my router");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.locator(".field.bad").waitFor();
    await page.getByLabel("Host name", { exact: true }).fill("gatehouse");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByText("is renamed to gatehouse").waitFor();
    assert.equal(router.engine.config.hostName, "gatehouse");

    await page.getByRole("switch", { name: "TLS" }).click();
    await page.locator('[aria-label="TLS"][aria-checked="true"]').waitFor();
    await page.getByText(/gatehouse\.lan.*192\.168\.2\.1/).waitFor();
    await assertAccessible(page);
    await picture(page, "system-tls");
    assert.match(await (await fetch(new URL("/cert", page.url()))).text(), /BEGIN CERTIFICATE/);
    await page.getByRole("switch", { name: "TLS" }).click();
    await page.locator('[aria-label="TLS"][aria-checked="false"]').waitFor();

    await page.getByRole("button", { name: "Ping", exact: true }).click();
    await page.getByText("Select an interface").waitFor();
    await page.getByLabel("Interface").fill("lan0");
    await page.getByLabel("IP address", { exact: true }).fill("printer.lan");
    await page.getByRole("button", { name: "Ping", exact: true }).click();
    await page.locator(".field.bad").waitFor();
    await page.getByLabel("IP address", { exact: true }).fill("192.0.2.9");
    await page.getByRole("button", { name: "Ping", exact: true }).click();
    await page.getByText("no answer, no answer, no answer, no answer").waitFor();

    await page.getByRole("button", { name: "Sync clock" }).click();
    await page.getByText("its clock is left alone too").waitFor();
    const bundle = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download support bundle" }).click();
    assert.equal((await bundle).suggestedFilename(), "sluice-support.tgz");
  });
});

Deno.test("a backup is created, downloaded, inspected, restored by preview and undone", async () => {
  await onRouter({}, async (stage) => {
    const page = await proven(stage, "/admin/backup");
    await page.getByText("No backups yet.").waitFor();
    await page.getByRole("button", { name: "Create backup" }).click();
    await page.getByRole("button", { name: /Restore…/ }).waitFor();
    const file = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Download/ }).click();
    assert.match((await file).suggestedFilename(), /^spr-configs-v.*\.tgz$/);
    await stage.router.ask("PUT", "/groups", { body: { Name: "kitchen" } });
    await page.getByRole("button", { name: /Restore…/ }).click();
    await page.getByText("devices/groups.json").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "backup-report");
    await page.getByRole("button", { name: "Preview restore" }).click();
    await page.getByRole("button", { name: "Apply for 90 s" }).waitFor();
    await assertAccessible(page);
    await picture(page, "backup-preview");
    await page.getByLabel(/^Revert automatically/).selectOption("Off");
    await page.getByRole("button", { name: "Restore backup" }).click();
    await page.getByText("was restored.").waitFor();
    assert.deepEqual(stage.router.engine.config.groups, []);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("was restored.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Delete/ }).click();
    const dialog = page.getByRole("dialog", { name: "Delete permanently" });
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Delete/ }).click();
    await dialog.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("No backups yet.").waitFor();
  });
});

Deno.test("an uploaded archive is refused with its reason, or shown with what would be skipped, on a phone", async () => {
  await onRouter({}, async (stage) => {
    const page = await proven(stage, "/admin/backup");
    await page.setViewportSize(PHONE);
    const choose = (name: string, bytes: Uint8Array) =>
      page.getByLabel("Backup archive").setInputFiles({
        name,
        mimeType: "application/gzip",
        buffer: Buffer.from(bytes),
      });
    await choose("photo.tgz", new TextEncoder().encode("no archive"));
    await page.getByText("it is not compressed by gzip").waitFor();
    await assertAccessible(page);
    const bytes = (text: string) => new TextEncoder().encode(text);
    const archive = await gzip(writeTar([
      { path: "configs/base/names.json", bytes: bytes('["box.example.org","-bad-"]') },
      { path: "configs/wifi/sae_passwords", bytes: bytes("x") },
    ], 0));
    await choose("theirs.tgz", archive);
    await page.getByText("without 1 invalid entry").waitFor();
    await page.getByText("It is made from the devices").waitFor();
    await assertAccessible(page);
    await assertNoSidewaysScroll(page);
    await picture(page, "backup-phone");
  });
});

Deno.test("a restore on a machine with other interfaces asks which take their place", async () => {
  await onRouter({}, async (stage) => {
    const { router } = stage;
    const link = (Name: string, Type: string) => ({ Name, Type, Enabled: true });
    const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const archive = await gzip(writeTar([
      {
        path: "configs/base/interfaces.json",
        bytes: text([link("eth0", "Uplink"), link("eth1", "Downlink"), link("eth2", "Downlink")]),
      },
      {
        path: "configs/base/machine_interfaces.json",
        bytes: text([{ Name: "eth0", MAC: "02:00:5e:00:53:02" }]),
      },
    ], 0));
    const page = await proven(stage, "/admin/backup");
    await page.getByLabel("Backup archive").setInputFiles({
      name: "theirs.tgz",
      mimeType: "application/gzip",
      buffer: Buffer.from(archive),
    });
    await page.getByText("MAC address 02:00:5e:00:53:02").waitFor();
    assert.equal(await page.getByLabel("eth0 (WAN)").inputValue(), "wan0");
    assert.equal(await page.getByLabel("eth1 (LAN)").inputValue(), "lan0");
    assert.equal(await page.getByLabel("eth2 (LAN)").inputValue(), "lan1");
    for (const look of LOOKS) {
      await page.setViewportSize(look.size);
      await page.emulateMedia({ colorScheme: look.dark ? "dark" : "light" });
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await page.getByRole("group", { name: "Interfaces" }).scrollIntoViewIfNeeded();
      await picture(page, `backup-interfaces-${lookName(look)}`);
    }
    await page.getByLabel("eth1 (LAN)").selectOption("lan1");
    await page.getByText("Select each interface once").first().waitFor();
    await assertAccessible(page);
    const go = page.getByRole("button", { name: "Preview restore" });
    assert.equal(await go.getAttribute("aria-disabled"), "true");
    await page.getByLabel("eth2 (LAN)").selectOption("");
    await go.click();
    await page.getByText("This machine has no interface eth2").waitFor();
    await assertAccessible(page);
    await picture(page, "backup-interfaces-preview");
    await page.getByLabel(/^Revert automatically/).selectOption("Off");
    await page.getByRole("button", { name: "Restore backup" }).click();
    await page.getByText("was restored.").waitFor();
    assert.deepEqual(router.engine.config.interfaces.map(({ Name, Type }) => [Name, Type]), [
      ["wan0", "Uplink"],
      ["lan1", "Downlink"],
      ["eth2", "Downlink"],
    ]);
  });
});

import assert from "node:assert/strict";
import type { Page } from "playwright";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  PHONE,
  picture,
  signIn,
} from "../../kit/browser/browser.ts";
import { codeOf } from "../../kit/access.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { PASSWORD, type TestRouter } from "../../kit/router.ts";

const HOUR = 3_600_000;
/** A code counts once, so the next one needs the next step of thirty seconds. */
const STEP = 30_000;
const NEW_PASSWORD = "an even longer: password";

/** Lets a device join, as the DHCP server would; `card` is the last octet of its address. */
async function join(router: TestRouter, Name: string, card = "01"): Promise<void> {
  const body = { MAC: `02:00:00:00:00:${card}`, Iface: "lan0", Name };
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", body);
  assert.equal(answer.status, 200, await answer.text());
}

/** Types the next code of the authenticator app and sends it with this button. */
async function prove(stage: RealStage, page: Page, secret: string, button: string): Promise<void> {
  stage.later(STEP);
  await page.getByLabel("Code", { exact: true }).fill(codeOf(secret, stage.now()));
  await page.getByRole("button", { name: button }).click();
}

/** Sets up the second factor on the open page about access; answers the secret it shows. */
async function enrol(stage: RealStage, page: Page): Promise<string> {
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("img", { name: "QR code of the secret below" }).waitFor();
  const secret = await page.locator(".secret").textContent() ?? "";
  await prove(stage, page, secret, "Verify");
  await page.getByText("required for sensitive actions", { exact: true }).waitFor();
  return secret;
}

Deno.test("a second factor is set up with a real authenticator and required at sign-in", async () => {
  await onRouter({}, async (stage) => {
    await join(stage.router, "first-one");
    const page = await stage.open({ path: "/admin/access" });
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Failed.").waitFor();
    await assertAccessible(page);
    await page.reload();
    const secret = await enrol(stage, page);
    await prove(stage, page, secret, "Require at sign-in");
    await page.getByText("required at sign-in", { exact: true }).waitFor();

    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Devices" })
      .click();
    await page.getByText("Live").waitFor();
    await join(stage.router, "by-stream", "02");
    await page.getByRole("link", { name: "by-stream" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "by-stream" }).waitFor();
    await page.getByText("Live").waitFor();

    const other = await stage.open({ signIn: false, size: PHONE });
    await signIn(other, PASSWORD);
    await other.getByLabel("Code").fill("000000");
    await other.getByRole("button", { name: "Verify" }).click();
    await other.locator(".fault").first().waitFor();
    await assertAccessible(other);
    await picture(other, "real-gate-code");
    await other.reload();
    await prove(stage, other, secret, "Verify");
    await other.getByRole("link", { name: "by-stream" }).waitFor();
    stage.later(2 * HOUR);
    await other.getByRole("button", { name: "More" }).click();
    await other.getByRole("link", { name: "Groups" }).last().click();
    await other.getByRole("heading", { name: "New group" }).waitFor();
    await other.getByLabel("Name", { exact: true }).fill("work");
    await other.getByRole("button", { name: "Create group" }).click();
    const dialog = other.getByRole("dialog", { name: "Verify" });
    await dialog.waitFor();
    await prove(stage, other, secret, "Verify");
    await other.getByRole("switch", { name: "work is on" }).waitFor();
  });
});

Deno.test("recovery codes are shown once, sign in, and the second factor is turned off", async () => {
  await onRouter({}, async (stage) => {
    for (const dark of [false, true]) {
      const page = await stage.open({ path: "/admin/access", size: DESK, dark });
      const secret = await enrol(stage, page);
      const shown = page.getByRole("group", { name: "Recovery codes" });
      const codes = await shown.getByRole("listitem").allTextContents();
      assert.equal(codes.length, 10);
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        shown.getByRole("link", { name: "Download" }).click(),
      ]);
      const saved = await Deno.makeTempFile();
      await file.saveAs(saved);
      const text = await Deno.readTextFile(saved);
      await Deno.remove(saved);
      assert.ok(codes.every((code) => text.includes(code)));
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size);
        await assertAccessible(page);
        await assertNoSidewaysScroll(page);
        await picture(page, `recovery-codes-${size.width}-${dark}`);
      }
      await shown.getByRole("button", { name: "I saved them" }).click();
      await page.getByText("10 recovery codes left.").waitFor();
      assert.equal(await page.getByText(codes[0]!).count(), 0);
      await prove(stage, page, secret, "Require at sign-in");
      await page.getByText("required at sign-in", { exact: true }).waitFor();

      const other = await stage.open({ signIn: false, dark });
      await signIn(other, PASSWORD);
      await other.getByRole("button", { name: "Use a recovery code" }).click();
      await other.getByLabel("Recovery code").fill(codes[0]!);
      await assertAccessible(other);
      await picture(other, `recovery-sign-in-${dark}`);
      await other.getByRole("button", { name: "Verify" }).click();
      await other.getByRole("heading", { level: 1 }).waitFor();
      await other.goto(new URL("/admin/access", other.url()).href);
      await other.getByText("9 recovery codes left.").waitFor();

      await other.getByRole("button", { name: "Turn off…" }).click();
      await other.getByRole("button", { name: "Use a recovery code" }).click();
      await other.getByLabel("Recovery code").fill(codes[1]!);
      const form = other.getByRole("region", { name: "Second factor" });
      await form.getByLabel("Password", { exact: true }).fill("not this one");
      await other.getByRole("button", { name: "Turn off second factor" }).click();
      await form.getByText("Wrong password").waitFor();
      await other.getByLabel("Recovery code").fill(codes[1]!);
      await form.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await other.getByRole("button", { name: "Turn off second factor" }).click();
      await other.getByText("not set up", { exact: true }).waitFor();
      await page.close();
      await other.close();
    }
  });
});

Deno.test("a second factor moves to another phone, and required at sign-in is turned off", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: "/admin/access" });
    const first = await enrol(stage, page);
    await prove(stage, page, first, "Replace device");
    await page.getByRole("img", { name: "QR code of the secret below" }).waitFor();
    const second = await page.locator(".secret").textContent() ?? "";
    assert.notEqual(second, first);
    await prove(stage, page, second, "Verify");
    await page.getByText("required for sensitive actions", { exact: true }).waitFor();
    await prove(stage, page, second, "Require at sign-in");
    await page.getByText("required at sign-in", { exact: true }).waitFor();
    await prove(stage, page, second, "Require for sensitive actions only");
    await page.getByText("required for sensitive actions", { exact: true }).waitFor();
    const sessions = page.getByRole("region", { name: "Sessions" }).getByRole("listitem");
    await sessions.first().waitFor();
    assert.equal(await sessions.count(), 1, "the session was renewed, not doubled");
  });
});

Deno.test("a session ended elsewhere asks to sign in again and keeps the input", async () => {
  await onRouter({}, async ({ open }) => {
    const ended = await open({ path: "/admin/groups" });
    await ended.getByRole("heading", { name: "New group" }).waitFor();
    await ended.getByLabel("Name", { exact: true }).fill("workshop");
    await ended.getByText("Live").waitFor();
    const page = await open({ path: "/admin/access" });
    await page.getByText(/^This browser, since/).waitFor();
    await assertAccessible(page);
    await picture(page, "real-sessions");
    await page.getByRole("button", { name: /Sign out session/ }).click();
    await page.getByText("Session signed out").waitFor();
    const dialog = ended.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill("guess");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("Wrong user name or password").waitFor();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await ended.getByText("Live").waitFor();
    await ended.getByRole("button", { name: "Create group" }).click();
    await ended.getByRole("switch", { name: "workshop is on" }).waitFor();
  });
});

Deno.test("an expired session asks to sign in again and completes the request", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: "/admin/groups" });
    await page.getByRole("heading", { name: "New group" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("workshop");
    await page.getByText("Live").waitFor();
    await page.waitForLoadState("networkidle");
    stage.later(13 * HOUR);
    await page.getByRole("button", { name: "Create group" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("switch", { name: "workshop is on" }).waitFor();
    await page.reload();
    await page.getByRole("switch", { name: "workshop is on" }).waitFor();
  });
});

Deno.test("a new password keeps this browser signed in and signs out all others", async () => {
  await onRouter({}, async ({ open }) => {
    const elsewhere = await open({ path: "/admin/groups" });
    await elsewhere.getByText("Live").waitFor();
    const page = await open({ path: "/admin/access" });
    await page.getByLabel("Current password").fill("guess");
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    const now = page.getByLabel("Current password");
    await page.locator('input[aria-invalid="true"]').waitFor();
    assert.equal(await now.getAttribute("aria-invalid"), "true");
    await assertAccessible(page);
    await now.fill(PASSWORD);
    await page.getByLabel("New password").fill("short");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.locator('input[aria-invalid="true"]').waitFor();
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Other sessions were signed out").waitFor();
    await page.getByText("Live").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Account and tokens", level: 1 }).waitFor();
    const dialog = elsewhere.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.getByText("Wrong user name or password").waitFor();
    await dialog.getByLabel("Password").fill(NEW_PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Change history" }).first().click();
    await page.locator("a[data-row]").first().click();
    await page.getByRole("region", { name: "Selected change" }).waitFor();
    assert.doesNotMatch(await page.content(), /pbkdf2|even longer/i, "no secret is shown");
    await assertAccessible(page);
    await picture(page, "real-password-change");
  });
});

Deno.test("a new password needs a code where one is required at sign-in", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: "/admin/access" });
    const secret = await enrol(stage, page);
    await prove(stage, page, secret, "Require at sign-in");
    await page.getByText("required at sign-in", { exact: true }).waitFor();
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.getByLabel("New password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Enter the code from your authenticator app").waitFor();
    await assertAccessible(page);
    await prove(stage, page, secret, "Verify");
    await page.getByRole("heading", { name: "Account and tokens", level: 1 }).waitFor();
    await page.getByText("Live").waitFor();
    await join(stage.router, "after-it");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Devices" })
      .click();
    await page.getByRole("link", { name: "after-it" }).waitFor();
  });
});

Deno.test("signing out ends the session on the router", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open();
    await page.getByRole("heading", { name: "Devices" }).or(page.getByText("No device")).first()
      .waitFor();
    assert.equal(router.access.sessions.list("admin", null).length, 1);
    await page.getByRole("button", { name: "Account: admin" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(router.access.sessions.list("admin", null), []);
  });
});

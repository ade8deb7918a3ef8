import assert from "node:assert/strict";
import { assertAccessible, picture } from "../../kit/browser/browser.ts";
import { Clicks } from "../../kit/browser/clicks.ts";
import { press, typeInto } from "../../kit/browser/keyboard.ts";
import { otpOf } from "../../kit/otp.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

/** A page that has proven the second factor. */
async function proven({ open, router }: RealStage, path: string) {
  const headers = await otpOf(router);
  const page = await open({ path });
  await page.evaluate(
    (token) => sessionStorage.setItem("sluice.otp", token),
    headers["x-jwt-otp"]!,
  );
  return { page, headers };
}

Deno.test("a backup is made and restored within 6 clicks", async () => {
  await onRouter({}, async (stage) => {
    const { page } = await proven(stage, "/admin/backup");
    const { engine } = stage.router;
    await page.getByText("No backups yet.").waitFor();
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "Create backup" }));
    await page.getByRole("button", { name: /Restore…/ }).waitFor();
    await stage.router.ask("PUT", "/groups", { body: { Name: "kitchen" } });
    await clicks.on(page.getByRole("button", { name: /Restore…/ }));
    await clicks.on(page.getByRole("button", { name: "Preview restore" }));
    await clicks.on(page.getByRole("button", { name: "Apply for 90 s" }));
    await clicks.on(page.getByRole("button", { name: /^(Keep|Confirm)/ }).first());
    clicks.atMost(6);
    assert.deepEqual(engine.config.groups, []);

    // By keyboard.
    await stage.router.ask("PUT", "/groups", { body: { Name: "kitchen" } });
    await page.reload();
    await press(page, page.getByRole("button", { name: /Restore…/ }));
    await press(page, page.getByRole("button", { name: "Preview restore" }));
    await page.getByRole("button", { name: "Apply for 90 s", disabled: false }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "Change to confirm" }).waitFor();
    assert.deepEqual(engine.config.groups, []);
  });
});

Deno.test("a token that only reads is made within 4 clicks", async () => {
  await onRouter({}, async (stage) => {
    const { page, headers } = await proven(stage, "/admin/access");
    const clicks = new Clicks();
    await clicks.on(page.getByRole("button", { name: "Create token" }));
    const drawer = page.getByRole("dialog", { name: "Create token" });
    await typeInto(page, drawer.getByLabel("Name", { exact: true }), "monitor");
    await clicks.on(drawer.getByRole("button", { name: "Everything, read only" }));
    await clicks.on(drawer.getByRole("button", { name: "Create token" }));
    await drawer.waitFor({ state: "detached" });
    clicks.atMost(4);
    const made = async () =>
      (await stage.router.json<{ Name: string; ScopedPaths: string[] }[]>("GET", "/tokens", {
        headers,
      })).map(({ Name, ScopedPaths }) => [Name, ...ScopedPaths]);
    assert.deepEqual(await made(), [["monitor", "/:r"]]);

    // By keyboard.
    await page.reload();
    await press(page, page.getByRole("button", { name: "Create token" }));
    await typeInto(page, drawer.getByLabel("Name", { exact: true }), "second");
    await press(page, drawer.getByRole("button", { name: "Everything, read only" }));
    await press(page, drawer.getByRole("button", { name: "Create token" }));
    await drawer.waitFor({ state: "detached" });
    assert.deepEqual((await made()).at(-1), ["second", "/:r"]);
  });
});

Deno.test("HTTPS is turned on by one click, or by keyboard", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/machine" });
    const clicks = new Clicks();
    await clicks.on(page.getByRole("switch", { name: "TLS" }));
    await page.locator('[aria-label="TLS"][aria-checked="true"]').waitFor();
    clicks.atMost(2);
    await press(page, page.getByRole("switch", { name: "TLS" }), " ");
    await page.locator('[aria-label="TLS"][aria-checked="false"]').waitFor();
  });
});

Deno.test("what needs a second factor says so before, and the keys are listed by ?", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/backup" });
    await page.getByText("Downloading or restoring a backup requires a second factor.").waitFor();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.getByText("Go to the filter of a list").waitFor();
    await assertAccessible(page);
    await picture(page, "keys");
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await page.goto(new URL("/admin/access", page.url()).href);
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText("Creating a token requires a second factor.").waitFor();
    await assertAccessible(page);
  });
});

import assert from "node:assert/strict";
import { assertAccessible, onStage, picture, signIn } from "../../kit/browser/browser.ts";
import { CODE } from "../../kit/fakes/fake_access.ts";
import { reviewEdits } from "../../kit/browser/staged_edits.ts";
import { sampleGroups, sampleHome, sampleId } from "../../kit/builders/ui_samples.ts";

const home = () => ({ devices: sampleHome(Date.now()), groups: sampleGroups, self: sampleId(4) });

Deno.test("groups are created, disabled by preview, and deleted with the access that is lost", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open({ path: "/admin/groups" });
    await page.getByRole("switch", { name: "kids is on" }).waitFor();
    await assertAccessible(page);
    await picture(page, "groups-desk-light");
    await page.getByLabel("Name", { exact: true }).fill("work!");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByText("Use no exclamation mark").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Work");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByRole("switch", { name: "work is on" }).waitFor();
    await page.getByRole("switch", { name: "kids is on" }).click();
    await page.getByText("Kids’ tablet with Game console").waitFor();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByText("kids was disabled").waitFor();
    assert.equal(api.state.groups.find((group) => group.Name === "kids")?.Disabled, true);
    await page.getByRole("link", { name: "cameras" }).click();
    await page.getByRole("button", { name: "Delete group" }).click();
    const preview = page.getByRole("dialog");
    await preview.getByText("2 members removed from it").waitFor();
    await preview.getByRole("button", { name: "Delete group" }).click();
    await page.getByRole("switch", { name: "cameras is on" }).waitFor({ state: "detached" });
  });
});

Deno.test("the history shows who changed what, and undoes by preview", async () => {
  await onStage(home(), async ({ open, api }) => {
    for (const dark of [false, true]) {
      const page = await open({ path: `/admin/devices/${encodeURIComponent(sampleId(1))}`, dark });
      await page.getByRole("switch", { name: "Internet", exact: true }).click();
      await reviewEdits(page);
      await page.getByRole("button", { name: "Turn off Internet" }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor();
      await page.getByRole("link", { name: "Change history" }).first().click();
      await page.getByRole("link", { name: /Changed Kids’ tablet/ }).first().click();
      await page.getByText('"Policies":').first().waitFor();
      await assertAccessible(page);
      await picture(page, `changes-desk-${dark ? "dark" : "light"}`);
      await page.getByRole("region", { name: "Selected change" })
        .getByRole("button", { name: "Revert", exact: true }).click();
      await page.getByRole("button", { name: "Revert change" }).click();
      await page.getByRole("button", { name: "Reverted" }).waitFor();
      assert.ok(api.state.devices[sampleId(1)]?.Policies.includes("wan"));
    }
  });
});

Deno.test("an undo that conflicts with a later change names it", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open({ path: "/admin/groups" });
    for (const name of ["one", "two"]) {
      await page.getByLabel("Name", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Create group" }).click();
      await page.getByRole("switch", { name: `${name} is on` }).waitFor();
    }
    await page.getByRole("link", { name: "Change history" }).first().click();
    await page.getByRole("link", { name: /Changed group one/ }).click();
    await page.getByRole("region", { name: "Selected change" })
      .getByRole("button", { name: "Revert", exact: true }).click();
    await page.getByText("Changed group two changed the same value later").waitFor();
    await assertAccessible(page);
  });
});

Deno.test("the second factor is set up by QR code and required always from then on", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open({ path: "/admin/access" });
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("img", { name: "QR code of the secret below" }).waitFor();
    await assertAccessible(page);
    await picture(page, "second-factor-desk-light");
    await page.getByLabel("Code", { exact: true }).fill("111111");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("This code is not right").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(CODE);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("required for sensitive actions").waitFor();
    await page.getByLabel("Code", { exact: true }).fill(CODE);
    await page.getByRole("button", { name: "Require at sign-in" }).click();
    await page.getByText("required at sign-in").waitFor();
    assert.equal(api.access.alwaysOn, true);
  });
});

Deno.test("an expired second factor is requested in a dialog, and the page continues", async () => {
  await onStage({ ...home(), otp: true }, async ({ open, api }) => {
    const page = await open({ path: "/admin/groups" });
    await page.getByRole("switch", { name: "kids is on" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("work");
    await page.getByText("Live").waitFor();
    await page.waitForLoadState("networkidle");
    api.access.alwaysOn = true;
    await page.getByRole("button", { name: "Create group" }).click();
    const dialog = page.getByRole("dialog", { name: "Verify" });
    await dialog.getByLabel("Code", { exact: true }).fill(CODE);
    await assertAccessible(page);
    await picture(page, "one-more-proof");
    await dialog.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("switch", { name: "work is on" }).waitFor();
  });
});

Deno.test("a changed password ends other sessions, and only the new one works", async () => {
  await onStage(home(), async ({ open, api }) => {
    await open();
    const page = await open({ path: "/admin/access" });
    await page.getByRole("button", { name: "Change password" }).click();
    await page.locator(".field.bad").nth(1).waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('[aria-invalid="true"]'));
    assert.equal(await page.getByText("This field is required").count(), 2);
    await page.getByLabel("Current password").fill("wrong");
    assert.equal(
      await page.getByText("This field is required").count(),
      1,
      "said no longer once edited",
    );
    await page.getByLabel("New password").fill("much longer than that");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("This is not your password").waitFor();
    await page.getByLabel("Current password").fill(api.access.password);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Other sessions were signed out").waitFor();
    assert.equal(api.access.sessions.length, 1);
    const other = await open({ path: "/admin/access", signIn: false });
    await signIn(other, "much longer than that");
    await other.getByRole("heading", { name: "Account and tokens", level: 1 }).waitFor();
  });
});

Deno.test("another session is signed out from this page", async () => {
  await onStage(home(), async ({ open, api }) => {
    await open();
    const page = await open({ path: "/admin/access" });
    await page.getByRole("button", { name: /Sign out session/ }).click();
    await page.getByText("Session signed out").waitFor();
    assert.equal(api.access.sessions.length, 1);
  });
});

Deno.test("a notice is resolved, and demo mode says that nothing is applied", async () => {
  const notices = [{ id: "n1", kind: "drift", at: Date.now(), detail: "192.168.2.78 left a map" }];
  const network = { state: "model", detail: null } as const;
  await onStage({ ...home(), notices, network }, async ({ open }) => {
    const page = await open();
    await page.getByText("Demo mode").waitFor();
    await assertAccessible(page);
    await picture(page, "model-desk-light");
    await page.getByRole("button", { name: /Dismiss/ }).click();
    await page.getByText("192.168.2.78 left a map").first().waitFor({ state: "detached" });
  });
});

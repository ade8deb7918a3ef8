import assert from "node:assert/strict";
import { assertAccessible, onStage, picture, signIn } from "../../kit/browser/browser.ts";
import { CODE, PASSWORD } from "../../kit/fakes/fake_access.ts";
import { sampleGroups, sampleHome } from "../../kit/builders/ui_samples.ts";

const home = () => ({ devices: sampleHome(Date.now()), groups: sampleGroups });

Deno.test("sign-in: a wrong password is refused, the right one opens the requested page", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open({ path: "/admin/groups", signIn: false });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await assertAccessible(page);
    await signIn(page, "guess");
    await page.getByText("Wrong user name or password").waitFor();
    assert.equal(await page.getByLabel("Name").inputValue(), "admin");
    await assertAccessible(page);
    await signIn(page);
    await page.getByRole("heading", { name: "Groups", level: 1 }).waitFor();
    assert.match(page.url(), /\/admin\/groups$/);
  });
});

Deno.test("sign-in: an account with a second factor is asked for its code", async () => {
  await onStage({ ...home(), alwaysOn: true }, async ({ open }) => {
    const page = await open({ signIn: "page" });
    await page.getByLabel("Code").fill("000000");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("This code is not right").waitFor();
    await assertAccessible(page);
    await picture(page, "gate-code");
    await page.getByLabel("Code").fill(CODE);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("link", { name: "Kids’ tablet" }).waitFor();
  });
});

Deno.test("a session that ends asks to sign in over the page, which stays as it is", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open({ path: "/admin/groups" });
    await page.getByLabel("Name", { exact: true }).fill("workshop");
    await page.getByText("Live").waitFor();
    await page.waitForLoadState("networkidle");
    api.access.endAll();
    await page.getByRole("button", { name: "Create group" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    await assertAccessible(page);
    await picture(page, "sign-in-again");
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("workshop was created").waitFor();
  });
});

Deno.test("a session that ends elsewhere asks to sign in, and the page is live again", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open({ path: "/admin/groups" });
    await page.getByText("Live").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("workshop");
    api.access.endAll();
    api.drop();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Live").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "workshop");
  });
});

Deno.test("signing out ends the session on the router", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open();
    await page.getByRole("button", { name: "Account: admin" }).click();
    await assertAccessible(page);
    await picture(page, "account-menu");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(api.access.sessions, []);
  });
});

Deno.test("a selected theme persists after a reload", async () => {
  await onStage(home(), async ({ open }) => {
    const page = await open();
    await page.getByRole("button", { name: "Account: admin" }).click();
    await page.getByLabel("Dark").check();
    const ground = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await ground();
    await page.reload();
    await page.getByRole("heading", { name: "Devices" }).waitFor();
    assert.equal(await ground(), dark);
    assert.equal(dark, "rgb(15, 20, 19)");
  });
});

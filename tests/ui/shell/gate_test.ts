import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  onStage,
  picture,
  signIn,
} from "../../kit/browser/browser.ts";
import { press, typeInto } from "../../kit/browser/keyboard.ts";
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
    const answered = Promise.withResolvers<void>();
    await page.route("**/auth/login", async (route) => {
      await answered.promise;
      await route.continue();
    });
    await signIn(page);
    await page.getByText("The router is working on it…").waitFor();
    answered.resolve();
    await page.getByRole("heading", { name: "Groups", level: 1 }).waitFor();
    assert.match(page.url(), /\/admin\/groups$/);
  });
});

Deno.test("sign-in: an account with a second factor has to enter its code", async () => {
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

Deno.test("sign-in: where a code fails by the router's clock, the page says so and sets it", async () => {
  for (const look of LOOKS) {
    await onStage({ ...home(), alwaysOn: true }, async ({ open }) => {
      const page = await open({ signIn: "page", ...look });
      const sent: { unix: number }[] = [];
      await page.route("**/otp_validate", async (route) => {
        if (sent.length > 0) return await route.continue();
        const message = "This code is wrong, too old, or was used already";
        await route.fulfill({
          status: 400,
          contentType: "application/problem+json",
          json: {
            status: 400,
            detail: `${message}. The router's clock says 2030-01-01 00:00:00 UTC`,
            errors: [{ pointer: "/Code", message }],
            unix: Math.floor(Date.now() / 1000) - 3 * 86_400,
          },
        });
      });
      await page.route("**/time", async (route) => {
        sent.push(route.request().postDataJSON());
        await route.fulfill({ json: { ...sent[0], until: sent[0]!.unix + 600 } });
      });
      await page.getByLabel("Code").fill(CODE);
      await page.getByRole("button", { name: "Verify" }).click();
      await page.getByText("The router’s clock is 3 d behind this device’s.").waitFor();
      assert.equal(
        await page.getByText("2030-01-01").count(),
        0,
        "it is said in this zone's words",
      );
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `gate-clock-${look.dark ? "dark" : "light"}`);
      await press(page, page.getByRole("button", { name: "Set the router’s clock" }));
      await page.getByText("The clock is set. Enter the next code.").waitFor();
      assert.ok(Math.abs(sent[0]!.unix - Date.now() / 1000) < 60);
      await typeInto(page, page.getByLabel("Code"), CODE);
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Kids’ tablet" }).first().waitFor();
    });
  }
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
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    assert.deepEqual(api.access.sessions, []);
  });
});

Deno.test("signing out asks nobody to sign in again, whatever is refused meanwhile", async () => {
  await onStage(home(), async ({ open, api }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    await page.waitForLoadState("networkidle");
    const prompts: string[] = [];
    await page.exposeFunction("prompted", (title: string) => void prompts.push(title));
    await page.evaluate(() => {
      const { prompted } = globalThis as unknown as { prompted: (title: string) => void };
      new MutationObserver(() => {
        const dialog = document.querySelector("dialog");
        if (dialog !== null) prompted(dialog.textContent ?? "");
      }).observe(document.body, { childList: true, subtree: true });
    });
    // The session has ended on the router, and the page does not know yet.
    await page.route("**/auth/logout", async (route) => {
      const response = await route.fetch();
      const looked = page.waitForResponse(/auth\/stage$/);
      api.drop();
      await looked;
      await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 100)));
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Account: admin" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    assert.deepEqual(prompts, []);
    await signIn(page);
    await page.getByText("Live").waitFor();
    assert.deepEqual(prompts, []);
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

import assert from "node:assert/strict";
import type { Page } from "playwright";
import {
  covers,
  pagesOf,
  proposals,
  type RouteLine,
  routesOf,
  scopeFault,
} from "../../../ui/pages/access/scopes.ts";
import { allows } from "../../../system/access/tokens/scopes.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  PHONE,
  picture,
  signIn,
} from "../../kit/browser/browser.ts";
import { MENU_PAGES } from "../../../ui/shell/menu.ts";
import { codeOf } from "../../kit/access.ts";
import { HANGING } from "../../kit/pace.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { PASSWORD, testRouter } from "../../kit/router.ts";

const STEP = 30_000;

async function plugIn(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

Deno.test("the page computes a scope's permissions as the API does", async () => {
  await onRouter({}, async ({ router }) => {
    const routes = routesOf(await router.json("GET", "/openapi.json"));
    assert.ok(routes.length > 50);
    const scopes = [{ path: "/devices", mode: "r" }, { path: "/firewall/", mode: "rw" }] as const;
    const texts = scopes.map(({ path, mode }) => `${path}:${mode}`);
    for (const route of routes.filter(({ token }) => token)) {
      const name = `${route.method} ${route.path}`;
      assert.equal(covers(scopes, route), allows(texts, route.method, route.path), name);
    }
    const password = routes.find(({ path }) => path === "/auth/password") as RouteLine;
    assert.equal(covers([], password), false, "no token changes a password");
    assert.ok(proposals(routes).includes("/devices"));
    assert.equal(scopeFault("/devices"), null);
    for (const path of ["", "devices", "/a b", "/a//b", "/../b", "/a:rw"]) {
      assert.notEqual(scopeFault(path), null, path);
    }
  });
});

Deno.test("a token is built next to its effective permissions, shown once and deleted", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: "/admin/access" });
    await page.getByRole("button", { name: "Set up" }).click();
    const secret = await page.locator(".secret").textContent() ?? "";
    const prove = async (within: Page | ReturnType<Page["getByRole"]>) => {
      stage.later(STEP);
      await within.getByLabel("Code", { exact: true }).fill(codeOf(secret, stage.now()));
      await within.getByRole("button", { name: "Verify" }).click();
    };
    await prove(page);
    await page.getByText("required for sensitive actions").waitFor();
    await page.getByRole("button", { name: "I saved them" }).click();
    await page.getByRole("button", { name: "Create token" }).click();
    const drawer = page.getByRole("dialog", { name: "Create token" });
    await drawer.getByLabel("Name", { exact: true }).fill("backup script");
    await drawer.getByLabel("Path 1", { exact: true }).fill("devices");
    await drawer.getByText("Start the path with a slash").waitFor();
    await drawer.getByText("None: no route matches.").waitFor();
    await drawer.getByRole("button", { name: "Create token" }).click();
    await page.waitForFunction(() =>
      (document.activeElement as HTMLInputElement | null)?.value === "devices"
    );
    assert.equal(await drawer.getByLabel("Name", { exact: true }).inputValue(), "backup script");
    await drawer.getByLabel("Path 1", { exact: true }).fill("/groups");
    await drawer.getByText(/1 route, 0 with write access/).waitFor();
    await drawer.getByText("Groups, 1 of").click();
    assert.equal(
      await drawer.getByText("Same as these pages").count(),
      0,
      "it needs devices too",
    );
    await drawer.getByRole("button", { name: "Path", exact: true }).click();
    await drawer.getByLabel("Path 2", { exact: true }).fill("/devices");
    await drawer.getByText("Same as these pages: Groups (read).").waitFor();
    await drawer.getByLabel("Permission").first().selectOption("rw");
    await drawer.getByText("Groups (read/write).").waitFor();
    await drawer.getByRole("button", { name: "Remove path 2" }).click();
    await drawer.getByLabel("Permission").first().selectOption("r");
    await assertAccessible(page);
    await picture(page, "token-desk-light");
    await drawer.getByRole("button", { name: "Create token" }).click();
    await page.getByText("Copy it now. It will not be shown again.").waitFor();
    const token = await page.locator(".secret").textContent() ?? "";
    const answer = await fetch(`${stage.origin}/groups`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200, await answer.text());
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: /Delete.*backup script/ }).click();
    const dialog = page.getByRole("dialog", { name: "Delete permanently" });
    await dialog.getByText("It stops working immediately.").waitFor();
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    const still = await fetch(`${stage.origin}/groups`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(still.status, 200, await still.text());
    await page.getByRole("button", { name: /Delete.*backup script/ }).click();
    await dialog.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("None yet.").waitFor();
    await assertAccessible(page);
  });
});

Deno.test("an admin adds a read-only user, who sees no users and changes nothing", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: "/admin/access" });
    await page.getByRole("button", { name: "Set up" }).click();
    const secret = await page.locator(".secret").textContent() ?? "";
    stage.later(STEP);
    await page.getByLabel("Code", { exact: true }).fill(codeOf(secret, stage.now()));
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("required for sensitive actions").waitFor();
    await page.getByRole("button", { name: "Add user" }).click();
    const drawer = page.getByRole("dialog", { name: "Add user" });
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByText("Enter a user name").waitFor();
    await drawer.getByLabel("Name", { exact: true }).fill("kim");
    await drawer.getByLabel("Role").selectOption("read-only");
    await drawer.getByText("changes nothing").waitFor();
    await drawer.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await assertAccessible(page);
    await picture(page, "user-desk-light");
    await drawer.getByRole("button", { name: "Save" }).click();
    await page.getByText("Read-only, no second factor").waitFor();
    await assertAccessible(page);
    await picture(page, "users-desk-light");
    await page.getByRole("button", { name: "Delete: admin" }).waitFor({ state: "detached" });

    const context = await stage.browser.newContext();
    const other = await context.newPage();
    other.setDefaultTimeout(HANGING);
    await other.goto(`${stage.origin}/admin/access`);
    await other.getByLabel("Name").fill("kim");
    await other.getByLabel("Password").fill("correct horse battery");
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.getByRole("heading", { name: "Sessions" }).waitFor();
    assert.equal(await other.getByRole("heading", { name: "Users" }).count(), 0);
    assert.equal(await other.getByRole("heading", { name: "API tokens" }).count(), 0);
    await other.getByRole("button", { name: /Account: kim, read-only/ }).waitFor();
    await context.close();
  });
});

Deno.test("the change history is filtered by author and text", async () => {
  await onRouter({}, async (stage) => {
    const { router } = stage;
    for (const Name of ["office", "garden"]) await router.ask("PUT", "/groups", { body: { Name } });
    const page = await stage.open({ path: "/admin/changes" });
    const history = page.getByRole("region", { name: "History" });
    await history.getByText("garden").waitFor();
    await history.getByLabel("Search changes").fill("OFFICE");
    await history.getByText("garden").waitFor({ state: "detached" });
    await history.getByText("office").waitFor();
    await history.getByLabel("Search changes").fill("");
    await history.getByText("garden").waitFor();
    await history.getByLabel("By").selectOption("start");
    await history.getByText("garden").waitFor({ state: "detached" });
    await assertAccessible(page);
    await picture(page, "history-filter-desk-light");
  });
});

Deno.test("a passkey is added on the page, verifies the second factor, and signs in alone", async () => {
  await onRouter({}, async ({ browser, origin }) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(HANGING);
    await plugIn(page);
    await page.goto(origin.replace("127.0.0.1", "localhost") + "/admin/access");
    await signIn(page, PASSWORD);
    await page.getByLabel("Passkey name").fill("<b>My phone");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("Passkey added.").waitFor();
    await page.getByText("<b>My phone").first().waitFor();
    await assertAccessible(page);
    await picture(page, "passkeys-desk-light");
    await page.getByRole("button", { name: "Verify with passkey" }).click();
    await page.getByText("Verified in this tab.").waitFor();
    await page.getByRole("button", { name: /Account/ }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).last().click();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("heading", { name: "Account and tokens", level: 1 }).waitFor();
    await page.getByRole("button", { name: /^Delete.*My phone/ }).click();
    const dialog = page.getByRole("dialog", { name: "Delete permanently" });
    await dialog.getByText("its sessions are signed out").waitFor();
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("<b>My phone").first().waitFor();
    await context.close();
  });
});

Deno.test("a token lists the pages whose operations its scopes cover", async () => {
  await using router = await testRouter();
  const routes = routesOf(await router.json("GET", "/openapi.json"));
  const all = pagesOf([], routes);
  assert.deepEqual(
    MENU_PAGES.filter(({ title }) => !all.some((page) => page.title === title))
      .map(({ title }) => title),
    ["Account and tokens"],
    "no token may do what is done there",
  );
  assert.deepEqual(
    all.filter(({ mode }) => mode === "read").map(({ title }) => title),
    ["Access matrix", "Topology", "Traffic", "Logs"],
    "nothing is changed there",
  );
  assert.deepEqual(
    pagesOf([{ path: "/", mode: "r" }], routes),
    all.map((page) => ({ ...page, mode: "read" })),
  );
  assert.deepEqual(pagesOf([{ path: "/subnetConfig", mode: "rw" }], routes), []);
  const wide = [{ path: "/subnetConfig", mode: "rw" }, { path: "/dhcp", mode: "r" }] as const;
  assert.deepEqual(pagesOf(wide, routes), [{ title: "DHCP", mode: "read" }]);
  const wider = [...wide, { path: "/dhcp", mode: "rw" }] as const;
  assert.deepEqual(pagesOf(wider, routes), [{ title: "DHCP", mode: "read/write" }]);
});

Deno.test("signing out everywhere ends this browser as well", async () => {
  await onRouter({}, async ({ open }) => {
    const other = await open();
    const page = await open({ path: "/admin/access" });
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await other.reload();
    await other.getByRole("button", { name: "Sign in" }).waitFor();
  });
});

Deno.test("every other session is ended at once, and Access fits a phone", async () => {
  await onRouter({}, async ({ open }) => {
    await open();
    await open();
    const page = await open({ path: "/admin/access", size: PHONE, dark: true });
    await page.getByRole("button", { name: "Sign out other sessions" }).click();
    await page.getByText("Other sessions were signed out.").waitFor();
    await page.getByRole("button", { name: /Sign out session/ }).first().waitFor({
      state: "detached",
    });
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, "access-all-phone-dark");
  });
});

Deno.test("the configuration is restored to a point of the history by preview", async () => {
  await onRouter({}, async ({ open, router }) => {
    for (const Name of ["one", "two", "three"]) {
      await router.ask("PUT", "/groups", { body: { Name } });
    }
    const page = await open({ path: "/admin/changes" });
    await page.getByRole("link", { name: /group one/ }).click();
    await page.getByRole("button", { name: "Revert to this point" }).click();
    await page.getByText("All later changes are reverted.").waitFor();
    await assertAccessible(page);
    await picture(page, "restore-desk-light");
    await page.getByRole("dialog", { name: "Preview: revert to this point" })
      .getByRole("button", { name: "Revert to this point" }).click();
    await page.getByText("are as they were after").waitFor();
    assert.deepEqual(router.engine.config.groups.map(({ Name }) => Name), ["one"]);
    await page.getByRole("button", { name: "Undo" }).last().click();
  });
});

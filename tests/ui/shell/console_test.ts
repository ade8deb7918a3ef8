import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright";
import { readUi } from "../../../routes/ui.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { inBrowser } from "../../kit/browser/browser.ts";
import { HANGING } from "../../kit/pace.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { PASSWORD, testRouter } from "../../kit/router.ts";

const DIST = fileURLToPath(new URL("../../../ui/dist", import.meta.url));

/** A fresh browser at a page, and all that its console says, refused requests too. */
async function listening(
  browser: Browser,
  url: string,
): Promise<{ readonly page: Page; readonly messages: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(HANGING);
  const messages: string[] = [];
  page.on("console", (message) => messages.push(`${message.text()} ${message.location().url}`));
  page.on("pageerror", (error) => messages.push(String(error)));
  await page.goto(url);
  return { page, messages, close: () => context.close() };
}

Deno.test("the browser console is empty at first load, sign-in and reload", async () => {
  await onRouter({}, async ({ browser, origin }) => {
    const { page, messages, close } = await listening(browser, `${origin}/`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(messages, []);
    await page.getByLabel("Name").fill("admin");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Live").waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(messages, []);
    await page.goto(`${origin}/admin/devices`);
    await page.getByRole("heading", { name: "Devices", level: 1 }).waitFor();
    await page.getByText("Live").waitFor();
    assert.deepEqual(messages, []);
    await page.getByRole("button", { name: "Account: admin" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(messages, []);
    await close();
  });
});

Deno.test("the browser console is empty during first setup", async () => {
  const codes: string[] = [];
  await using router = await testRouter({
    adminPassword: null,
    host: memoryHost({ links: ["lan0", "wan0"] }),
    files: { "base/interfaces.json": [] },
    access: {
      watch: false,
      announce: (secret) => {
        codes.push(secret);
        return Promise.resolve(null);
      },
    },
    app: {
      ui: await readUi(DIST),
      versions: { api: "0.3.0", program: "0.0.0" },
      names: () => new Set(),
    },
  });
  const peer = { source: "127.0.0.1", port: 40000, local: null, tls: false };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => router.external.fetch(request, { peer }),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  try {
    await inBrowser({ origin, password: "" }, async ({ browser }) => {
      const { page, messages, close } = await listening(browser, `${origin}/`);
      await page.getByRole("heading", { name: "Set up your router" }).waitFor();
      await page.waitForLoadState("networkidle");
      assert.deepEqual(messages, []);
      await page.getByLabel("Code").fill(codes[0] ?? "");
      await page.getByLabel("Admin password").fill("the chosen password");
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("heading", { name: "WAN port" }).waitFor();
      await page.getByRole("radio", { name: /wan0/ }).check();
      await page.getByRole("button", { name: "Use as WAN" }).click();
      await page.getByRole("heading", { name: "LAN ports" }).waitFor();
      await page.getByRole("button", { name: "Start network" }).click();
      await page.getByRole("heading", { name: "First device" }).waitFor();
      await page.waitForLoadState("networkidle");
      assert.deepEqual(messages, []);
      await close();
    });
  } finally {
    router.endStreams();
    await server.shutdown();
  }
});

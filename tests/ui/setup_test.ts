import assert from "node:assert/strict";
import { readUi } from "../../routes/ui.ts";
import { assertAccessible, inBrowser, PHONE, picture } from "../kit/browser.ts";
import { testRouter } from "../kit/router.ts";

const DIST = new URL("../../ui/dist", import.meta.url).pathname;
const CHOSEN = "the chosen password";

Deno.test("a new router is set up in the browser with its code, and the page is signed in", async () => {
  const announced: string[] = [];
  await using router = await testRouter({
    adminPassword: null,
    files: { "base/interfaces.json": [{ Name: "lan0", Type: "Downlink", Enabled: true }] },
    access: {
      watch: false,
      announce: (secret) => {
        announced.push(secret);
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
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    await inBrowser({ origin, password: CHOSEN }, async ({ open }) => {
      const dark = await open({ signIn: false, size: PHONE, dark: true });
      await dark.getByRole("heading", { name: "Set up this router" }).waitFor();
      await assertAccessible(dark);
      await picture(dark, "setup-phone-dark");
      const page = await open({ signIn: false });
      await page.getByLabel("One-time code").fill("aaaaa-bbbbb");
      await page.getByLabel("Uplink").fill("wan0");
      await page.getByLabel("Your password").fill(CHOSEN);
      await page.getByRole("button", { name: "Set it up" }).click();
      await page.getByText("This is not the code of this router").waitFor();
      await page.getByLabel("One-time code").fill(announced[0] ?? "");
      await page.getByLabel("Uplink").fill("w;x");
      await page.getByRole("button", { name: "Set it up" }).click();
      await page.locator("[aria-invalid=true]").waitFor();
      await page.getByLabel("Uplink").fill("wan0");
      await page.getByRole("button", { name: "Set it up" }).click();
      await page.getByText("No device has joined yet").waitFor();
      assert.equal((await router.ask("GET", "/setup", { as: null })).status, 400);
    });
  } finally {
    await server.shutdown();
  }
});

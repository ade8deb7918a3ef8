import assert from "node:assert/strict";
import { assertAccessible, signIn } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { PASSWORD } from "../../kit/router.ts";

const ASSETS = new URL("../../../ui/dist/assets/", import.meta.url);

/** Name of the script that has this text. */
async function scriptWith(text: string): Promise<string> {
  for await (const { name } of Deno.readDir(ASSETS)) {
    if (!name.endsWith(".js")) continue;
    if ((await Deno.readTextFile(new URL(name, ASSETS))).includes(text)) return name;
  }
  throw new Error(`No script has “${text}”`);
}

Deno.test("parts that come late are requested until they are there", async () => {
  await onRouter({}, async ({ open }) => {
    const window = await scriptWith("Change to confirm");
    const page = await open({ path: "/admin/devices", signIn: false });
    const missed = Promise.withResolvers<void>();
    await page.route(`**/${window}`, async (route) => {
      missed.resolve();
      await route.abort("connectionrefused");
    });
    await page.reload();
    await signIn(page, PASSWORD);
    await missed.promise;
    const came = page.waitForResponse((answer) => answer.url().endsWith(window) && answer.ok());
    await page.unroute(`**/${window}`);
    // Nothing is shown that would need it, and nothing is pressed.
    await came;
  });
});

Deno.test("after an update of the router the page offers to load itself anew", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/devices" });
    await page.getByRole("heading", { name: "Devices", level: 1 }).waitFor();
    // What the page does not have yet is gone, and the router names another main script.
    const script = await scriptWith("Who changed what and when, with revert");
    await page.route(`**/${script}`, (route) => route.fulfill({ status: 404 }));
    await page.route("**/admin", async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const body = text.replace(/(<script type="module" src=")[^"]*/, "$1/admin/another.js");
      await route.fulfill({ response, body });
    });
    await page.locator('a[href="/admin/changes"]').first().click();
    const updated = page.getByText("The web interface was updated.");
    await updated.waitFor();
    await assertAccessible(page);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Change history", level: 1 }).waitFor();
    assert.equal(await updated.count(), 0);
  });
});

Deno.test("the manual is requested until it comes, and its files are named to nobody", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/devices" });
    const isManual = (url: URL): boolean => /manual.*\.json$/.test(url.pathname);
    await page.route(isManual, (route) => route.fulfill({ status: 503 }));
    await page.goto(new URL("/admin/help", page.url()).href);
    await page.getByText("The manual could not be loaded.").waitFor();
    await page.getByText("Trying again every 3 seconds.").waitFor();
    assert.equal(await page.locator("main").getByText(".json").count(), 0);
    await page.unroute(isManual);
    await page.locator("main").getByRole("link", { name: "Wi-Fi", exact: true }).first().waitFor();
    await page.getByText("The manual could not be loaded.").waitFor({ state: "detached" });
  });
});

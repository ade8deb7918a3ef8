import assert from "node:assert/strict";
import { assertAccessible, signIn } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";
import { PASSWORD } from "../../kit/router.ts";
import { pageModules } from "../../../ui/build/texts.ts";

const UI = new URL("../../../ui/", import.meta.url);
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

Deno.test("what a button loads is loaded by another press, or says to reload the page", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const page = await open({ path: "/admin/devices" });
    await page.getByText("Laser printer").waitFor();
    // What says it comes late itself, but by itself.
    await page.waitForFunction(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("/toast_box-"))
    );
    const says = (text: string) => page.getByRole("status").getByText(text).waitFor();
    await page.getByRole("checkbox", { name: /Laser printer/ }).check();
    const bar = page.getByRole("region", { name: "Selected devices" });
    const press = (name: string) =>
      name === "Export"
        ? page.getByRole("button", { name }).click()
        : bar.getByRole("button", { name }).click();
    // A file that does not come, from a router that responds.
    await page.route("**/assets/*.js", (route) => route.abort("connectionreset"));
    await press("Groups");
    await says("Not loaded. This part could not be loaded. Try again.");
    await press("Export");
    await says("Not exported. This part could not be loaded. Reload the page.");
    await page.unroute("**/assets/*.js");
    await press("Groups");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The files of this page are gone, and the router names another main script.
    await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404 }));
    await page.route("**/admin", async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const body = text.replace(/(<script type="module" src=")[^"]*/, "$1/admin/another.js");
      await route.fulfill({ response, body });
    });
    await press("Export");
    await says("Not exported. The web interface was updated. Reload the page.");
    await page.getByText("The web interface was updated.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await press("Block");
    await says("Not loaded. The web interface was updated. Reload the page.");
  });
});

Deno.test("every module that comes late does so by what says why it did not", async () => {
  const ways =
    /(?:lazyPart|lazyPage|loadOnPress)\(\s*(?:async )?\(\) =>\s*\(?(?:await )?$|load: \(\) => $/;
  // Its own needs, which lazyPart and lazyPage load; and a type.
  const others = /Promise\.all\(\[pageTexts\(\), $|typeof $/;
  const found: string[] = [];
  for (const [path, source] of await pageModules(UI.pathname)) {
    for (const { index } of source.matchAll(/\bimport\("/g)) {
      const before = source.slice(Math.max(0, index - 80), index);
      if (!ways.test(before) && !others.test(before)) found.push(path);
    }
  }
  assert.deepEqual(found, []);
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

import assert from "node:assert/strict";
import type { Page } from "playwright";
import { LANGUAGES } from "../../../ui/text/language.ts";
import { onStage } from "../../kit/browser/browser.ts";

const german: Readonly<Record<string, string>> = JSON.parse(
  await Deno.readTextFile(new URL("../../../ui/languages/de.json", import.meta.url)),
);

const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang);

Deno.test("the pages speak the first language of the browser that there is, before sign-in as well", async () => {
  await onStage({ devices: {} }, async ({ open }) => {
    const page = await open({ signIn: false, languages: ["fr-CH", "de-CH", "en"] });
    const choice = page.getByLabel("Sprache");
    await choice.waitFor();
    assert.equal(await languageOf(page), "de");
    assert.equal(await choice.inputValue(), "");
    const names = Object.values(LANGUAGES).map(({ name }) => name);
    assert.deepEqual(await choice.locator("option").allInnerTexts(), ["Automatisch", ...names]);
    // What is refused here is said in German too, though the texts of the pages are not needed before.
    const id = "Too many wrong passwords came from this address; try again in {wait} s";
    await page.route("**/auth/login", (route) =>
      route.fulfill({
        status: 429,
        json: { detail: id.replace("{wait}", "9"), sentence: { id, values: { wait: "9" } } },
      }));
    await page.getByLabel("Name", { exact: true }).fill("admin");
    await page.getByLabel("Passwort", { exact: true }).fill("a wrong one");
    await page.getByRole("button", { name: "Anmelden", exact: true }).click();
    const refused = german[id]!.replace("{wait}", "9");
    await page.getByRole("alert").getByText(refused).waitFor();
  });
});

Deno.test("a chosen language is remembered, and can be left to the browser again", async () => {
  await onStage({ devices: {} }, async ({ open }) => {
    const page = await open({ path: "/admin/devices" });
    const menu = page.getByRole("button", { name: "Account" });
    await menu.click();
    assert.equal(await languageOf(page), "en");
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.locator("html[lang=de]").waitFor();
    await page.reload();
    await page.locator("button.account").click();
    const choice = page.getByLabel("Sprache");
    assert.equal(await choice.inputValue(), "de");
    await choice.selectOption("Automatisch");
    await page.locator("html[lang=en]").waitFor();
  });
});

Deno.test("a page whose texts do not come is shown in English, and says so", async () => {
  await onStage({ devices: {} }, async ({ open }) => {
    const page = await open({ signIn: false, languages: ["de"], path: "/favicon.ico" });
    await page.route("**/assets/de-*.json", (route) => route.abort());
    await page.goto(new URL("/admin", page.url()).href);
    await page.getByLabel("Language").waitFor();
    assert.equal(await languageOf(page), "en");
  });
});

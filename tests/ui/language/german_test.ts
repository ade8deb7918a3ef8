import assert from "node:assert/strict";
import type { Page } from "playwright";
import { PAGES } from "../../../ui/pages/registry.ts";
import { assertNoSidewaysScroll, onStage, PHONE } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

const read = async (language: string): Promise<Readonly<Record<string, string>>> =>
  JSON.parse(
    await Deno.readTextFile(
      new URL(`../../../ui/languages/${language}.json`, import.meta.url),
    ),
  );

/** English texts that are others in German, as patterns of whole texts. */
async function englishPatterns(): Promise<readonly string[]> {
  const english = await read("en"), german = await read("de");
  const escape = (text: string) => text.replace(/[.*+?^$(){}|[\]\\]/g, "\\$&");
  return Object.entries(english).filter(([key, text]) => german[key] !== text)
    .flatMap(([, text]) => text.split(" | "))
    // A single word may be a name, or a word of both languages.
    .filter((text) => /\p{L}{2,} \p{L}{2,}/u.test(text.replace(/\{\w+\}/g, "")))
    .map((text) => text.trim().split(/\{\w+\}/).map(escape).join(".+"));
}

interface Found {
  /** Texts that people see or hear, by element, and whether one is cut off. */
  readonly texts: readonly { readonly text: string; readonly cut: boolean }[];
}

/** What a page says, without what stands there in English on purpose. */
function textsOf(page: Page): Promise<Found> {
  return page.evaluate(() => {
    const texts: { text: string; cut: boolean }[] = [];
    const add = (text: string | null, cut: boolean) => {
      const plain = (text ?? "").replace(/\s+/g, " ").trim();
      if (/\p{L}{2}/u.test(plain)) texts.push({ text: plain, cut });
    };
    for (const element of document.querySelectorAll<HTMLElement>("body *")) {
      if (element.closest("[lang=en], script, noscript, code, pre, kbd, bdi, option")) continue;
      const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      const { overflowX } = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      // What is there for hearing alone is a point in size; names of devices may be cut.
      const cut = overflowX !== "visible" && overflowX !== "auto" && box.width > 2 &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.querySelector("bdi") === null && element.closest("table") === null;
      if (own.length > 0) add(own.map((node) => node.textContent).join(" "), cut);
      for (const name of ["aria-label", "placeholder", "title"]) {
        add(element.getAttribute(name), false);
      }
    }
    return { texts };
  });
}

Deno.test("every page speaks German where that is chosen, with no text cut off on a phone", async () => {
  const patterns = new RegExp(`^(?:${(await englishPatterns()).join("|")})$`, "u");
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later, origin }) => {
    await fillHome(router, later);
    const group = await router.ask("PUT", "/groups", { body: { Name: "office" } });
    assert.equal(group.status, 200, await group.text());
    const devices = await router.json("GET", "/devices") as Record<string, { Name: string }>;
    const names = new Set(Object.values(devices).map(({ Name }) => Name));
    const page = await open({ languages: ["de-DE"], size: PHONE });
    const left: string[] = [];
    for (const { path } of PAGES) {
      const address = path.replace(":identity", encodeURIComponent(demoId(1)))
        .replace("/:id?", "").replace("/groups/:name", "/groups/office");
      await page.goto(origin + address);
      await page.locator("main h1").waitFor();
      await page.waitForFunction(() => document.querySelector(".skeleton") === null);
      assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
      await assertNoSidewaysScroll(page);
      const { texts } = await textsOf(page);
      assert.ok(texts.length > 5, `${path} says nothing`);
      for (const { text, cut } of texts) {
        if (patterns.test(text) && !names.has(text)) left.push(`${path}: ${text}`);
        if (cut) left.push(`${path}: cut off: ${text}`);
      }
    }
    assert.deepEqual([...new Set(left)], []);
  });
});

Deno.test("what the router refuses is said in German, with its values", async () => {
  await onRouter({}, async ({ open, router }) => {
    const taken = await router.ask("PUT", "/groups", { body: { Name: "office" } });
    assert.equal(taken.status, 200, await taken.text());
    const page = await open({ languages: ["de-DE"], path: "/admin/groups" });
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("wan");
    await page.getByRole("button", { name: "Gruppe erstellen" }).click();
    await page.getByText("Das ist der Name einer Richtlinie; einen anderen wählen").waitFor();
    // The form keeps no more than this from being sent; the router is the one that refuses.
    await page.route(({ pathname }) => pathname === "/groups", async (route) => {
      const body = { ...route.request().postDataJSON(), Name: "x".repeat(65) };
      await (route.request().method() === "PUT"
        ? route.continue({ postData: JSON.stringify(body) })
        : route.continue());
    });
    await name.fill("workshop");
    await page.getByRole("button", { name: "Gruppe erstellen" }).click();
    await page.getByText("Höchstens 64 Zeichen").waitFor();
    assert.equal(await page.locator("main").getByText(/\bWrite\b|\bUse\b/).count(), 0);
  });
});

Deno.test("the palette knows German words for pages and commands", async () => {
  await onStage({ devices: {} }, async ({ open }) => {
    const page = await open({ languages: ["de"], path: "/admin/devices" });
    await page.locator("main h1").waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox");
    const found = page.getByRole("option");
    for (
      const [typed, title] of [
        ["wlan", "WLAN"],
        ["portfreigabe", "Firewallregeln"],
        ["sicherung", "Sicherung"],
        ["neustart", "System"],
        ["abmelden", "Abmelden"],
        ["rückgängig", "Letzte Änderung zurücknehmen…"],
      ] as const
    ) {
      await field.fill(typed);
      await found.filter({ hasText: title }).first().waitFor();
      assert.match(await found.first().innerText(), new RegExp(title), typed);
    }
  });
});

import assert from "node:assert/strict";
import type { Page } from "playwright";
import { assertAccessible, PHONE, picture } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("areas of the menu fold and stay folded, and no word of it wraps", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/dns/settings", size: { width: 1024, height: 768 } });
    const menu = page.getByRole("navigation", { name: "Main" });
    for (const dark of [false, true]) {
      for (const width of [1024, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
        const wrong = await menu.locator("a").evaluateAll((links) =>
          links.filter((link) => {
            const word = link.querySelector<HTMLElement>(".t")!;
            return link.scrollWidth > link.clientWidth || word.offsetHeight > 24;
          }).map(({ textContent }) => textContent)
        );
        assert.deepEqual(wrong, []);
        await picture(page, `menu-${width}-${dark ? "dark" : "light"}`);
      }
    }
    // Each area has a heading that folds all of its pages.
    const areas = await menu.getByRole("button").allTextContents();
    assert.deepEqual(areas, ["Firewall", "Network", "DNS", "System"]);
    await menu.getByRole("button", { name: "System" }).click();
    await menu.getByRole("link", { name: "General" }).waitFor({ state: "hidden" });
    await menu.getByRole("link", { name: "Backup" }).waitFor({ state: "hidden" });
    await menu.getByRole("button", { name: "Firewall" }).click();
    await menu.getByRole("link", { name: "Access matrix" }).waitFor({ state: "hidden" });
    // The page that is open stays in sight.
    await menu.getByRole("button", { name: "DNS" }).press("Enter");
    await menu.getByRole("link", { name: "Block lists" }).waitFor({ state: "hidden" });
    await menu.getByRole("link", { name: "DNS settings" }).waitFor();
    await page.reload();
    await menu.getByRole("button", { name: "Firewall", expanded: false }).waitFor();
    await menu.getByRole("button", { name: "System", expanded: false }).waitFor();
    await assertAccessible(page);
    await menu.getByRole("button", { name: "Firewall" }).click();
    await menu.getByRole("link", { name: "Access matrix" }).waitFor();
  });
});

/**
 * Controls that are hit by less than 24 px in height or width; links within a sentence are as high as
 * its line (WCAG 2.5.8).
 */
async function smallTargets(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      "a, button, select, input:not([type=hidden]), [role=slider], summary",
    );
    return [...controls].filter((one) => {
      const seen = one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (!seen || one.matches(".skip, .vh, .vh *")) return false;
      if (one.matches("p a, p button, dd a, dd button, td a, li a")) return false;
      // A list has its headings for readers of the screen alone there.
      if ((one.closest("thead")?.offsetHeight ?? 24) < 24) return false;
      one.scrollIntoView({ block: "center" });
      const { left, top, width, height } = one.getBoundingClientRect();
      if (width === 0) return false;
      const [x, y] = [left + width / 2, top + height / 2];
      const hits = [[0, -11.5], [0, 11.5], [-11.5, 0], [11.5, 0]].every(([dx = 0, dy = 0]) => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return hit !== null && (one.contains(hit) || hit.closest("label")?.control === one);
      });
      return !hits;
    }).map((one) => `${one.tagName} ${one.className} ${one.textContent?.trim().slice(0, 40)}`);
  });
}

Deno.test("a phone has DNS in its bar, pages by area under More, and targets of 24 px", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    const page = await open({ path: "/admin/devices", size: PHONE });
    const bar = page.getByRole("navigation", { name: "Areas, below" });
    await page.getByRole("row").filter({ hasText: "Internet" }).first().waitFor();
    assert.deepEqual(
      await bar.locator(":scope > a .t, :scope > button .t").allTextContents(),
      ["Home", "Devices", "Firewall", "DNS", "More"],
    );
    await bar.getByRole("button", { name: "More" }).click();
    const network = page.getByRole("group", { name: "Network" });
    await network.getByRole("link", { name: "Wi-Fi" }).waitFor();
    await page.getByRole("group", { name: "System" }).getByRole("link", { name: /history/i })
      .waitFor();
    await assertAccessible(page);
    await picture(page, "more-phone-light");
    await page.keyboard.press("Escape");
    const small: string[] = [];
    const paths = ["", "/devices", "/firewall", "/groups", "/dns", "/dns/lists", "/dns/overrides"];
    for (const path of [...paths, "/changes", "/alerts", "/wifi", "/machine", "/access"]) {
      await page.goto(new URL(`/admin${path}`, page.url()).href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      // The query log streams for as long as it is open: its network is never idle.
      await page.waitForFunction(() => document.querySelector(".skeleton") === null);
      for (const one of await smallTargets(page)) small.push(`${path}: ${one}`);
    }
    assert.deepEqual(small, []);
  });
});

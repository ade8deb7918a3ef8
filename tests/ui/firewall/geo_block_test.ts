import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { startTestLookup } from "../../kit/builders/lookup_data.ts";
import type { GeoBlockConfig } from "../../../system/geo/schema.ts";

Deno.test("countries and networks are found, blocked with a preview and shown, on desktop and phone", async () => {
  await onRouter({}, async ({ open, router }) => {
    await using _lookup = await startTestLookup(router.home);
    const config = () => router.json<GeoBlockConfig>("GET", "/firewall/geo_block/config");
    const page = await open({ path: "/admin/firewall/countries", signIn: true });
    await page.getByRole("searchbox", { name: "Search countries" }).fill("zealand");
    await page.getByRole("checkbox", { name: "New Zealand" }).click();
    await page.getByRole("button", { name: "Block country" }).click();
    await page.getByRole("button", { name: "Unblock New Zealand" }).waitFor();
    assert.deepEqual((await config()).DenyCountries, ["NZ"]);
    await page.getByRole("searchbox", { name: "Search networks" }).fill("third");
    await page.getByRole("button", { name: "Block AS64498" }).click();
    await page.getByRole("button", { name: "Block network" }).click();
    await page.getByRole("button", { name: "Unblock AS64498" }).waitFor();
    await page.getByRole("switch", { name: "Blocking by country and network" }).click();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("cell", { name: "New Zealand" }).waitFor();
    assert.equal((await config()).Enabled, true);
    await page.getByRole("link", { name: "Route Views" }).waitFor();
    await page.close();
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: "/admin/firewall/countries", size, dark, signIn: true });
      await page.locator(".world path.blocked").first().waitFor();
      await page.getByRole("cell", { name: "New Zealand" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `geo-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`);
      await page.close();
    }
  });
});

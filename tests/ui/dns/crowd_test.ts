import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { override, overrideList } from "../../kit/dns/block.ts";
import { query } from "../../kit/dns/query.ts";
import { DEVICES, looks, withResolver } from "../../kit/dns/stage.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

/** As long as a name can be. */
const LONG = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(49)}.example`;

Deno.test("ten thousand custom rules are listed and searched without breaking the page", async () => {
  const many = Array.from({ length: 10_000 }, (_, nth) => override(`n${nth}.example.com.`));
  const first = [override(`${LONG}.`), override(".", { ClientIP: "192.168.2.6" })];
  const lists = [
    overrideList([...first, ...many.slice(2)]),
    overrideList([override("xn--bcher-kva.example.")], { Name: "x".repeat(64), Tags: ["kids"] }),
  ];
  const files = { ...DEVICES, "dns/block_rules.json": { OverrideLists: lists } };
  await onRouter({ files }, async ({ open }) => {
    const page = await open({ path: "/admin/dns/overrides", size: PHONE });
    await page.getByText(LONG).first().waitFor();
    await page.getByText("All domains").first().waitFor();
    await page.getByText("9,800 more").waitFor();
    await assertNoSidewaysScroll(page);
    assert.ok(await page.locator(".rows > li").count() <= 201);
    await page.getByLabel("Filter rules").fill("n9998");
    await page.getByText("n9998.example.com").first().waitFor();
    await page.getByLabel("Filter rules").fill("bücher");
    await page.getByText("bücher.example").first().waitFor();
    await assertAccessible(page);
    await picture(page, "dns-overrides-many");
    // The list that every decision goes to is always in force.
    assert.equal(await page.getByRole("switch").count(), 1);
    await page.getByRole("switch", { name: `${"x".repeat(64)} is on` }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText(", disabled").waitFor();
    await page.close();
  });
});

Deno.test("a log of many long domains pages to its end, and shows other scripts", async () => {
  await withResolver(async ({ open, log }) => {
    for (let nth = 0; nth < 550; nth++) {
      const name = nth % 3 === 0 ? `${LONG}.` : `n${nth}.example.`;
      log.store.record(query({ identity: mac(1), name }));
    }
    log.store.record(query({ identity: mac(1), name: "xn--bcher-kva.example." }));
    const page = await open({ path: "/admin/dns", size: DESK });
    await page.getByText("551 queries").waitFor();
    await assertNoSidewaysScroll(page);
    const earlier = page.getByRole("button", { name: "Older" });
    for (let parts = 1; parts < 6; parts++) {
      const part = page.waitForResponse((answer) => answer.url().includes("after="));
      await earlier.click();
      await part;
    }
    await earlier.waitFor({ state: "detached" });
    await page.getByLabel("Filter by domain").fill("Bücher");
    await page.getByRole("button", { name: "bücher.example", exact: true }).click();
    await page.getByRole("heading", { name: "bücher.example" }).waitFor();
    await page.getByText("xn--bcher-kva.example", { exact: true }).waitFor();
    await page.getByText("No block list for this client contains it").waitFor();
    await looks(page, "dns-entry-idn");
    await page.close();
  });
});

Deno.test("DNS pages keep their layout while the router is slow, and show errors in words", async () => {
  await withResolver(async ({ open }) => {
    const page = await open({ path: "/admin" });
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route("**/plugins/dns/**", async (route) => {
      await promise;
      await route.fulfill({
        status: 502,
        contentType: "application/problem+json",
        body: JSON.stringify({ status: 502, title: "Failed", detail: "It does not answer" }),
      });
    });
    for (const path of ["dns", "dns/lists", "dns/overrides"]) {
      await page.goto(new URL(`/admin/${path}`, page.url()).href);
      await page.locator('.skeleton[role="status"]').first().waitFor();
      await assertAccessible(page);
    }
    resolve();
    await page.getByText("The custom rules could not be loaded").waitFor();
    await page.getByText("It does not answer").first().waitFor();
    await assertAccessible(page);
    await page.close();
  });
});

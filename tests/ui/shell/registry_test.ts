import assert from "node:assert/strict";
import { DETAILS } from "../../../ui/pages/page_details.ts";
import { PAGES } from "../../../ui/pages/registry.ts";
import { routesOf } from "../../../ui/pages/access/scopes.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { testRouter } from "../../kit/router.ts";

Deno.test("the paths of the API that a page is said to use are in the API document", async () => {
  await using router = await testRouter();
  const routes = routesOf(await router.json("GET", "/openapi.json"));
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  for (const [path, { reads, writes }] of Object.entries(DETAILS)) {
    for (const operation of [...reads.map((one) => `GET ${one}`), ...writes]) {
      assert.ok(known.has(operation), `${path} uses ${operation}`);
    }
  }
});

/** Titles of pages that are named by what they show. */
const SHOWN: Readonly<Record<string, string>> = {
  Device: "TV",
  Group: "office",
  Setup: "First device",
};

Deno.test("the path of each page opens it, by its title", async () => {
  await onRouter({}, async ({ open, router }) => {
    const identity = "02:00:00:00:00:01";
    const made = await router.ask("PUT", `/device?identity=${identity}`, { body: { Name: "TV" } });
    assert.equal(made.status, 200, await made.text());
    const grouped = await router.ask("PUT", "/groups", { body: { Name: "office" } });
    assert.equal(grouped.status, 200, await grouped.text());
    const page = await open({ path: "/admin" });
    for (const { path, title } of PAGES) {
      const address = path.replace(":identity", encodeURIComponent(identity)).replace("/:id?", "")
        .replace("/groups/:name", "/groups/office");
      await page.goto(new URL(address, page.url()).href);
      await page.locator("main h1").waitFor();
      const shown = SHOWN[title] ?? title;
      await page.waitForFunction((wanted) => document.title === wanted, `${shown} · Sluice`);
    }
  });
});

Deno.test("a page has one record, a title and a path of its own, and its details", () => {
  assert.equal(new Set(PAGES.map(({ path }) => path)).size, PAGES.length);
  assert.equal(new Set(PAGES.map(({ title }) => title)).size, PAGES.length);
  assert.deepEqual(Object.keys(DETAILS).toSorted(), PAGES.map(({ path }) => path).toSorted());
});

import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { eventually } from "../../kit/eventually.ts";
import { startHranaServer } from "../../kit/fakes/hrana_server.ts";

const TOKEN = "token-of-the-server";

Deno.test("stored events are searched by a condition, and the page says how far", async () => {
  await onRouter({}, async (stage) => {
    const { router } = stage;
    for (const Iface of ["wan0", "wan1", "wan2"]) router.bus.publish("wan:uplink:up", { Iface });
    const page = await stage.open({ path: "/admin/events?topic=wan%3Auplink%3Aup" });
    const rows = page.locator(".event-list li");
    await eventually("all are shown", async () => assert.equal(await rows.count(), 3));
    // The first part of the search ends before the event that is looked for.
    let parts = 0;
    await page.route(/\/plugins\/db\/items\//, async (call) => {
      if (parts++ > 0) return await call.continue();
      await call.fulfill({
        status: 200,
        headers: { "search-stopped-at": new Date().toISOString() },
        json: null,
      });
    });
    await page.getByLabel("Condition on stored events").fill('$[?(@.Iface=~"^w.n1")]');
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await eventually("one is found", async () => assert.equal(await rows.count(), 1));
    assert.match(await rows.innerText(), /wan1/);
    assert.equal(parts, 2);
    await page.getByLabel("Condition on stored events").fill('$[?(@.Iface=="none")]');
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByText("No stored events match the condition.").waitFor();
    await assertAccessible(page);
  });
});

Deno.test("the page shows how sending to the history server stands", async () => {
  const server = startHranaServer(TOKEN);
  try {
    await onRouter({ history: { url: server.url, token: TOKEN } }, async (stage) => {
      const page = await stage.open({ path: "/admin/events" });
      const panel = page.getByRole("region", { name: "History server" });
      await panel.getByText(/^Sent /).waitFor();
      server.isAway = true;
      stage.router.bus.publish("wan:uplink:up", { Iface: "wan0" });
      await panel.getByText(/^Failed .*503/).waitFor();
      await page.close();
      for (const look of LOOKS) {
        const page = await stage.open({ path: "/admin/events", ...look });
        const panel = page.getByRole("region", { name: "History server" });
        await panel.getByText(/waiting, the oldest of/).waitFor();
        assert.ok(!(await page.content()).includes(TOKEN));
        await panel.scrollIntoViewIfNeeded();
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `history-server-${look.size === PHONE ? "phone" : "desk"}`);
        await page.close();
      }
    });
  } finally {
    await server.close();
  }
});

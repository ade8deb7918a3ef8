import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, demoId, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("a device's page has its access, activity, DNS and details in tabs", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
    await fillHome(router, later);
    await router.json("PUT", `/device?identity=${demoId(1)}`, { body: { Name: "Reader" } });
    await router.json("PUT", `/device?identity=${demoId(3)}`, { body: { Name: "Console" } });
    const seen = {
      access: "Restrictions",
      activity: "Changes",
      dns: "DNS",
      details: "Identity",
    };
    for (const { size, dark } of LOOKS) {
      const page = await open({ path: `/admin/devices/${demoId(1)}`, size, dark });
      for (const [name, heading] of Object.entries(seen)) {
        const look = `${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`;
        await page.getByRole("tab", { name, exact: false }).click();
        await page.getByRole("heading", { name: heading, exact: true }).waitFor();
        await page.getByText("Last seen").first().waitFor();
        await assertAccessible(page);
        await assertNoSidewaysScroll(page);
        await picture(page, `device-${name}-${look}`);
      }
      await page.close();
    }
    // The tab is in the address, and is reached by the arrow keys.
    const page = await open({ path: `/admin/devices/${demoId(1)}?tab=activity` });
    const history = page.getByRole("region", { name: "Changes", exact: true });
    await history.getByText("Renamed").first().waitFor();
    assert.equal(await history.getByText("Console").count(), 0);
    await page.getByRole("tab", { name: "Activity" }).press("ArrowRight");
    await page.getByRole("tab", { name: "DNS", selected: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("tab"), "dns");
  });
});

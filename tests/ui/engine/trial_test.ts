import assert from "node:assert/strict";
import { assertAccessible, picture } from "../../kit/browser/browser.ts";
import { DEMO } from "../../kit/builders/demo_home.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

Deno.test("a pending renumbering survives a reload and an unreachable router, and is confirmed", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    const page = await stage.open({ path: "/admin/dhcp" });
    await page.getByRole("button", { name: "Edit subnets" }).click();
    await page.getByRole("textbox", { name: "Subnets" }).fill("10.9.0.0/24");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByRole("button", { name: /^Apply for/ }).click();
    const banner = page.getByRole("region", { name: "Change to confirm" });
    await banner.waitFor();
    // On a model somebody else may have the address: it is not looked for there.
    assert.equal(await page.evaluate(() => sessionStorage.getItem("sluice.confirm")), null);
    await page.reload();
    await banner.waitFor();

    let confirmed = false;
    await stage.restart(async () => {
      await banner.getByText("The router is not responding").waitFor();
      confirmed = true;
      await picture(page, "trial-away");
    });
    assert.ok(confirmed);
    await banner.getByText("The router does not answer").waitFor({ state: "detached" });
    await assertAccessible(page);
    await banner.getByRole("button", { name: "Keep changes" }).click();
    await banner.waitFor({ state: "detached" });
    assert.equal(stage.router.engine.window.current(), null);
    assert.deepEqual(stage.router.engine.config.dhcp.TinyNets, ["10.9.0.0/24"]);
  });
});

Deno.test("a confirm window that someone else closes disappears from the page", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    const page = await stage.open({ path: "/admin/dhcp" });
    await page.getByRole("button", { name: "Edit subnets" }).click();
    await page.getByRole("textbox", { name: "Subnets" }).fill("10.9.0.0/24");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByRole("button", { name: /^Apply for/ }).click();
    const banner = page.getByRole("region", { name: "Change to confirm" });
    await banner.waitFor();
    const { id } = stage.router.engine.window.current()!;
    const answer = await stage.router.ask("PUT", `/changes/${id}/undo`);
    assert.equal(answer.status, 200);
    await banner.waitFor({ state: "detached" });
    assert.equal(await page.getByText("The router is at").count(), 0);
  });
});

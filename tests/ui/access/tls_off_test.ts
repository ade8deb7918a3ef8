import assert from "node:assert/strict";
import { assertAccessible } from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

Deno.test("turning off the HTTPS that carries the page asks first", async () => {
  await onRouter({}, async ({ open, router, origin }) => {
    await router.ask("PUT", "/firewall/enableTLS");
    const page = await open({ path: "/admin" });
    // What that page still loads would have no answer once it is left, and its handler none to read.
    await page.goto("about:blank");
    // The stage serves over HTTP alone, so the page is told that it came over TLS.
    await page.route("**/*.js", async (call) => {
      const answer = await call.fetch();
      const body = (await answer.text()).replaceAll("location.protocol", '"https:"');
      await call.fulfill({ response: answer, body });
    });
    await page.goto(`${origin}/admin/machine`);
    const on = async () => (await router.json<{ on: boolean }>("GET", "/certificate")).on;
    await page.getByRole("switch", { name: "TLS" }).click();
    const dialog = page.getByRole("dialog", { name: "Turn off HTTPS" });
    await dialog.getByText("This page closes").waitFor();
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await on(), true);
    await page.getByRole("switch", { name: "TLS" }).click();
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("HTTPS is off.").waitFor();
    assert.equal(await on(), false);
    await page.unrouteAll({ behavior: "wait" });
  });
});

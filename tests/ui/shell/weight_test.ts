import assert from "node:assert/strict";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { listed, loaded, weightOf } from "../../kit/browser/page_weight.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";

Deno.test("a first visit takes 15 requests and 45 KB at most, and so does Home", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later, origin, sitAt }) => {
    await fillHome(router, later);
    sitAt({ source: "192.168.2.10", local: null });
    const fresh = async (signIn: boolean) =>
      await loaded(
        await open({ path: "/favicon.ico", signIn }),
        `${origin}/admin`,
        signIn ? "attention" : "Sign in",
      );

    const first = await fresh(false);
    assert.ok(first.length <= 15, listed(first));
    assert.ok(weightOf(first) <= 45 * 1024, `${weightOf(first)} bytes:\n${listed(first)}`);

    const home = await fresh(true);
    assert.ok(home.length <= 15, listed(home));
    assert.ok(weightOf(home) <= 45 * 1024, `${weightOf(home)} bytes:\n${listed(home)}`);
  });
});

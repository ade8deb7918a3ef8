import assert from "node:assert/strict";
import { buildLab } from "../../kit/lab/lab.ts";
import { startRouter } from "../../kit/lab/router.ts";

Deno.test("half-open connections of one client shut no other client out of the router", async () => {
  const lab = await buildLab({ name: "halfopen" });
  try {
    const router = await startRouter(lab);
    try {
      const [a, b] = lab.clients;
      const leases = [await router.lease(a!), await router.lease(b!)];
      for (const { mac } of [a!, b!]) {
        const given = await router.api("PUT", `/device?identity=${mac}`, {
          body: { Policies: ["lan"] },
        });
        assert.equal(given.status, 200, given.text);
      }
      const flood = lab.deno("a", "half_open.ts", [leases[0]!.RouterIP, "80", "3000"]);
      await flood.line(/^holding$/, 60_000);
      const page = await lab.get("b", `http://${leases[1]!.RouterIP}/setup`);
      assert.ok(page !== null, "the other client is answered");
      assert.equal((await router.api("GET", "/devices")).status, 200);
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
});

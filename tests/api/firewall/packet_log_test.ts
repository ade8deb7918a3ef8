import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

Deno.test("the packet log is previewed, set, undone, and kept with the configuration", async () => {
  await using router = await testRouter();
  const path = "/firewall/packet_log";
  const rules = (): number =>
    router.engine.desired.ruleset.tables.flatMap(({ chains }) => chains)
      .flatMap(({ rules }) => rules).filter(({ action }) => action.kind === "log").length;
  assert.deepEqual(await router.json("GET", path), { Log: "off" });
  assert.equal(rules(), 0);
  const preview = await router.json<{ steps: readonly unknown[] }>("PUT", `${path}?dryRun=true`, {
    body: { Log: "drops" },
  });
  assert.ok(JSON.stringify(preview).includes("LOG_FORWARD_BLOCK"), "the kernel's steps");
  assert.equal(rules(), 0, "nothing moved");
  const put = await router.ask("PUT", path, { body: { Log: "all" } });
  assert.equal(put.status, 200, await put.clone().text());
  assert.deepEqual(await put.json(), { Log: "all" });
  assert.ok(rules() > 10);
  const undone = await router.ask("PUT", `/changes/${put.headers.get("change-id")}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  assert.equal(rules(), 0);
  for (const body of [{ Log: "everything" }, {}, []]) {
    const refused = await router.ask("PUT", path, { body });
    await refused.body?.cancel();
    assert.equal(refused.status, 400, JSON.stringify(body));
  }
});

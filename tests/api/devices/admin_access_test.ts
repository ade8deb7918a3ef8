import assert from "node:assert/strict";
import type { Preview } from "../../../system/core/engine/change.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const CARD = "02:00:00:00:0a:01";
const PATH = `/device?identity=${CARD}`;
const GAINS = "Tablet can open this router's web UI and SSH";

/** A router with a device as one that joined by itself. */
async function joined(): Promise<TestRouter> {
  const router = await testRouter();
  const body = { Name: "Tablet", RecentIP: "192.168.2.6", Policies: ["noapi"] };
  await router.json("PUT", PATH, { body });
  return router;
}

async function gains(router: TestRouter, body: unknown): Promise<boolean> {
  const preview = await router.json<Preview>("PUT", `${PATH}&dryRun=true`, { body });
  const isSaid = preview.effects.includes(GAINS);
  const opens = preview.reach.allowed.some(({ to, traffic }) =>
    to === "router" && traffic === "tcp 443"
  );
  assert.equal(isSaid, opens, "the sentence and the connections say the same");
  return isSaid;
}

Deno.test("giving a device the Internet gives it no admin access, and giving that is reported", async () => {
  await using router = await joined();
  const policies = () => router.engine.config.devices[CARD]!.Policies;
  assert.equal(await gains(router, { Policies: ["wan"] }), false);
  await router.json("PUT", PATH, { body: { Policies: ["wan"] } });
  assert.deepEqual(policies(), ["wan", "noapi"]);
  for (const body of [{ Policies: ["wan"] }, { AdminAccess: true }]) {
    assert.equal(await gains(router, body), true);
    const answer = await router.ask("PUT", PATH, { body });
    await answer.body?.cancel();
    assert.deepEqual(policies(), ["wan"]);
    const { items } = await router.json<{ items: { summary: string }[] }>(
      "GET",
      "/changes?limit=1",
    );
    assert.equal(items[0]!.summary, "Turned on Admin access for Tablet");
    await router.json("PUT", PATH, { body: { AdminAccess: false } });
    assert.deepEqual(policies(), ["wan", "noapi"]);
  }
});

Deno.test("whatever takes a device's policies from elsewhere says that it gains admin access", async () => {
  await using router = await joined();
  const body = { [CARD]: { Name: "Tablet", RecentIP: "192.168.2.6", Policies: ["wan"] } };
  const sync = await router.json<Preview>("PUT", "/devices?dryRun=true", { body });
  assert.ok(sync.effects.includes(GAINS));
  const taken = await router.ask("PUT", PATH, { body: { AdminAccess: true } });
  await taken.body?.cancel();
  const given = taken.headers.get("change-id");
  await router.json("PUT", PATH, { body: { AdminAccess: false } });
  const back = await router.json<Preview>("PUT", `/changes/${given}/restore?dryRun=true`);
  assert.ok(back.effects.includes(GAINS));
});

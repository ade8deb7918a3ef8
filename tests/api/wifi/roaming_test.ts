import assert from "node:assert/strict";
import { DEFAULT_ROAMING } from "../../../system/wifi/roaming/schema.ts";
import { FakeWifid } from "../../kit/fakes/fake_wifid.ts";
import { testRouter, WIRED } from "../../kit/router.ts";

const CONFIG = "/hostapd/roaming/config";

Deno.test("client steering is decided as a whole, can be undone, and reaches wifid", async () => {
  await using router = await testRouter({ files: { "base/interfaces.json": [...WIRED] } });
  assert.deepEqual(await router.json("GET", CONFIG), DEFAULT_ROAMING);
  const live = { ...DEFAULT_ROAMING, DryRun: false, AllowedInterfaces: ["wlan1", "wlan0"] };
  const set = await router.json<{ AllowedInterfaces: string[] }>("PUT", CONFIG, { body: live });
  assert.deepEqual(set.AllowedInterfaces, ["wlan0", "wlan1"]);
  const plan = await (await router.inside("wifi", "GET", "/plan?known=")).json();
  assert.equal(plan.roaming.DryRun, false);
  const { items } = await router.json<{ items: { id: string }[] }>("GET", "/changes");
  assert.equal((await router.ask("PUT", `/changes/${items[0]!.id}/undo`)).status, 200);
  assert.deepEqual(await router.json("GET", CONFIG), DEFAULT_ROAMING);
  const { CooldownSeconds: _, ...partial } = live;
  for (const body of [partial, { ...live, Other: 1 }, { ...live, ExplorationRate: 2 }]) {
    assert.equal((await router.ask("PUT", CONFIG, { body })).status, 400, JSON.stringify(body));
  }
});

Deno.test("state, history and model come from wifid, and transitions are passed on", async () => {
  await using router = await testRouter({ files: { "base/interfaces.json": [...WIRED] } });
  const status = await router.ask("GET", "/hostapd/roaming/status");
  assert.equal(status.status, 503);
  await status.body?.cancel();
  await using _wifid = await new FakeWifid().listen(router.home);
  const { RoamingEnabled } = await router.json<{ RoamingEnabled: boolean }>(
    "GET",
    "/hostapd/roaming/status",
  );
  assert.equal(RoamingEnabled, true);
  assert.deepEqual(await router.json("GET", "/hostapd/roaming/history"), []);
  assert.deepEqual(await router.json("GET", "/hostapd/roaming/model"), {});
  const body = { MAC: "02-00-00-00-0A-01", TargetInterface: "wlan1" };
  const result = await router.json<Record<string, unknown>>(
    "PUT",
    "/hostapd/wlan0/bssTransition",
    { body },
  );
  assert.equal(result.MAC, "02:00:00:00:0a:01");
  assert.equal(result.HostapdResponse, "OK");
  for (
    const wrong of [
      { ...body, TargetInterface: "wlan0" },
      { ...body, Unknown: true },
      { ...body, MAC: "x" },
    ]
  ) {
    const answer = await router.ask("PUT", "/hostapd/wlan0/bssTransition", { body: wrong });
    assert.equal(answer.status, 400, JSON.stringify(wrong));
  }
});

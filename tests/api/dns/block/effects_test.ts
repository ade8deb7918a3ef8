import assert from "node:assert/strict";
import type { Preview } from "../../../../system/core/engine/change.ts";
import { testRouter } from "../../../kit/router.ts";

Deno.test("a preview says what a list or a tag blocks for whom", async () => {
  await using router = await testRouter();
  const identity = "02:00:00:00:0a:01", path = `/device?identity=${identity}`;
  const body = { MAC: identity, Name: "Tablet" };
  await (await router.ask("PUT", path, { body })).body?.cancel();
  const list = { URI: "https://lists.example/ads", Enabled: true, Tags: ["kids"] };
  const blocklists = "/plugins/dns/block/blocklists";
  const preview = (where: string, sent: unknown) =>
    router.json<Preview>("PUT", `${where}${where.includes("?") ? "&" : "?"}dryRun=true`, {
      body: sent,
    });
  assert.deepEqual((await preview(blocklists, { ...list, Tags: [] })).effects, [
    "The block list https://lists.example/ads blocks its domains for all devices",
  ]);
  await (await router.ask("PUT", blocklists, { body: list })).body?.cancel();
  assert.deepEqual((await preview(path, { DeviceTags: ["kids"] })).effects, [
    "The block list https://lists.example/ads blocks its domains for Tablet",
  ]);
});

import assert from "node:assert/strict";
import type { BlockConfig } from "../../../../system/dns/block/schema.ts";
import type { Schedule } from "../../../../system/core/time/schedule.ts";
import { override } from "../../../kit/dns/block.ts";
import { type TestRouter, testRouter } from "../../../kit/router.ts";

const BLOCK = "/plugins/dns/block";

/** Status of a request to set an override. */
async function put(router: TestRouter, body: unknown): Promise<number> {
  const answer = await router.ask("PUT", `${BLOCK}/override`, { body });
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("an override of a group exists beside one for all, and an edited one replaces the old", async () => {
  await using router = await testRouter();
  const rules = async () => {
    const [list] = (await router.json<BlockConfig>("GET", `${BLOCK}/config`)).OverrideLists;
    return [...list!.PermitDomains, ...list!.BlockDomains]
      .map(({ Type, Domain, Groups, Schedule }) => [Type, Domain, Groups, Schedule]);
  };
  const Schedule: Schedule = { Days: ["tue", "mon"], From: "20:00", To: "06:00" };
  const all = override("ads.example.com.");
  const kids = override("ads.example.com.", { Groups: ["Kids"], Schedule });
  for (const one of [all, kids]) {
    assert.equal(await put(router, one), 200);
  }
  const stored = { ...Schedule, Days: ["mon", "tue"] };
  assert.deepEqual(await rules(), [
    ["block", "ads.example.com.", undefined, undefined],
    ["block", "ads.example.com.", ["kids"], stored],
  ]);
  const Replaces = { Type: "block", Domain: "ads.example.com.", ClientIP: "*", Groups: ["kids"] };
  const edited = {
    ...override("video.example.com.", { Type: "permit", Groups: ["kids"] }),
    Replaces,
  };
  assert.equal(await put(router, edited), 200);
  assert.deepEqual(await rules(), [
    ["permit", "video.example.com.", ["kids"], undefined],
    ["block", "ads.example.com.", undefined, undefined],
  ]);
  assert.equal(await put(router, edited), 404);
  const bad = override("ads.example.com.", { Schedule: { ...Schedule, Days: [] } });
  assert.equal(await put(router, bad), 400);
});

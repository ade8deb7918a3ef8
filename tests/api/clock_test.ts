import assert from "node:assert/strict";
import { testRouter } from "../kit/router.ts";

Deno.test("a promise lasts its five minutes, whatever the clock is set to", async () => {
  for (const jump of [365 * 86_400_000, -3600_000]) {
    let now = Date.now(), steady = 0;
    await using router = await testRouter({ now: () => now, steady: () => steady });
    const reserve = async (Identifier: string): Promise<string> => {
      const answer = await router.inside("dhcp", "PUT", "/abstractDhcpRequest", { Identifier });
      return (await answer.json()).IP;
    };
    const first = await reserve("one");
    now += jump;
    assert.notEqual(await reserve("two"), first, "promised to one");
    now += 300_000;
    steady += 300_000;
    assert.equal(await reserve("three"), first, "nobody waits for it any more");
  }
});

import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

Deno.test("no single source can use up all event streams", async () => {
  await using router = await testRouter();
  const open = async (source: string): Promise<Response> =>
    await router.ask("GET", "/events", { peer: { source } });
  const streams = await Promise.all(Array.from({ length: 40 }, () => open("192.0.2.7")));
  const refused = streams.filter(({ status }) => status === 503);
  assert.equal(refused.length, 8);
  assert.equal(refused[0]!.headers.get("retry-after"), "10");
  const other = await open("192.0.2.8");
  assert.equal(other.status, 200);
  for (const { body } of [...streams, other]) await body?.cancel();
  const again = await open("192.0.2.7");
  assert.equal(again.status, 200, "those that ended make room");
  await again.body?.cancel();
});

Deno.test("a change of many labels has a short sentence in the history", async () => {
  await using router = await testRouter();
  const card = "02:00:00:00:0a:01";
  await router.json("PUT", `/device?identity=${card}`, { body: { Name: "card" } });
  const Groups = Array.from({ length: 60 }, (_, index) => `${index}${"x".repeat(60)}`);
  await router.json("PUT", "/devices/bulk", { body: { Identities: [card], Groups } });
  const { items } = await router.json<{ items: { summary: string }[] }>("GET", "/changes?limit=1");
  assert.match(items[0]!.summary, /and 55 more to/);
});

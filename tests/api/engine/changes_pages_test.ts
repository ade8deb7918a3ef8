import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

Deno.test("a page of changes behind one that is gone is 404, not the end of the list", async () => {
  await using router = await testRouter();
  await router.ask("PUT", "/groups", { body: { Name: "one" } });
  await router.ask("PUT", "/groups", { body: { Name: "two" } });
  const page = async (query: string) =>
    await router.json<{ items: { summary: string }[]; next: string | null }>(
      "GET",
      `/changes?limit=1${query}`,
    );
  const first = await page("");
  const second = await page(`&after=${first.next}`);
  assert.notEqual(second.items[0]!.summary, first.items[0]!.summary);
  const gone = await router.ask("GET", "/changes?after=gone");
  await gone.body?.cancel();
  assert.equal(gone.status, 404);
});

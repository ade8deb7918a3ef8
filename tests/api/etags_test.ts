import assert from "node:assert/strict";
import { digest } from "../../system/core/json.ts";
import { type TestRouter, testRouter } from "../kit/router.ts";

const CARD = "02:00:00:00:0a:01";

async function tagOf(router: TestRouter, method: string, path: string): Promise<string> {
  const answer = await router.ask(method, path);
  await answer.body?.cancel();
  return answer.headers.get("etag") ?? "";
}

Deno.test("an entity tag of the devices lets nobody try passwords offline", async () => {
  await using router = await testRouter();
  await router.json("PUT", `/device?identity=${CARD}`, {
    body: { PSKEntry: { Type: "sae", Psk: "a guessable one" } },
  });
  const tag = await tagOf(router, "GET", "/devices");
  assert.notEqual(tag, "");
  // What a reader without the second factor can compute of a right guess.
  assert.ok(!tag.includes(digest(router.engine.config.devices).slice(0, 22)));
});

Deno.test("entity tags stay over a restart", async () => {
  const before = await testRouter();
  await before.json("PUT", `/device?identity=${CARD}`, { body: { Name: "card" } });
  const tags = [
    await tagOf(before, "GET", "/devices"),
    await tagOf(before, "HEAD", `/device?identity=${CARD}`),
  ];
  await using after = await before.reopen();
  assert.equal(await tagOf(after, "GET", "/devices"), tags[0]);
  assert.equal(await tagOf(after, "HEAD", `/device?identity=${CARD}`), tags[1]);
});

Deno.test("a write that shares its transaction with others answers the tag of its own state", async () => {
  await using router = await testRouter();
  const names = ["one", "two", "three", "four"];
  const answers = await Promise.all(
    names.map((Name) => router.ask("PUT", "/groups", { body: { Name } })),
  );
  for (const answer of answers) await answer.body?.cancel();
  const tags = answers.map((answer) => answer.headers.get("etag"));
  assert.equal(new Set(tags).size, names.length);
  // Only who wrote last has seen everything: the tags of the others are of the past.
  const current = await tagOf(router, "GET", "/groups");
  assert.equal(tags.filter((tag) => tag === current).length, 1);
  const stale = tags.find((tag) => tag !== current)!;
  const lost = await router.ask("PUT", "/groups", {
    body: { Name: "one", Disabled: true },
    headers: { "if-match": stale },
  });
  await lost.body?.cancel();
  assert.equal(lost.status, 412);
});

Deno.test("of fifty writes on the same tag one passes", async () => {
  await using router = await testRouter();
  await router.ask("PUT", "/groups", { body: { Name: "contested" } });
  const tag = await tagOf(router, "GET", "/groups");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      router.ask("PUT", "/groups", {
        body: { Name: `group ${index}` },
        headers: { "if-match": tag },
      })),
  );
  for (const answer of answers) await answer.body?.cancel();
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 412).length, 49);
  assert.equal(router.engine.config.groups.length, 2);
});

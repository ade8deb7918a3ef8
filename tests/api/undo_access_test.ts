import assert from "node:assert/strict";
import { basic, PASSWORD, testRouter } from "../kit/router.ts";

Deno.test("a token may undo what it may read, but never a change of a password", async () => {
  await using router = await testRouter();
  const { Token } = await router.access.tokens.create({
    Name: "t",
    Expire: 0,
    ScopedPaths: ["/changes", "/groups"],
  });
  const as = `Bearer ${Token}`;
  const group = await router.ask("PUT", "/groups", { as, body: { Name: "kids" } });
  const undone = await router.ask("PUT", `/changes/${group.headers.get("change-id")}/undo`, { as });
  assert.equal(undone.status, 200, await undone.text());

  const changed = await router.ask("PUT", "/auth/password", {
    body: { Current: PASSWORD, New: "another password" },
  });
  assert.equal(changed.status, 200, await changed.text());
  const id = changed.headers.get("change-id");
  for (const query of ["", "?dryRun=true"]) {
    const refused = await router.ask("PUT", `/changes/${id}/undo${query}`, { as });
    assert.equal(refused.status, 403);
    await refused.body?.cancel();
  }
  const now = basic("admin", "another password");
  const allowed = await router.ask("PUT", `/changes/${id}/undo`, { as: now });
  assert.equal(allowed.status, 200, await allowed.text());
  assert.equal((await router.ask("GET", "/status")).status, 200, "the old password holds again");
});

Deno.test("a token may restore to a point, but never past a change of a password", async () => {
  await using router = await testRouter();
  const { Token } = await router.access.tokens.create({
    Name: "t",
    Expire: 0,
    ScopedPaths: ["/changes", "/groups"],
  });
  const as = `Bearer ${Token}`;
  const put = async (name: string) => {
    const answer = await router.ask("PUT", "/groups", { as, body: { Name: name } });
    await answer.body?.cancel();
    return answer.headers.get("change-id");
  };
  const restore = async (id: string | null, query = "", who = as) => {
    const answer = await router.ask("PUT", `/changes/${id}/restore${query}`, { as: who });
    await answer.body?.cancel();
    return answer;
  };
  const first = await put("kids");
  await put("guests");
  const restored = await restore(first);
  assert.equal(restored.status, 200);
  assert.ok(restored.headers.get("change-id"));
  const names = (await router.json<{ Name: string }[]>("GET", "/groups")).map(({ Name }) => Name);
  assert.ok(names.includes("kids") && !names.includes("guests"));
  assert.equal((await restore(first)).headers.get("change-id"), null, "it is there already");
  assert.equal((await restore("nothing")).status, 404);
  const changed = await router.ask("PUT", "/auth/password", {
    body: { Current: PASSWORD, New: "another password" },
  });
  assert.equal(changed.status, 200, await changed.text());
  for (const query of ["", "?dryRun=true"]) assert.equal((await restore(first, query)).status, 403);
  const now = basic("admin", "another password");
  const preview = await router.ask("PUT", `/changes/${first}/restore?dryRun`, { as: now });
  const text = await preview.text();
  assert.equal(preview.status, 200, text);
  assert.ok(text.includes("(hidden)") && !text.includes("pbkdf2"), text);
  assert.equal((await restore(first, "", now)).status, 200);
  assert.equal((await router.ask("GET", "/status")).status, 200, "the old password holds again");
});

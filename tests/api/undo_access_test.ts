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

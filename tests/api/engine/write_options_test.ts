import assert from "node:assert/strict";
import { decides } from "../../../routes/http/route.ts";
import { testRouter } from "../../kit/router.ts";

const PREVIEWS = ["?dryrun=true", "?DRYRUN=1", "?DryRun"];
const REFUSED = ["?dryRun=maybe", "?dryRun=true&dryRun=true", "?dryRun=false&dryrun=true"];

Deno.test("?dryRun in any case is a preview", async () => {
  await using router = await testRouter();
  for (const query of PREVIEWS) {
    const preview = await router.json<{ config: unknown[] }>("PUT", `/groups${query}`, {
      body: { Name: "kitchen" },
    });
    assert.equal(preview.config.length, 1, query);
  }
  assert.deepEqual(router.engine.config.groups, []);
});

Deno.test("?dryRun that says two things, or neither yes nor no, changes nothing", async () => {
  await using router = await testRouter();
  for (const query of REFUSED) {
    const answer = await router.ask("PUT", `/groups${query}`, { body: { Name: "kitchen" } });
    await answer.body?.cancel();
    assert.equal(answer.status, 400, query);
  }
  assert.deepEqual(router.engine.config.groups, []);
});

Deno.test("a window of odd length is refused", async () => {
  await using router = await testRouter();
  for (const seconds of ["9", "601", "NaN", "", "60, 60", "6e1", "0x3c", "10.5", "-10"]) {
    const answer = await router.ask("PUT", "/groups", {
      body: { Name: "kitchen" },
      headers: { "confirm-within": seconds },
    });
    await answer.body?.cancel();
    assert.equal(answer.status, 400, seconds);
  }
  assert.deepEqual(router.engine.config.groups, []);
});

Deno.test("what takes effect at once is neither previewed nor tried for a while", async () => {
  await using router = await testRouter();
  const login = await router.ask("PUT", "/auth/login?dryRun=true");
  await login.body?.cancel();
  assert.equal(login.status, 400);
  assert.equal(login.headers.get("set-cookie"), null);
  const register = await router.ask("PUT", "/otp_register", {
    body: {},
    headers: { "confirm-within": "60" },
  });
  await register.body?.cancel();
  assert.equal(register.status, 400);
  assert.equal(router.access.otp.status("admin").State, "unregistered");
});

Deno.test("the API document describes every write that can be previewed", async () => {
  await using router = await testRouter();
  const { paths } = await router.json<{
    paths: Record<string, Record<string, { parameters: { name?: string; $ref?: string }[] }>>;
  }>("GET", "/openapi.json");
  const previewed = router.routes.filter(({ description }) => decides(description))
    .map(({ description }) => `${description.method} ${description.path}`);
  for (const expected of ["PUT /device", "DELETE /device/{identity}", "PUT /changes/{id}/undo"]) {
    assert.ok(previewed.includes(expected), expected);
  }
  for (const { description } of router.routes) {
    const { parameters } = paths[description.path]![description.method.toLowerCase()]!;
    const named = parameters.some(({ $ref }) => $ref === "#/components/parameters/DryRun");
    assert.equal(named, decides(description), `${description.method} ${description.path}`);
  }
});

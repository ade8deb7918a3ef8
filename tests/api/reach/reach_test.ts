import assert from "node:assert/strict";
import type { ReachAnswer, ReachTestResult } from "../../../system/reach/schema.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";
import type { ReachMatrix } from "../../../system/reach/matrix_schema.ts";

const TABLET = "02:00:00:00:00:0a";

async function withTablet(router: TestRouter): Promise<void> {
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: TABLET,
    Iface: "lan0",
    Name: "tablet",
  });
  assert.equal(lease.status, 200);
  await lease.body?.cancel();
  await put(router, `/device?identity=${TABLET}`, { Policies: ["wan"] });
}

async function put(
  router: TestRouter,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; problem: Record<string, unknown> | null }> {
  const answer = await router.ask("PUT", path, { body, headers });
  const text = await answer.text();
  return {
    status: answer.status,
    problem: /problem/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : null,
  };
}

const TEST = {
  Name: "tablet online",
  From: TABLET,
  To: "internet",
  Protocol: "tcp",
  Port: "443",
  Expect: "accept",
};

Deno.test("GET /reach answers with the rules in words, and 400 with a pointer for bad questions", async () => {
  await using router = await testRouter();
  await withTablet(router);
  const answer = await router.json<ReachAnswer>(
    "GET",
    `/reach?from=${TABLET}&to=internet&protocol=tcp&port=443`,
  );
  assert.equal(answer.verdict, "accept");
  assert.equal(answer.from.link, "lan0");
  assert.match(answer.reason, /^Allowed by policy wan/);
  for (const query of ["", "?from=x&to=router&protocol=tcp&port=1", "?from=router&to=internet"]) {
    const refused = await router.ask("GET", `/reach${query}`);
    assert.equal(refused.status, 400, query);
    assert.ok((await refused.json()).errors.length > 0, query);
  }
});

Deno.test("a write that breaks a test is refused with its name and rule, and passes with force", async () => {
  await using router = await testRouter();
  await withTablet(router);
  assert.equal((await put(router, "/reach/tests", TEST)).status, 200);
  const [held] = await router.json<ReachTestResult[]>("GET", "/reach/tests");
  assert.equal(held?.passes, true);
  const path = `/device?identity=${TABLET}`;
  const refused = await put(router, path, { Policies: ["dns"] });
  assert.equal(refused.status, 409);
  assert.equal(refused.problem?.["test"], "tablet online");
  assert.ok(refused.problem?.["rule"]);
  assert.equal((await put(router, path, { Name: "renamed" })).status, 200, "other writes pass");
  assert.equal((await put(router, `${path}&force=true`, { Policies: ["dns"] })).status, 200);
  const [broken] = await router.json<ReachTestResult[]>("GET", "/reach/tests");
  assert.equal(broken?.passes, false);
  assert.equal(
    (await put(router, path, { Policies: [] })).status,
    200,
    "what is broken holds none up",
  );
});

Deno.test("a write that breaks a test passes under a window", async () => {
  await using router = await testRouter();
  await withTablet(router);
  await put(router, "/reach/tests", TEST);
  const window = { "confirm-within": "10" };
  const tried = await put(router, `/device?identity=${TABLET}`, { Policies: [] }, window);
  assert.equal(tried.status, 200);
});

Deno.test("PUT /reach/tests twice is one test, DELETE takes it away, a second one is 404", async () => {
  await using router = await testRouter();
  await put(router, "/reach/tests", TEST);
  await put(router, "/reach/tests", { ...TEST, Name: " tablet online " });
  assert.equal((await router.json<unknown[]>("GET", "/reach/tests")).length, 1);
  const remove = async () => {
    const answer = await router.ask("DELETE", "/reach/tests", { body: { Name: TEST.Name } });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await remove(), 200);
  assert.equal(await remove(), 404);
  for (const bad of [{ Expect: "maybe" }, { Port: "" }, { From: "nobody" }, { Name: "" }]) {
    assert.equal((await put(router, "/reach/tests", { ...TEST, ...bad })).status, 400);
  }
});

Deno.test("tests of reach are still there after a restart", async () => {
  await using first = await testRouter();
  await put(first, "/reach/tests", TEST);
  const again = await first.reopen();
  assert.equal((await again.json<unknown[]>("GET", "/reach/tests")).length, 1);
  await again.close();
});

Deno.test("a test that something no caller can be refused for breaks is an open notice until it holds again", async () => {
  await using router = await testRouter();
  await withTablet(router);
  await put(router, "/reach/tests", TEST);
  const notices = async (): Promise<readonly { kind: string; detail: string }[]> => {
    await router.runDueTasks();
    const { items } = await router.json<{ items: { kind: string; detail: string }[] }>(
      "GET",
      "/notices",
    );
    return items.filter(({ kind }) => kind === "reach-test");
  };
  assert.deepEqual(await notices(), []);
  const file = `${router.home}/configs/devices/devices.json`;
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, text.replaceAll('"wan"', '"lan"'));
  await router.engine.adoptEditedFiles();
  const [open, ...more] = await notices();
  assert.deepEqual(more, []);
  assert.match(
    open!.detail,
    /^The access test "tablet online" fails: tablet must reach the Internet; blocked: no rule /,
  );
  await put(router, `/device?identity=${TABLET}`, { Policies: ["wan"] });
  assert.deepEqual(await notices(), [], "it holds again");
  await put(router, `/device?identity=${TABLET}&force=true`, { Policies: [] });
  assert.equal((await notices()).length, 1, "forced");
  await router.ask("DELETE", "/reach/tests", { body: { Name: TEST.Name } });
  assert.deepEqual(await notices(), [], "nobody asks for it any more");
});

Deno.test("GET /reach/matrix answers all devices, or those that are named", async () => {
  await using router = await testRouter();
  for (const n of [1, 2]) {
    await put(router, `/device?identity=02:00:00:00:00:0${n}`, { Policies: ["wan"] });
  }
  const all = await router.json<ReachMatrix>("GET", "/reach/matrix");
  assert.deepEqual(all.classes.map(({ kind, members }) => `${kind} ${members.length}`), [
    "device 2",
    "internet 0",
    "router 0",
  ]);
  assert.equal(all.cells.length, 3);
  const some = await router.json<ReachMatrix>("GET", "/reach/matrix?ids=02:00:00:00:00:01");
  assert.deepEqual(some.classes[0]!.members, ["02:00:00:00:00:01"]);
  const unknown = await router.ask("GET", "/reach/matrix?ids=02:00:00:00:00:09");
  assert.equal(unknown.status, 404);
  await unknown.body?.cancel();
});

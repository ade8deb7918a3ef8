import assert from "node:assert/strict";
import { type AccessKit, accessKit, PASSWORD } from "../../kit/access.ts";

const ADMIN = `admin:${PASSWORD}`;

/** Sends to `/tokens` as an admin with a valid JWT. */
async function tokens(
  kit: AccessKit,
): Promise<(method: string, body?: unknown) => Promise<Response>> {
  const { jwt } = await kit.enrol();
  return (method, body) =>
    kit.request("/tokens", {
      method,
      basic: ADMIN,
      jwt,
      ...(body === undefined ? {} : { body }),
    });
}

Deno.test("a token is shown in full once, and by its prefix afterwards", async () => {
  await using kit = await accessKit();
  const send = await tokens(kit);
  const made = await (await send("PUT", { name: "mesh", scopedPaths: ["/devices:r"] })).json();
  assert.match(made.Token, /^[\w-]{43}$/);
  const { Token: whole, ...rest } = made;
  assert.deepEqual(rest, {
    Name: "mesh",
    ID: rest.ID,
    Expire: 0,
    ScopedPaths: ["/devices:r"],
    LastUsed: 0,
  });
  const list = async () => await (await send("GET")).json();
  assert.deepEqual(await list(), [{ ...made, Token: `${whole.slice(0, 8)}…` }]);
  await kit.restart();
  assert.equal((await list()).length, 1);
  assert.equal((await kit.request("/devices", { bearer: whole })).status, 200);
});

Deno.test("PUT /tokens fills in defaults and refuses invalid scopes", async () => {
  await using kit = await accessKit();
  const send = await tokens(kit);
  const made = await (await send("PUT", { Token: "mine", Expire: null })).json();
  assert.notEqual(made.Token, "mine");
  assert.deepEqual([made.Name, made.Expire, made.ScopedPaths], ["", 0, []]);
  const bad = [
    { ScopedPaths: [""] },
    { ScopedPaths: ["/a:w"] },
    { ScopedPaths: "/a" },
    { ScopedPaths: Array(65).fill("/a") },
    { Expire: -1 },
    { Expire: 1.5 },
    { Expire: 1000 },
    { Expire: "never" },
    { Name: "a\nb" },
    { Name: "x".repeat(200) },
  ];
  for (const body of bad) {
    const answer = await send("PUT", body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.ok((await answer.json()).errors[0].pointer.startsWith(`/${Object.keys(body)[0]}`));
  }
  assert.equal((await (await send("GET")).json()).length, 1);
});

Deno.test("DELETE /tokens takes the whole token, its ID or its shortened form", async () => {
  await using kit = await accessKit();
  const send = await tokens(kit);
  const make = async () => await (await send("PUT", {})).json();
  const [a, b, c, d] = [await make(), await make(), await make(), await make()];
  assert.equal((await send("DELETE", { Token: a.Token })).status, 200);
  assert.equal((await send("DELETE", { Token: b.ID })).status, 200);
  assert.equal((await send("DELETE", { ID: c.ID })).status, 200);
  const gone = await (await send("DELETE", { Token: `${d.Token.slice(0, 8)}…` })).json();
  assert.deepEqual([gone.ID, gone.Token], [d.ID, `${d.Token.slice(0, 8)}…`]);
  for (const body of [{ Token: a.Token }, { Token: "x" }, { ID: "x" }, { Token: "…" }]) {
    assert.equal((await send("DELETE", body)).status, 404, JSON.stringify(body));
  }
  assert.equal((await send("DELETE", {})).status, 400);
  assert.deepEqual(await (await send("GET")).json(), []);
  assert.equal((await kit.request("/devices", { bearer: a.Token })).status, 401);
});

Deno.test("/tokens needs a JWT of every caller", async () => {
  await using kit = await accessKit();
  for (const method of ["GET", "PUT", "DELETE"]) {
    const body = method === "GET" ? {} : { body: {} };
    assert.equal((await kit.request("/tokens", { method, ...body })).status, 401);
    assert.equal((await kit.request("/tokens", { method, ...body, basic: ADMIN })).status, 403);
  }
});

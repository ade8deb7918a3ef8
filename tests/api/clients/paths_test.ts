import assert from "node:assert/strict";
import { type Ask, type TestRouter, testRouter } from "../../kit/router.ts";

/** By this form existing clients know the list of plugins; it is served there too. */
const SERVED_AS_IT_IS = "/plugins_api/";

/** Status and target of an answer: `301 /devices`. */
async function outcome(
  router: TestRouter,
  method: string,
  path: string,
  options: Ask = {},
): Promise<string> {
  const answer = await router.ask(method, path, options);
  await answer.body?.cancel();
  return `${answer.status} ${answer.headers.get("location") ?? ""}`.trim();
}

Deno.test("every route answers with its registered form to a trailing or a doubled slash", async () => {
  await using router = await testRouter();
  const document = await router.json<{ paths: Record<string, unknown> }>("GET", "/openapi.json");
  const paths = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, "x"));
  assert.ok(paths.length > 100);
  for (const path of paths) {
    for (const odd of [`${path}/`, `/${path}`, path.replaceAll("/", "///"), `//.${path}//`]) {
      const expected = odd === SERVED_AS_IT_IS ? "200" : `301 ${path}?a=1&b=%2F`;
      assert.equal(await outcome(router, "GET", `${odd}?a=1&b=%2F`), expected, odd);
    }
  }
});

Deno.test("a write that is led to its registered form stays a write", async () => {
  await using router = await testRouter();
  assert.equal(await outcome(router, "PUT", "//groups/", { body: {} }), "308 /groups");
  assert.equal(
    await outcome(router, "DELETE", "/device/?identity=pending"),
    "308 /device?identity=pending",
  );
  assert.equal(await outcome(router, "HEAD", "/devices/"), "301 /devices");
  assert.deepEqual(router.engine.config.groups, []);
});

Deno.test("a redirect never leads to another host", async () => {
  await using router = await testRouter();
  const paths = [
    "//evil.example",
    "//evil.example/devices",
    "///evil.example",
    "/%2f/evil.example",
    "/%2fevil.example/",
    "/%5cevil.example/",
    "/\\evil.example/devices",
    "/\\/evil.example",
    "//evil.example/..",
    "//evil.example/..//devices",
    "//admin/..//evil.example",
    "//device//%2f%2fevil.example//",
    "//auth/validate/",
    "//admin//evil.example",
    "//",
  ];
  for (const path of paths) {
    for (const as of [undefined, null]) {
      const answer = await router.ask("GET", path, as === null ? { as } : {});
      await answer.body?.cancel();
      const location = answer.headers.get("location");
      if (location === null) continue;
      assert.match(location, /^\/([^/\\]|$)/, path);
      assert.equal(new URL(location, "http://192.168.2.1").host, "192.168.2.1", path);
    }
  }
  assert.equal(await outcome(router, "GET", "//evil.example"), "404");
  assert.equal(await outcome(router, "GET", "//evil.example/..//devices"), "301 /devices");
});

Deno.test("which paths there are is for callers with credentials, but for public ones", async () => {
  await using router = await testRouter();
  const as = null;
  assert.equal(await outcome(router, "GET", "/devices/", { as }), "401");
  assert.equal(await outcome(router, "GET", "/nothing/", { as }), "401");
  assert.equal(await outcome(router, "GET", "//cert", { as }), "301 /cert");
  assert.equal(await outcome(router, "GET", "//admin/devices", { as }), "301 /admin/devices");
  assert.equal(await outcome(router, "PUT", "/auth/validate/", { as }), "308 /auth/validate");
  assert.equal(await outcome(router, "GET", "/nothing/"), "404");
  assert.equal(await outcome(router, "GET", "/device/x/y/"), "404");
});

Deno.test("a path in its registered form is never led on", async () => {
  await using router = await testRouter();
  assert.equal(await outcome(router, "PUT", "/", { body: {} }), "404");
  assert.equal(await outcome(router, "PUT", "/admin/devices", { body: {} }), "404");
  assert.equal(await outcome(router, "GET", "/d%65vices"), "200");
  assert.equal(await outcome(router, "POST", "/devices", { body: {} }), "405");
});

Deno.test("sockets between the processes lead to registered forms, too", async () => {
  await using router = await testRouter();
  const answer = await router.inside("wifi", "GET", "//interfaces/");
  assert.equal(answer.status, 301);
  assert.equal(answer.headers.get("location"), "/interfaces");
  assert.equal((await router.inside("wifi", "GET", "/nothing/")).status, 404);
});

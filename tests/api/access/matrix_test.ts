import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Route } from "../../../routes/http/route.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

/** A path of the route with something that fits in each parameter. */
function pathOf({ description }: Route): string {
  return description.path.replaceAll(/\{\w+\}/g, "x");
}

/**
 * Scopes that a token needs beside the path: buckets of other programs hold what no other path shows,
 * so that reading them takes the right to read everything.
 */
function alsoNeeded({ description: { method, path } }: Route): readonly string[] {
  return method === "GET" && /^\/plugins\/db\/.*\{/.test(path) ? ["/:r"] : [];
}

function nameOf({ description }: Route): string {
  return `${description.method} ${description.path}`;
}

/** Streams have no end; only their status matters here. */
async function status(answer: Response): Promise<number> {
  await answer.body?.cancel();
  return answer.status;
}

async function token(router: TestRouter, jwt: string, scopes: readonly string[]): Promise<string> {
  const made = await router.json<{ Token: string }>("PUT", "/tokens", {
    headers: { "x-jwt-otp": jwt },
    body: { Name: "matrix", ScopedPaths: scopes },
  });
  return `Bearer ${made.Token}`;
}

async function jwtOf(router: TestRouter): Promise<string> {
  const enrolled = await router.json<{ OTPUsers: { Secret: string }[] }>("PUT", "/otp_register", {
    body: { Name: "admin" },
  });
  const totp = new TOTP({ secret: Secret.fromBase32(enrolled.OTPUsers[0]!.Secret) });
  return await router.json("PUT", "/otp_validate", {
    body: { Name: "admin", Code: totp.generate() },
  });
}

Deno.test("every route: no credentials, wrong scope, right scope, OTP missing", async () => {
  await using router = await testRouter();
  const jwt = await jwtOf(router);
  const foreign = await token(router, jwt, ["/somewhere/else:rw"]);
  const guarded = router.routes.filter(({ description }) => description.access !== "public");
  assert.ok(guarded.length > 30, "the walk found the routes");
  const wrong: string[] = [];
  for (const route of guarded) {
    const { method, access } = route.description;
    const path = pathOf(route);
    const ask = async (as: string | null, headers: Record<string, string> = {}) =>
      await status(await router.ask(method, path, { as, headers }));
    const answers = (found: number, expected: readonly number[], what: string): void => {
      if (!expected.includes(found)) wrong.push(`${nameOf(route)} ${what}: ${found}`);
    };
    answers(await ask(null), [401], "without credentials");
    answers(await ask("Bearer "), [401], "with an empty token");
    answers(await ask(basic("admin", "wrong")), [401], "with a wrong password");
    if (access === "password" || access === "setup") {
      answers(await ask(foreign), [401, 403], "with a token");
      continue;
    }
    answers(await ask(foreign, { "x-jwt-otp": jwt }), [403], "with a token of another scope");
    const right = await token(router, jwt, [
      `${path}:${method === "GET" ? "r" : "rw"}`,
      ...alsoNeeded(route),
    ]);
    if (access === "otp") {
      answers(await ask(right), [403], "with the right token but no OTP");
      answers(await ask(basic()), [403], "with the password but no OTP");
      answers(await ask(basic(), { "x-jwt-otp": `${jwt}x` }), [403], "with a forged OTP");
    }
    if (method !== "GET" && method !== "HEAD") {
      const reader = await token(router, jwt, [`${path}:r`]);
      answers(await ask(reader, { "x-jwt-otp": jwt }), [403], "with a token that may only read");
    }
    const allowed = await ask(right, { "x-jwt-otp": jwt });
    if ([401, 403].includes(allowed)) answers(allowed, [], "with the right token");
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a path without a route is 401 without credentials and 404 with them", async () => {
  await using router = await testRouter();
  for (const path of ["/nothing", "/nothing/", "/plugins/nobody", "/.git/config", "/device/a/b"]) {
    assert.equal(await status(await router.ask("GET", path, { as: null })), 401, path);
    assert.equal(await status(await router.ask("GET", path)), 404, path);
  }
});

Deno.test("a method that a path does not have is 405 with Allow, and 401 without credentials", async () => {
  await using router = await testRouter();
  assert.equal(await status(await router.ask("POST", "/groups", { as: null })), 401);
  const answer = await router.ask("POST", "/groups");
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.get("allow"), "GET, HEAD, PUT, DELETE");
  await answer.body?.cancel();
});

Deno.test("the API document describes exactly the routes that are mounted", async () => {
  await using router = await testRouter();
  const document = await router.json<
    { openapi: string; paths: Record<string, Record<string, unknown>> }
  >(
    "GET",
    "/openapi.json",
  );
  assert.equal(document.openapi, "3.1.0");
  const described = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    );
  assert.deepEqual(described.sort(), router.routes.map(nameOf).sort());
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => (operation as { operationId: string }).operationId)
  );
  assert.equal(new Set(ids).size, ids.length, "operation ids are unique");
});

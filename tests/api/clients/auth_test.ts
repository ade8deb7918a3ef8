import assert from "node:assert/strict";
import { otpOf } from "../../kit/otp.ts";
import { basic, PASSWORD, testRouter } from "../../kit/router.ts";

/** What the page of an existing router sends with each request. */
const PAGE = {
  "x-requested-with": "react",
  "content-type": "application/json",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64)",
};

Deno.test("a sign-in is tried by GET /status, whatever its query", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "suite", Expire: 0, ScopedPaths: [] },
    headers,
  });
  for (const as of [basic("admin", PASSWORD), `Bearer ${Token}`]) {
    const answer = await router.ask("GET", "/status?json=0.8143", { as, headers: PAGE });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "application/json");
    assert.equal(await answer.json(), "Online");
  }
});

Deno.test("without valid credentials it is 401, and no browser shows its dialog to a page", async () => {
  await using router = await testRouter();
  for (const as of [null, basic("admin", "wrong"), "Bearer nothing", "Basic ???"]) {
    const page = await router.ask("GET", "/status", { as, headers: PAGE });
    assert.equal(page.status, 401, String(as));
    assert.equal(page.headers.get("www-authenticate"), null);
    await page.body?.cancel();
    const program = await router.ask("GET", "/status", { as });
    assert.equal(program.status, 401);
    assert.match(program.headers.get("www-authenticate") ?? "", /^Basic /);
    await program.body?.cancel();
  }
});

Deno.test("an answer without a body has no content type, which a page reads as success", async () => {
  await using router = await testRouter();
  const calls: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ["PUT", "/groups", { Name: "kids" }],
    ["DELETE", "/groups", { Name: "kids" }],
    ["PUT", "/reloadPSKFiles"],
    ["PUT", "/autoupdate"],
    ["DELETE", "/autoupdate"],
    ["PUT", "/firewall/icmp", { PingLan: true, PingWan: false }],
    ["PUT", "/update"],
  ];
  for (const [method, path, body] of calls) {
    const answer = await router.ask(method, path, { body, headers: PAGE });
    assert.equal(answer.status, 200, `${method} ${path}: ${await answer.clone().text()}`);
    assert.equal(answer.headers.get("content-type"), null, path);
    assert.equal(answer.headers.get("content-length"), "0", path);
    assert.equal(await answer.text(), "");
  }
});

Deno.test("a page of another origin reads with a token, and the headers that it looks at", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "suite", ScopedPaths: ["/devices:r"] },
    headers,
  });
  const origin = { origin: "http://192.168.2.6" };
  const preflight = await router.ask("OPTIONS", "/devices", {
    as: null,
    headers: {
      ...origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization,x-jwt-otp,x-requested-with",
    },
  });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  const allowed = preflight.headers.get("access-control-allow-headers")!.toLowerCase();
  for (const header of ["authorization", "x-jwt-otp", "x-requested-with", "content-type"]) {
    assert.ok(allowed.includes(header), header);
  }
  const answer = await router.ask("GET", "/devices", { as: `Bearer ${Token}`, headers: origin });
  assert.deepEqual(await answer.json(), {});
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
});

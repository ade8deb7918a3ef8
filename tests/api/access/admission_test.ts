import assert from "node:assert/strict";
import { accessKit, cookieOf, PASSWORD } from "../../kit/access.ts";

const ADMIN = `admin:${PASSWORD}`;

Deno.test("an unknown path is 401 without credentials and 404 with them", async () => {
  await using kit = await accessKit();
  for (const path of ["/devices", "/nothing", "/tokens", "/plugins/none/x"]) {
    assert.equal((await kit.request(path)).status, 401, path);
  }
  assert.equal((await kit.request("/nothing", { basic: ADMIN })).status, 404);
  assert.equal((await kit.request("/devices", { basic: ADMIN })).status, 200);
  assert.equal((await kit.request("/cert")).status, 200);
  const wrong = await kit.request("/devices", { method: "PUT", basic: ADMIN, body: {} });
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get("allow"), "GET, HEAD");
  assert.equal((await kit.request("/devices", { method: "PUT", body: {} })).status, 401);
});

Deno.test("a 401 has WWW-Authenticate for programs and none for browsers", async () => {
  await using kit = await accessKit();
  const program = await kit.request("/devices");
  assert.match(program.headers.get("www-authenticate") ?? "", /^Basic realm=/);
  for (
    const headers of [
      { "user-agent": "Mozilla/5.0" },
      { "sec-fetch-site": "same-origin" },
      { origin: "http://192.168.2.1" },
    ]
  ) {
    const browser = await kit.request("/devices", { headers: headers as Record<string, string> });
    assert.equal(browser.status, 401);
    assert.equal(browser.headers.get("www-authenticate"), null);
  }
});

Deno.test("malformed credentials are 401", async () => {
  await using kit = await accessKit();
  const headers = [
    "Bearer",
    "Bearer ",
    "Bearer  ",
    "Basic",
    "Basic !!!!",
    `Basic ${btoa("admin")}`,
    `Basic ${btoa(":")}`,
    `Basic ${btoa(":x")}`,
    `Basic ${btoa("admin:\0")}`,
    `Basic ${btoa("admin:\xff\xfe")}`,
    `Basic ${btoa("__proto__:x")}`,
    `Digest username="admin"`,
    "x",
    `Bearer ${"x".repeat(50_000)}`,
    `Bearer ${"é"}`,
  ];
  for (const authorization of headers) {
    const { status } = await kit.request("/devices", { headers: { authorization } });
    assert.equal(status, 401, authorization.slice(0, 40));
  }
});

Deno.test("a password may contain colons and non-ASCII characters", async () => {
  await using kit = await accessKit({ users: { "Zoë": "a:b:ü:" } });
  assert.equal((await kit.request("/devices", { basic: "Zoë:a:b:ü:" })).status, 200);
  assert.equal((await kit.request("/devices", { basic: "Zoë:a:b:ü" })).status, 401);
});

Deno.test("the Authorization header takes precedence over the cookie, even when it is invalid", async () => {
  await using kit = await accessKit();
  const cookie = cookieOf(await kit.request("/auth/login", { method: "PUT", basic: ADMIN }));
  assert.equal((await kit.request("/devices", { cookie })).status, 200);
  assert.equal((await kit.request("/devices", { cookie, bearer: "nope" })).status, 401);
  assert.equal((await kit.request("/devices", { cookie, basic: "admin:nope" })).status, 401);
  const empty = await kit.request("/devices", { cookie, headers: { authorization: "" } });
  assert.equal(empty.status, 401);
});

Deno.test("a token authorizes only its paths, and no route that needs a password", async () => {
  await using kit = await accessKit();
  const make = (ScopedPaths: string[], Expire = 0) =>
    kit.access.accounts.createToken({ Name: "t", Expire, ScopedPaths });
  const reader = (await make(["/devices:r"])).Token;
  const all = (await make([])).Token;
  assert.equal((await kit.request("/devices", { bearer: reader })).status, 200);
  assert.equal((await kit.request("/devices", { bearer: reader, method: "HEAD" })).status, 200);
  assert.equal((await kit.request("/d%65vices", { bearer: reader })).status, 200);
  const device = { method: "PUT", body: {} };
  assert.equal((await kit.request("/device", { bearer: reader, ...device })).status, 403);
  const answer = await kit.request("/device", { bearer: all, ...device });
  assert.equal((await answer.json()).by, "token:t");
  assert.equal((await kit.request("/auth/sessions", { bearer: all })).status, 403);
  assert.equal((await kit.request("/tokens", { bearer: all })).status, 403);
  const soon = (await make([], kit.clock.now / 1000 + 10)).Token;
  assert.equal((await kit.request("/devices", { bearer: soon })).status, 200);
  kit.clock.now += 10_000;
  assert.equal((await kit.request("/devices", { bearer: soon })).status, 401);
  assert.equal((await kit.request("/devices", { bearer: all.slice(0, 8) })).status, 401);
});

Deno.test("a confirm token opens the confirm route of its change and nothing else", async () => {
  await using kit = await accessKit({
    confirms: (change, token) => change === "c1" && token === "once",
  });
  const put = { method: "PUT", bearer: "once" };
  assert.equal((await kit.request("/changes/c1/confirm", put)).status, 200);
  assert.equal((await kit.request("/changes/c2/confirm", put)).status, 401);
  assert.equal((await kit.request("/device", { ...put, body: {} })).status, 401);
  assert.equal((await kit.request("/changes/c1/confirm", { bearer: "once" })).status, 401);
});

Deno.test("OTP routes need a JWT of the same user, beside a token of any", async () => {
  await using kit = await accessKit({ users: { admin: PASSWORD, eve: "password of eve" } });
  const { jwt } = await kit.enrol();
  const eve = "eve:password of eve";
  const test = (options: Record<string, string>) =>
    kit.request("/otp_jwt_test", { method: "PUT", ...options });
  assert.equal((await test({ basic: ADMIN, jwt })).status, 200);
  const missing = await test({ basic: ADMIN });
  assert.equal(missing.status, 403);
  assert.match((await missing.json()).detail, /Invalid JWT/);
  assert.equal((await test({ basic: eve, jwt })).status, 403);
  const { Token: bearer } = await kit.access.accounts.createToken({
    Name: "",
    Expire: 0,
    ScopedPaths: [],
  });
  assert.equal((await test({ bearer, jwt })).status, 200);
  assert.equal((await test({ bearer })).status, 403);
  assert.equal((await test({ jwt })).status, 401);
  const header = await kit.request("/otp_jwt_test", {
    method: "PUT",
    basic: ADMIN,
    headers: { "x-jwt-token": jwt },
  });
  assert.equal(header.status, 200);
  kit.clock.now += 3600_000;
  assert.equal((await test({ basic: ADMIN, jwt })).status, 403);
});

Deno.test("the caller's device is identified by its address", async () => {
  await using kit = await accessKit();
  const ask = async (headers: Record<string, string>, peer = {}) =>
    (await (await kit.request("/devices", { basic: ADMIN, headers, peer })).json()).connection;
  const source = "192.168.2.9";
  assert.deepEqual(await ask({}), { source, destination: "192.168.2.1", port: 80 });
  assert.deepEqual(await ask({ host: "[2001:db8::1]:8080" }), {
    source,
    destination: "2001:db8::1",
    port: 8080,
  });
  assert.equal(await ask({ host: "router.lan" }), null);
  const local = { address: "127.0.0.1", port: 8000 };
  assert.deepEqual(await ask({}, { local }), { source, destination: "127.0.0.1", port: 8000 });
});

import assert from "node:assert/strict";
import { hostNames, isOurHost, requestHost } from "../../../routes/http/host_names.ts";
import { checkPluginPath } from "../../../routes/http/origin.ts";
import { accessKit, cookieOf, PASSWORD } from "../../kit/access.ts";
import { testRouter } from "../../kit/router.ts";

const ADMIN = `admin:${PASSWORD}`;
const OUR_COMMENT = "http://192.168.2.1";

Deno.test("an unknown Host is 421; the router's names and IP addresses are served", async () => {
  await using kit = await accessKit();
  const ask = async (host: string) => (await kit.request("/cert", { headers: { host } })).status;
  for (const host of ["evil.example", "router.lan.evil.example", "", "a b", "[::1", "1.2.3.4.5"]) {
    assert.equal(await ask(host), 421, host);
  }
  for (const host of ["router.lan", "ROUTER.lan.:8080", "10.1.1.1", "[::1]:80", "localhost:1"]) {
    assert.equal(await ask(host), 200, host);
  }
});

Deno.test("under HTTP/2 the host of the URL is checked the same way", () => {
  assert.equal(requestHost(new Request("https://evil.example:8443/x")), "evil.example:8443");
  const headers = { host: "router.lan" };
  assert.equal(requestHost(new Request("https://192.168.2.1/", { headers })), "router.lan");
});

Deno.test("hostNames() contains the router's name, certificate names and configured names", () => {
  const names = hostNames({
    hostName: "Home",
    chosenName: "Gatehouse",
    mdnsName: "gate",
    certificateNames: ["*.example.net", "r.example.org"],
    configured: ["box.internal"],
    setupOpen: true,
  });
  const ours = ["home", "home.lan", "home.local", "gate.local", "a.example.net", "r.example.org"];
  for (const host of [...ours, "gatehouse", "gatehouse.lan", "box.internal", "sluice.setup.lan"]) {
    assert.ok(isOurHost(host, names), host);
  }
  for (const host of ["example.net", "a.b.example.net", "gate", "home.lan.x", "*.example.net"]) {
    assert.ok(!isOurHost(host, names), host);
  }
});

Deno.test("a cross-origin page cannot write with the browser's session", async () => {
  await using kit = await accessKit();
  const cookie = cookieOf(await kit.request("/auth/login", { method: "PUT", basic: ADMIN }));
  const put = async (headers: Record<string, string>, host = "192.168.2.1", tls = false) =>
    (await kit.request("/device", {
      method: "PUT",
      basic: ADMIN,
      body: {},
      headers: { host, ...headers },
      peer: { tls },
    })).status;
  assert.equal(await put({}), 200);
  assert.equal(await put({ origin: OUR_COMMENT }), 200);
  assert.equal(await put({ origin: "https://192.168.2.1" }), 200);
  assert.equal(await put({ origin: "http://router.lan:8080" }, "router.lan:8080"), 200);
  assert.equal(await put({ origin: OUR_COMMENT }, "192.168.2.1", true), 403);
  for (const origin of ["null", "http://192.168.2.1:81", "https://evil.example", "http://x", ""]) {
    assert.equal(await put({ origin }), 403, origin);
  }
  for (const site of ["cross-site", "same-site", "weird"]) {
    assert.equal(await put({ "sec-fetch-site": site }), 403, site);
  }
  assert.equal(await put({ "sec-fetch-site": "same-origin", origin: OUR_COMMENT }), 200);
  const session = await kit.request("/device", {
    method: "PUT",
    cookie,
    body: {},
    headers: { origin: "http://evil.example" },
  });
  assert.equal(session.status, 403);
  const login = await kit.request("/auth/login", {
    method: "PUT",
    basic: ADMIN,
    headers: { origin: "http://evil.example" },
  });
  assert.equal(login.status, 403);
  assert.equal((await kit.request("/devices", { cookie })).status, 200);
});

Deno.test("browsers must send application/json; other callers may omit the content type", async () => {
  await using kit = await accessKit();
  const put = async (headers: Record<string, string>) =>
    (await kit.request("/device", { method: "PUT", basic: ADMIN, body: {}, headers })).status;
  assert.equal(await put({ origin: OUR_COMMENT, "content-type": "text/plain" }), 415);
  assert.equal(await put({ origin: OUR_COMMENT, "content-type": "application/jsonx" }), 415);
  assert.equal(
    await put({ origin: OUR_COMMENT, "content-type": "application/json; charset=utf-8" }),
    200,
  );
  assert.equal(await put({ "content-type": "text/plain" }), 200);
  const empty = await kit.request("/auth/logout", {
    method: "PUT",
    headers: { origin: OUR_COMMENT },
  });
  assert.equal(empty.status, 200);
});

Deno.test("Bearer requests are allowed from any origin, without CORS credentials", async () => {
  await using kit = await accessKit();
  const { Token: bearer } = await kit.access.accounts.createToken({
    Name: "",
    Expire: 0,
    ScopedPaths: [],
  });
  const headers = { origin: "https://app.example" };
  const put = { method: "PUT", body: {}, headers };
  for (const [token, status] of [[bearer, 200], ["bad", 401]] as const) {
    const answer = await kit.request("/device", { ...put, bearer: token });
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
  }
  const basic = await kit.request("/devices", { basic: ADMIN, headers });
  assert.equal(basic.headers.get("access-control-allow-origin"), null);
});

Deno.test("preflights are answered on any path, without credentials", async () => {
  await using kit = await accessKit();
  const headers = { origin: "null", "access-control-request-method": "PUT" };
  const answer = await kit.request("/whatever", { method: "OPTIONS", headers });
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), "");
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.match(
    answer.headers.get("access-control-allow-headers") ?? "",
    /Authorization.*X-JWT-OTP/,
  );
  const plain = await kit.request("/whatever", { method: "OPTIONS" });
  assert.equal(plain.headers.get("access-control-allow-origin"), null);
});

Deno.test("a cross-origin WebSocket is refused, even with a token", async () => {
  await using kit = await accessKit();
  for (const bearer of [undefined, "x"]) {
    const headers = { upgrade: "websocket", origin: "http://evil.example" };
    const options = bearer === undefined ? { headers } : { headers, bearer };
    assert.equal((await kit.request("/cert", options)).status, 403);
  }
  const own = { upgrade: "websocket", origin: OUR_COMMENT };
  assert.equal((await kit.request("/cert", { headers: own })).status, 200);
});

Deno.test("every response has the security headers, errors included", async () => {
  await using kit = await accessKit();
  for (const path of ["/cert", "/nothing", "/setup"]) {
    const { headers } = await kit.request(path, {});
    assert.match(
      headers.get("content-security-policy") ?? "",
      /default-src 'self'.*frame-ancestors 'none'/,
    );
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("cache-control"), "no-store");
  }
  const refused = await kit.request("/cert", { headers: { host: "evil.example" } });
  assert.equal(refused.headers.get("x-content-type-options"), "nosniff");
});

Deno.test("an ambiguous path under /plugins/ is refused", () => {
  const bad = [
    "/plugins/a/../b",
    "/plugins/a/%2e%2e/b",
    "/plugins/a/%2E/b",
    "/plugins/a/.%2e/b",
    "/plugins/a/%252e%252e/b",
    "/plugins/a/%252e./b",
    "/plugins/a%2fb",
    "/plugins/a%2Fb",
    "/plugins/a%5cb",
    "/plugins/a\\b",
    "/plugins/a;b",
    "/plugins/..",
    "/plugi%6es/a/../b",
    "//plugins/../x",
  ];
  for (const path of bad) {
    assert.throws(() => checkPluginPath(`http://192.168.2.1${path}`), { status: 400 }, path);
  }
  for (
    const path of ["/plugins/a/b?x=../;", "/plugins/a/..b/...", "/devices/..", "/plugins", "/"]
  ) {
    checkPluginPath(`http://192.168.2.1${path}`);
  }
});

Deno.test("scripts and styles of the pages go by the policy of the page, workers by their own", async () => {
  const file = (type: string) => ({ type, plain: new TextEncoder().encode("") });
  await using router = await testRouter({
    app: {
      ui: new Map([
        ["index.html", file("text/html; charset=utf-8")],
        ["assets/icon.svg", file("image/svg+xml")],
        ["assets/main.css", file("text/css; charset=utf-8")],
        ["assets/main.js", file("text/javascript; charset=utf-8")],
        ["confirm_worker.js", file("text/javascript; charset=utf-8")],
      ]),
      versions: { api: "1", program: "1" },
      names: () => new Set<string>(),
    },
  });
  const hasPolicy = async (path: string) => {
    const { headers, status, body } = await router.ask("GET", path);
    await body?.cancel();
    assert.equal(status, 200, path);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    return headers.has("content-security-policy");
  };
  for (const path of ["/admin", "/admin/assets/icon.svg", "/admin/confirm_worker.js"]) {
    assert.ok(await hasPolicy(path), path);
  }
  for (const path of ["/admin/assets/main.css", "/admin/assets/main.js"]) {
    assert.ok(!await hasPolicy(path), path);
  }
});

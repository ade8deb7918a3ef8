import assert from "node:assert/strict";
import {
  type AccessKit,
  accessKit,
  codeOf,
  cookieOf,
  PASSWORD,
  type RequestOptions,
} from "../../kit/access.ts";
import { type Begun, type Faults, SoftAuthenticator } from "../../kit/browser/authenticator.ts";

const ORIGIN = "http://localhost:8080";
const HERE = { host: "localhost:8080", origin: ORIGIN, "sec-fetch-site": "same-origin" };
const ADMIN = `admin:${PASSWORD}`;

interface Status {
  readonly Registered: boolean;
  readonly Credentials: readonly { readonly ID: string; readonly Name: string }[];
}

function ask(
  kit: AccessKit,
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  return kit.request(path, { ...options, method, headers: { ...HERE, ...options.headers } });
}

async function json<T>(answer: Response, status = 200): Promise<T> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  return JSON.parse(text);
}

async function begin(
  kit: AccessKit,
  what: string,
  options: RequestOptions = {},
): Promise<Begun> {
  return await json(await ask(kit, "PUT", `/webauthn/${what}`, options));
}

/** Registers a passkey of the admin. */
async function register(
  kit: AccessKit,
  device: SoftAuthenticator,
  options: RequestOptions = { basic: ADMIN },
): Promise<Status> {
  const begun = await begin(kit, "register?name=my%20key", options);
  const body = await device.create(begun, ORIGIN);
  return await json(await ask(kit, "POST", "/webauthn/register", { ...options, body }));
}

async function login(
  kit: AccessKit,
  device: SoftAuthenticator,
  faults: Faults = {},
  options: RequestOptions = {},
): Promise<Response> {
  const begun = await begin(kit, "login", options);
  return await ask(kit, "POST", "/webauthn/login", {
    ...options,
    body: await device.get(begun, ORIGIN, faults),
  });
}

async function validate(
  kit: AccessKit,
  device: SoftAuthenticator,
  options: RequestOptions,
): Promise<string> {
  const begun = await begin(kit, "validate", options);
  const body = await device.get(begun, ORIGIN);
  return await json(await ask(kit, "POST", "/webauthn/validate", { ...options, body }));
}

async function status(answer: Response | Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

Deno.test("a passkey is registered with the password, and signs in", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  assert.equal(await status(ask(kit, "PUT", "/webauthn/login")), 400, "nobody has one yet");
  const { Registered, Credentials } = await register(kit, device);
  assert.ok(Registered);
  assert.equal(Credentials[0]!.Name, "my key");
  assert.ok(kit.topics.includes("auth:webauthn:register"));

  const answer = await login(kit, device);
  const cookie = cookieOf(answer);
  const { Name, Token, Expire } = await json<{ Name: string; Token: string; Expire: number }>(
    answer,
  );
  assert.equal(Name, "webauthn:admin");
  assert.equal(Expire, Math.floor(kit.clock.now / 1000) + 30 * 24 * 3600);
  assert.equal(await status(ask(kit, "GET", "/devices", { cookie })), 200);
  assert.equal(await status(ask(kit, "GET", "/devices", { bearer: Token })), 200);
  const { items } = await json<{ items: { passkey: string | null }[] }>(
    await ask(kit, "GET", "/auth/sessions", { cookie }),
  );
  assert.deepEqual(items.map(({ passkey }) => passkey), [Credentials[0]!.ID]);

  await kit.restart();
  assert.equal(await status(ask(kit, "GET", "/devices", { cookie })), 200);
  assert.equal(await status(login(kit, device)), 200, "it outlives a restart");
});

Deno.test("registration options require a resident key and user verification, and exclude known passkeys", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  const { Credentials } = await register(kit, device);
  const jwt = await validate(kit, device, { basic: ADMIN });
  const { Options } = await begin(kit, "register", { basic: ADMIN, jwt }) as unknown as {
    Options: { publicKey: Record<string, unknown> };
  };
  const { rp, authenticatorSelection, attestation, excludeCredentials } = Options.publicKey;
  assert.deepEqual(rp, { id: "localhost", name: "Sluice" });
  assert.equal(attestation, "none");
  const { residentKey, userVerification } = authenticatorSelection as Record<string, unknown>;
  assert.deepEqual([residentKey, userVerification], ["required", "required"]);
  assert.deepEqual((excludeCredentials as { id: string }[]).map(({ id }) => id), [
    Credentials[0]!.ID,
  ]);
});

Deno.test("with a second factor set up, another one is added only with its proof", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  const { Credentials } = await register(kit, device);
  const body = { ID: Credentials[0]!.ID };
  assert.equal(await status(ask(kit, "PUT", "/webauthn/register", { basic: ADMIN })), 403);
  assert.equal(
    await status(ask(kit, "DELETE", "/webauthn/credential", { basic: ADMIN, body })),
    403,
  );
  const enrol = (jwt?: string) =>
    ask(kit, "PUT", "/otp_register", { basic: ADMIN, body: {}, ...(jwt ? { jwt } : {}) });
  assert.equal(await status(enrol()), 403);
  const jwt = await validate(kit, device, { basic: ADMIN });
  assert.equal(await status(ask(kit, "PUT", "/otp_jwt_test", { basic: ADMIN, jwt })), 200);
  assert.equal(await status(enrol(jwt)), 200);
  await register(kit, new SoftAuthenticator(), { basic: ADMIN, jwt });
});

Deno.test("a one-time password begun before there was a passkey opens nothing after", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  const put = (path: string, body: unknown, jwt?: string) =>
    ask(kit, "PUT", path, { basic: ADMIN, body, ...(jwt ? { jwt } : {}) });
  const begun = await json<{ OTPUsers: { Secret: string }[] }>(await put("/otp_register", {}));
  const Code = codeOf(begun.OTPUsers[0]!.Secret, kit.clock.now);
  await register(kit, device);
  assert.equal(await status(put("/otp_validate", { Code })), 403);
  const jwt = await validate(kit, device, { basic: ADMIN });
  assert.equal(await status(put("/otp_validate", { Code }, jwt)), 400, "the secret is gone");
  const own = await json<{ OTPUsers: { Secret: string }[] }>(await put("/otp_register", {}, jwt));
  const next = { Code: codeOf(own.OTPUsers[0]!.Secret, kit.clock.now) };
  assert.equal(await status(put("/otp_validate", next)), 403);
  assert.equal(await status(put("/otp_validate", next, jwt)), 200);
});

Deno.test("a deleted passkey is rejected, and its sessions and JWTs end", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  const { Credentials: [own] } = await register(kit, device);
  const opened = await login(kit, device);
  const cookie = cookieOf(opened);
  const { Token } = await json<{ Token: string }>(opened);
  const other = cookieOf(
    await ask(kit, "PUT", "/auth/login", { body: { Name: "admin", Password: PASSWORD } }),
  );
  const jwt = await validate(kit, device, { cookie });
  const gone = (ID: string) =>
    ask(kit, "DELETE", "/webauthn/credential", { cookie, jwt, body: { ID } });
  assert.equal(await status(gone("AAAA")), 404);
  assert.equal(await status(gone("a=b")), 400);
  const begun = await begin(kit, "login");
  assert.equal(await status(ask(kit, "PUT", "/otp_jwt_test", { cookie: other, jwt })), 200);
  const answer = await gone(own!.ID);
  assert.match(answer.headers.getSetCookie().join(), /Max-Age=0/);
  assert.equal((await json<Status>(answer)).Registered, false);
  assert.ok(kit.topics.includes("auth:webauthn:delete"));
  assert.equal(await status(ask(kit, "GET", "/devices", { cookie })), 401);
  assert.equal(await status(ask(kit, "GET", "/devices", { bearer: Token })), 401);
  assert.equal(await status(ask(kit, "GET", "/devices", { cookie: other })), 200);
  const body = await device.get(begun, ORIGIN);
  assert.equal(await status(ask(kit, "POST", "/webauthn/login", { body })), 401);
  await kit.restart();
  assert.equal(await status(ask(kit, "PUT", "/otp_jwt_test", { cookie: other, jwt })), 403);
});

Deno.test("signing out revokes the session's token", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  const first = await login(kit, device);
  const cookie = cookieOf(first);
  const { Token } = await json<{ Token: string }>(first);
  assert.equal(await status(ask(kit, "PUT", "/auth/logout", { cookie })), 200);
  assert.equal(await status(ask(kit, "GET", "/devices", { bearer: Token })), 401);
  const second = await json<{ Token: string }>(await login(kit, device));
  assert.equal(await status(ask(kit, "PUT", "/logout", { bearer: second.Token })), 200);
  assert.equal(await status(ask(kit, "GET", "/devices", { bearer: second.Token })), 401);
});

Deno.test("a changed password or recreated user ends passkey sessions", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  const { Token } = await json<{ Token: string }>(await login(kit, device));
  const caller = { caller: { by: "test", from: null, connection: null } };
  const set = async (users: Record<string, string>) => {
    const reduce = (config: typeof kit.engine.config) => [{ ...config, users }, undefined] as const;
    await kit.engine.change({ kind: "test", summary: "", reduce }, caller);
  };
  await set({ admin: "another password" });
  assert.equal(await status(ask(kit, "GET", "/devices", { bearer: Token })), 401);
  assert.equal(await status(login(kit, device)), 200, "the passkey itself stays");
  await set({ other: "some password" });
  assert.equal(await status(ask(kit, "GET", "/devices", { basic: "other:some password" })), 200);
  assert.equal(await status(ask(kit, "PUT", "/webauthn/login")), 400);
});

Deno.test("a ceremony's response is accepted once, of its kind, from its source, within three minutes", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  const post = (body: unknown, options: RequestOptions = {}) =>
    status(ask(kit, "POST", "/webauthn/login", { ...options, body }));
  const body = await device.get(await begin(kit, "login"), ORIGIN);
  assert.equal(await post(body, { peer: { source: "192.168.2.77" } }), 400);
  assert.equal(await post(body), 200);
  assert.equal(await post(body), 400);
  const proof = await device.get(await begin(kit, "validate", { basic: ADMIN }), ORIGIN);
  assert.equal(await post(proof), 400);
  const late = await device.get(await begin(kit, "login"), ORIGIN);
  kit.clock.now += 3 * 60_000;
  assert.equal(await post(late), 400);
});

Deno.test("an assertion must match origin, challenge, user verification and key", async () => {
  const faults: readonly Faults[] = [
    { origin: "http://evil.example" },
    { origin: "http://localhost:9999" },
    { type: "webauthn.create" },
    { challenge: "AAAA" },
    { flags: 0x01 },
    { flags: 0x04 },
    { host: "evil.example" },
    { forged: true },
    { handle: "AAAA" },
    { handle: null },
  ];
  for (const fault of faults) {
    await using kit = await accessKit();
    const device = new SoftAuthenticator();
    await register(kit, device);
    assert.equal(await status(login(kit, device, fault)), 401, JSON.stringify(fault));
    assert.ok(kit.topics.includes("auth:failure"));
  }
  for (const fault of [{ origin: "http://evil.example" }, { flags: 1 }, { host: "evil.example" }]) {
    await using kit = await accessKit();
    const begun = await begin(kit, "register", { basic: ADMIN });
    const body = await new SoftAuthenticator().create(begun, ORIGIN, fault);
    const answer = ask(kit, "POST", "/webauthn/register", { basic: ADMIN, body });
    assert.equal(await status(answer), 400, JSON.stringify(fault));
  }
});

Deno.test("a signature counter that does not increase is logged, and the stored one never decreases", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  const copied = () =>
    kit.lines.filter((line) => line.includes("access.passkey_counter_replayed")).length;
  assert.equal(await status(login(kit, device, { counter: 7 })), 200);
  assert.equal(copied(), 0);
  assert.equal(await status(login(kit, device, { counter: 3 })), 200);
  assert.equal(copied(), 1);
  await kit.restart();
  assert.equal(await status(login(kit, device, { counter: 7 })), 200);
  assert.equal(copied(), 2);
  assert.equal(await status(login(kit, device, { counter: 8 })), 200);
  assert.equal(copied(), 2);
});

Deno.test("five failures within a minute lock out this source alone", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  for (let i = 0; i < 5; i++) assert.equal(await status(login(kit, device, { forged: true })), 401);
  await kit.restart();
  const closed = await ask(kit, "PUT", "/webauthn/login");
  assert.equal(closed.status, 429);
  assert.ok(Number(closed.headers.get("retry-after")) > 0);
  await closed.body?.cancel();
  assert.equal(await status(ask(kit, "PUT", "/webauthn/validate", { basic: ADMIN })), 429);
  const elsewhere = { peer: { source: "192.168.2.77" } };
  assert.equal(await status(login(kit, device, {}, elsewhere)), 200);
  kit.clock.now += 60_000;
  assert.equal(await status(login(kit, device)), 200);
});

Deno.test("four ceremonies may be pending per source, and thirty-two in total", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  const from = (source: string) => ask(kit, "PUT", "/webauthn/login", { peer: { source } });
  for (let i = 0; i < 4; i++) assert.equal(await status(from("192.168.2.1")), 200);
  const full = await from("192.168.2.1");
  assert.equal(full.headers.get("retry-after"), "180");
  assert.equal(await status(full), 429);
  for (let i = 4; i < 32; i++) assert.equal(await status(from(`192.168.3.${i}`)), 200);
  assert.equal(await status(from("192.168.4.1")), 429);
  kit.clock.now += 3 * 60_000;
  assert.equal(await status(from("192.168.4.1")), 200);
});

Deno.test("passkeys require a host name, and HTTPS or localhost", async () => {
  await using kit = await accessKit();
  const at = async (headers: Record<string, string>, tls = false): Promise<string> => {
    const answer = await kit.request("/webauthn/register", {
      method: "PUT",
      basic: ADMIN,
      headers,
      peer: { tls },
    });
    return `${answer.status} ${await answer.text()}`;
  };
  assert.match(await at({ host: "192.168.2.1" }), /^400 .*one of the router's names/);
  assert.match(await at({ host: "[fd00::1]:8080" }), /^400 .*one of the router's names/);
  assert.match(await at({ host: "router.lan" }), /^400 .*open https:\/\/router.lan/);
  assert.match(await at({ host: "router.lan" }, true), /^200 .*"id":"router.lan"/);
  assert.match(await at({ host: "router.lan", origin: "https://router.lan" }), /^200 /);
  assert.match(await at({ host: "localhost" }), /^200 /);
  assert.match(await at({ ...HERE, origin: "http://evil.example" }), /^403 /);
});

Deno.test("a passkey session re-authenticates with the passkey", async () => {
  await using kit = await accessKit();
  const device = new SoftAuthenticator();
  await register(kit, device);
  const cookie = cookieOf(await login(kit, device));
  const jwt = await validate(kit, device, { cookie });
  assert.equal(await status(ask(kit, "PUT", "/otp_jwt_test", { cookie, jwt })), 200);
  assert.equal(await status(ask(kit, "PUT", "/otp_jwt_test", { cookie })), 403);
});

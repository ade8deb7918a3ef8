import assert from "node:assert/strict";
import { type AccessKit, accessKit, codeOf, cookieOf, PASSWORD } from "../../kit/access.ts";

const ADMIN = `admin:${PASSWORD}`;

function put(kit: AccessKit, path: string, body: unknown = {}, basic = ADMIN): Promise<Response> {
  return kit.request(path, { method: "PUT", basic, body });
}

Deno.test("a one-time password is registered, confirmed by a code, and listed as confirmed", async () => {
  await using kit = await accessKit();
  const status = async () => await (await kit.request("/otp_status", { basic: ADMIN })).json();
  assert.deepEqual(await status(), { State: "unregistered", AlwaysOn: false, Confirmed: false });
  const answer = await (await put(kit, "/otp_register", { Name: "admin", Code: "" })).json();
  assert.deepEqual(Object.keys(answer), ["OTPUsers", "JWTDurationSeconds"]);
  assert.equal(answer.JWTDurationSeconds, 3600);
  const { Secret, ...rest } = answer.OTPUsers[0];
  assert.deepEqual(rest, { Name: "admin", Confirmed: false, AlwaysOn: false });
  assert.equal((await status()).State, "not yet validated");
  const wrong = await put(kit, "/otp_validate", { Name: "admin", Code: "000000" });
  assert.equal(wrong.status, 400);
  assert.match((await wrong.json()).detail, /code is wrong/);
  const Code = codeOf(Secret, kit.clock.now);
  const jwt = await (await put(kit, "/otp_validate", { Name: "admin", Code })).json();
  assert.match(jwt, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assert.deepEqual(await status(), {
    ...{ State: "registered", AlwaysOn: false, Confirmed: true, RecoveryCodes: 0 },
  });
  const test = { method: "PUT", basic: ADMIN, jwt };
  assert.equal((await kit.request("/otp_jwt_test", test)).status, 200);
  await kit.restart();
  assert.equal((await kit.request("/otp_jwt_test", test)).status, 200);
});

Deno.test("a code is accepted once, also across a restart", async () => {
  await using kit = await accessKit();
  const { secret } = await kit.enrol();
  const used = { Name: "admin", Code: codeOf(secret, kit.clock.now) };
  assert.equal((await put(kit, "/otp_validate", used)).status, 400);
  await kit.restart();
  assert.equal((await put(kit, "/otp_validate", used)).status, 400);
  kit.clock.now += 30_000;
  const next = { Name: "admin", Code: codeOf(secret, kit.clock.now) };
  const both = await Promise.all([
    put(kit, "/otp_validate", next),
    put(kit, "/otp_validate", next),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
});

Deno.test("five codes a minute may be tried over all routes together, whatever is restarted", async () => {
  await using kit = await accessKit();
  const { secret } = await kit.enrol();
  kit.clock.now += 30_000;
  const paths = ["/otp_validate", "/otp_register"];
  for (let i = 0; i < 5; i++) {
    assert.equal((await put(kit, paths[i % 2]!, { Code: "000000" })).status, 400);
  }
  await kit.restart();
  const Code = codeOf(secret, kit.clock.now);
  const limited = await put(kit, "/otp_validate", { Code });
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get("retry-after"), "60");
  assert.equal((await kit.request("/devices", { basic: ADMIN })).status, 200);
  kit.clock.now += 60_000;
  assert.equal(
    (await put(kit, "/otp_validate", { Code: codeOf(secret, kit.clock.now) })).status,
    200,
  );
});

Deno.test("replacing or deleting a confirmed secret needs a code and revokes its JWTs", async () => {
  await using kit = await accessKit();
  const { secret, jwt } = await kit.enrol();
  const test = async (token: string) =>
    (await kit.request("/otp_jwt_test", { method: "PUT", basic: ADMIN, jwt: token })).status;
  assert.equal(await test(jwt), 200);
  const bare = await put(kit, "/otp_register", { Name: "admin" });
  assert.equal(bare.status, 400);
  assert.equal((await bare.json()).errors[0].pointer, "/Code");
  assert.equal(await test(jwt), 200);
  kit.clock.now += 30_000;
  const cookie = cookieOf(await kit.request("/auth/login", { method: "PUT", basic: ADMIN }));
  const replaced = await kit.request("/otp_register", {
    method: "PUT",
    cookie,
    body: { Code: codeOf(secret, kit.clock.now) },
  });
  assert.equal(replaced.status, 200);
  assert.equal(await test(jwt), 403);
  assert.equal((await kit.request("/devices", { cookie })).status, 401);
  assert.equal((await kit.request("/devices", { cookie: cookieOf(replaced) })).status, 200);
  const remove = (body?: unknown) =>
    kit.request("/otp_register", {
      method: "DELETE",
      basic: ADMIN,
      ...(body === undefined ? {} : { body }),
    });
  assert.equal((await remove()).status, 200);
  assert.equal((await remove()).status, 404);
  await kit.restart();
  assert.equal(kit.access.otp.status("admin").State, "unregistered");
});

Deno.test("a user sets up only their own one-time password, a token none", async () => {
  await using kit = await accessKit({ users: { admin: PASSWORD, eve: "password of eve" } });
  await kit.enrol();
  const eve = "eve:password of eve";
  for (const path of ["/otp_register", "/otp_validate"]) {
    assert.equal((await put(kit, path, { Name: "admin", Code: "123456" }, eve)).status, 400);
  }
  const own = await (await put(kit, "/otp_register", {}, eve)).json();
  assert.deepEqual(own.OTPUsers.map(({ Name }: { Name: string }) => Name), ["eve"]);
  const { Token: bearer } = await kit.access.accounts.createToken({
    Name: "",
    Expire: 0,
    ScopedPaths: [],
  });
  const token = await kit.request("/otp_register", { method: "PUT", bearer, body: {} });
  assert.equal(token.status, 403);
  const status = await kit.request("/otp_status?name=admin", { bearer });
  assert.equal((await status.json()).Confirmed, true);
});

Deno.test("bad bodies of the OTP routes are 400", async () => {
  await using kit = await accessKit();
  for (const body of [{ Code: 123456 }, { AlwaysOn: "yes" }, [], "x", { Name: "x".repeat(100) }]) {
    assert.equal((await put(kit, "/otp_validate", body)).status, 400);
  }
  const none = await kit.request("/otp_validate", { method: "PUT", basic: ADMIN });
  assert.equal(none.status, 400);
  const early = await put(kit, "/otp_validate", { Code: "123456" });
  assert.match((await early.json()).detail, /register first/);
});

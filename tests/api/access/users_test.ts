import assert from "node:assert/strict";
import { join } from "node:path";
import { limitedUsersDocument } from "../../../system/access/document.ts";
import { cookieOf } from "../../kit/access.ts";
import { otpOf } from "../../kit/otp.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";

const PASSWORD = "correct horse battery";
const KIM = basic("kim", PASSWORD);

type Proof = Record<string, string>;

async function put(router: TestRouter, proof: Proof, name: string, body: unknown) {
  return await router.ask("PUT", `/auth/users/${name}`, { headers: proof, body });
}

async function withUser(role: string): Promise<{ router: TestRouter; proof: Proof }> {
  const router = await testRouter();
  const proof = await otpOf(router);
  assert.equal((await put(router, proof, "kim", { Role: role, Password: PASSWORD })).status, 200);
  return { router, proof };
}

async function status(router: TestRouter, method: string, path: string, as = KIM) {
  const answer = await router.ask(method, path, { as });
  await answer.body?.cancel();
  return answer.status;
}

/** A path of a route with something that fits in each parameter. */
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, "x");

Deno.test("a user is added with a role, signs in, and is listed", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  const signedIn = await router.ask("PUT", "/auth/login", { as: KIM });
  assert.equal(signedIn.status, 200);
  const users = await router.json<Record<string, unknown>[]>("GET", "/auth/users");
  assert.deepEqual(
    users.map(({ Name, Role, Sessions, SecondFactor }) => ({
      ...{ Name, Role, Sessions, SecondFactor },
    })),
    [
      { Name: "admin", Role: "admin", Sessions: 0, SecondFactor: true },
      { Name: "kim", Role: "operator", Sessions: 1, SecondFactor: false },
    ],
  );
  assert.ok(users[1]!.LastSeen as number > 0);
  const stage = await router.json("GET", "/auth/stage", { as: KIM });
  assert.deepEqual(stage, {
    stage: "in",
    user: "kim",
    role: "operator",
    open: false,
    passwordSet: true,
  });
  // The history names who did what.
  await router.ask("PUT", "/groups", { as: KIM, body: { Name: "office" } });
  const { items } = await router.json<{ items: { by: string }[] }>("GET", "/changes");
  assert.equal(items[0]!.by, "kim");
  assert.equal((await put(router, {}, "kim", { Role: "admin" })).status, 403, "needs the OTP");
  assert.equal((await put(router, proof, "kim", { Role: "owner" })).status, 400);
  assert.equal((await put(router, proof, "robin", { Role: "operator" })).status, 400);
  assert.equal(
    (await put(router, proof, "a:b", { Role: "operator", Password: PASSWORD })).status,
    400,
  );
});

Deno.test("a read-only user reads, changes nothing but the own sign-in, and sees no secrets", async (t) => {
  const { router } = await withUser("read-only");
  await using _ = router;
  const own = /^\/(auth\/(login|logout|password|sessions)|logout|otp_|webauthn)/;
  for (const { description } of router.routes) {
    const { method, path, access } = description;
    if (access === "public" || access === "setup" || own.test(path)) continue;
    if (path === "/logout") continue;
    const mayRead = (method === "GET" || method === "HEAD") && access !== "otp" &&
      path !== "/auth/users" &&
      path !== "/plugins/dyndns/refresh" && path !== "/iw/dev/{interface}/scan" &&
      !path.startsWith("/backup");
    await t.step(`${method} ${path}`, async () => {
      const found = await status(router, method, pathOf(path));
      if (mayRead) assert.notEqual(found, 403);
      else assert.equal(found, 403);
    });
  }
  const changed = await router.ask("PUT", "/auth/password", {
    as: KIM,
    body: { Current: PASSWORD, New: "another good password" },
  });
  assert.equal(changed.status, 200);
  assert.equal(await status(router, "GET", "/devices"), 401);
  assert.equal(await status(router, "GET", "/devices", basic("kim", "another good password")), 200);
});

Deno.test("an operator changes the network, but no accounts, updates, plugins or backups", async (t) => {
  const { router } = await withUser("operator");
  await using _ = router;
  assert.equal(await status(router, "PUT", "/groups"), 400, "allowed, but without a body");
  const refused: readonly (readonly [string, string])[] = [
    ["GET", "/auth/users"],
    ["PUT", "/auth/users/kim"],
    ["DELETE", "/auth/users/admin"],
    ["GET", "/tokens"],
    ["PUT", "/tokens"],
    ["GET", "/backup"],
    ["PUT", "/backup"],
    ["PUT", "/backup/x/restore"],
    ["PUT", "/update"],
    ["PUT", "/releaseSet"],
    ["PUT", "/plugins_api/x"],
    ["PUT", "/plugin/install"],
    ["PUT", "/plugins/mesh/leafRouter"],
    ["PUT", "/plugin/ui_session"],
    ["PUT", "/plusToken"],
    ["PUT", "/restart"],
    ["PUT", "/network/apply"],
    ["PUT", "/network/takeover"],
    ["PUT", "/time"],
    ["PUT", "/alerts/channels"],
    ["PUT", "/firewall/enableTLS"],
    ["DELETE", "/plugins/lookup/tables/asn"],
  ];
  for (const [method, path] of refused) {
    await t.step(`${method} ${path}`, async () => {
      assert.equal(await status(router, method, path), 403);
    });
  }
});

Deno.test("an operator undoes no change of users", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  await put(router, proof, "robin", { Role: "read-only", Password: PASSWORD });
  const { items } = await router.json<{ items: { id: string; summary: string }[] }>(
    "GET",
    "/changes",
  );
  assert.equal(items[0]!.summary, "Saved the user robin (read-only)");
  assert.equal(await status(router, "PUT", `/changes/${items[0]!.id}/undo`), 403);
  const promotion = await put(router, proof, "robin", { Role: "admin" });
  assert.equal(promotion.status, 200);
  const id = promotion.headers.get("change-id")!;
  assert.equal(await status(router, "PUT", `/changes/${id}/undo`), 403);
  assert.equal(await status(router, "PUT", `/changes/${id}/undo`, basic()), 200);
  assert.equal(await status(router, "PUT", "/restart", basic("robin", PASSWORD)), 403);
});

Deno.test("another role or a deletion ends a user's sessions at once", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  const signIn = async () => cookieOf(await router.ask("PUT", "/auth/login", { as: KIM }));
  const ask = async (cookie: string) =>
    (await router.ask("GET", "/status", { as: null, headers: { cookie } })).status;
  const first = await signIn();
  assert.equal(await ask(first), 200);
  await put(router, proof, "kim", { Role: "read-only" });
  assert.equal(await ask(first), 401);
  const second = await signIn();
  assert.equal(await ask(second), 200);
  assert.equal(
    (await router.ask("DELETE", "/auth/users/kim", { headers: proof })).status,
    200,
  );
  assert.equal(await ask(second), 401);
  assert.equal(await status(router, "GET", "/status"), 401);
});

Deno.test("the last admin stays an admin", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  assert.equal((await put(router, proof, "admin", { Role: "operator" })).status, 409);
  const deleted = await router.ask("DELETE", "/auth/users/admin", { headers: proof });
  assert.equal(deleted.status, 409);
  assert.equal((await put(router, proof, "kim", { Role: "admin" })).status, 200);
  assert.equal((await router.ask("DELETE", "/auth/users/nobody", { headers: proof })).status, 404);
  assert.equal((await router.ask("DELETE", "/auth/users/admin", { headers: proof })).status, 200);
  assert.equal(await status(router, "PUT", "/checkupdates"), 200);
});

Deno.test("a user's one-time passwords do not pass to a later user of the name", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  const register = await router.ask("PUT", "/otp_register", { as: KIM, body: { Name: "kim" } });
  assert.equal(register.status, 200);
  await router.ask("DELETE", "/auth/users/kim", { headers: proof });
  await put(router, proof, "kim", { Role: "operator", Password: PASSWORD });
  const state = await router.json<{ State: string }>("GET", "/otp_status", { as: KIM });
  assert.equal(state.State, "unregistered");
});

Deno.test("the token of a sign-in that outlived its user opens nothing, nor does a later user get it", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  await router.ask("DELETE", "/auth/users/kim", { headers: proof });
  // As a sign-in by passkey stores it that was under way when the user was deleted.
  const { Token } = await router.access.tokens.createLogin(
    "kim",
    Math.floor(Date.now() / 1000) + 60,
  );
  const bearer = `Bearer ${Token}`;
  assert.equal(await status(router, "GET", "/devices", bearer), 401);
  assert.equal(await status(router, "PUT", "/checkupdates", bearer), 401);
  await put(router, proof, "kim", { Role: "operator", Password: PASSWORD });
  assert.equal(await status(router, "GET", "/devices", bearer), 401);
});

Deno.test("users see their own second factors, and only admins those of others", async () => {
  const { router } = await withUser("operator");
  await using _ = router;
  const { Token } = await router.access.tokens.createLogin(
    "kim",
    Math.floor(Date.now() / 1000) + 60,
  );
  for (const as of [KIM, `Bearer ${Token}`]) {
    const own = await router.json<{ State: string }>("GET", "/otp_status", { as });
    assert.equal(own.State, "unregistered", "that of the admin is registered");
    assert.equal(await status(router, "GET", "/otp_status?name=kim", as), 200);
    assert.equal(await status(router, "GET", "/otp_status?name=admin", as), 403);
  }
  assert.equal(await status(router, "GET", "/otp_status?name=kim", basic()), 200);
});

Deno.test("a parent's one-time passwords reach users of every role, and no name that is no user's", async () => {
  const { router, proof } = await withUser("operator");
  await using _ = router;
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    headers: proof,
    body: { Name: "PLUS-MESH-API-DOWNHAUL-TOKEN", ScopedPaths: ["/plugins/mesh"] },
  });
  const user = { Secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", Confirmed: true, AlwaysOn: false };
  const OTPUsers = ["kim", "constructor"].map((Name) => ({ Name, ...user }));
  const answer = await router.ask("PUT", "/plugins/mesh/syncOTP", {
    as: `Bearer ${Token}`,
    body: { Token, Settings: { OTPUsers, JWTDurationSeconds: 0 } },
  });
  assert.equal(answer.status, 200, await answer.text());
  assert.deepEqual(router.access.otp.users().map(({ Name }) => Name).sort(), ["admin", "kim"]);
});

Deno.test("a file of users with smaller roles never makes an admin", async () => {
  const { router } = await withUser("operator");
  await using _ = router;
  const text = await Deno.readTextFile(join(router.home, "configs/auth/limited_users.json"));
  assert.ok(!text.includes(PASSWORD), "passwords are hashed");
  const { value, rejected } = limitedUsersDocument.read(
    JSON.parse(text.replace("operator", "admin")),
  );
  assert.deepEqual(value, {});
  assert.deepEqual(rejected.map(({ pointer, message }) => ({ pointer, message })), [
    { pointer: "/kim", message: "Choose operator or read-only" },
  ]);
});

Deno.test("GET /tokens says when a token was last used", async () => {
  await using router = await testRouter();
  const proof = await otpOf(router);
  const made = await router.json<{ Token: string; LastUsed: number }>("PUT", "/tokens", {
    headers: proof,
    body: { Name: "script" },
  });
  assert.equal(made.LastUsed, 0);
  assert.equal(await status(router, "GET", "/status", `Bearer ${made.Token}`), 200);
  const [listed] = await router.json<{ LastUsed: number }[]>("GET", "/tokens", { headers: proof });
  assert.ok(listed!.LastUsed > 1_700_000_000);
});

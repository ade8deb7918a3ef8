import assert from "node:assert/strict";
import { NO_PACKAGES } from "../../../routes/composition/packages.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { memoryMachine } from "../../../system/host/memory/machine.ts";
import { codeOf } from "../../kit/access.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** A router on a machine whose clock can be set, three hours after its first start. */
async function clocked() {
  const hands = { offset: Date.UTC(2030, 0, 1), steady: 0 };
  const wall = () => hands.offset + hands.steady;
  const host = memoryHost({ isRestrictive });
  // What it models is applied, as far as the routes know.
  Object.defineProperty(host, "kind", { value: "linux" });
  const router = await testRouter({
    host,
    now: wall,
    steady: () => hands.steady,
    machine: {
      packages: NO_PACKAGES,
      machine: {
        ...memoryMachine(() => host.facts()),
        setClock: (to: number) => Promise.resolve(void (hands.offset = to - hands.steady)),
        isClockSynchronised: () => Promise.resolve(false),
      },
    } as never,
  });
  hands.steady += 3 * HOUR;
  return { router, hands, wall };
}

/** Sets up one-time passwords that every request needs; answers the secret. */
async function enrol(router: TestRouter, now: number): Promise<string> {
  const made = await router.json<{ OTPUsers: { Secret: string }[] }>("PUT", "/otp_register", {
    body: { Name: "admin" },
  });
  const secret = made.OTPUsers[0]!.Secret;
  await router.json("PUT", "/otp_validate", {
    body: { Name: "admin", Code: codeOf(secret, now), UpdateAlwaysOn: true, AlwaysOn: true },
  });
  return secret;
}

async function ask(router: TestRouter, path: string, body: unknown, jwt?: string) {
  const headers: Record<string, string> = jwt === undefined ? {} : { "x-jwt-otp": jwt };
  const answer = await router.ask("PUT", path, { body, headers });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
}

/** The JWT for the code that follows the one of now. */
async function proof(router: TestRouter, secret: string, now: number): Promise<string> {
  const { status, body } = await ask(router, "/otp_validate", {
    Code: codeOf(secret, now + 30_000),
  });
  assert.equal(status, 200);
  return body;
}

Deno.test("with a wrong clock a code is refused with the router's time, and the password sets it", async () => {
  const { router: opened, hands, wall } = await clocked();
  await using router = opened;
  const secret = await enrol(router, wall());
  hands.steady += HOUR;
  const right = wall();
  hands.offset -= 90 * DAY;

  const code = (at: number) => ({ Name: "admin", Code: codeOf(secret, at) });
  const refused = await ask(router, "/otp_validate", code(right));
  assert.equal(refused.status, 400);
  assert.match(refused.body.detail, /The router's clock says 2029-10-03 04:00:00 UTC/);
  assert.equal(refused.body.unix, Math.floor(wall() / 1000));

  const set = await ask(router, "/time", { unix: right / 1000 });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  assert.deepEqual(set.body, { unix: right / 1000, until: right / 1000 + 600 });
  assert.equal(wall(), right);
  const bare = await router.ask("GET", "/devices");
  assert.equal(bare.status, 403, "it opens nothing");
  await bare.body?.cancel();

  // Who saw the code that was refused cannot use it now.
  assert.equal((await ask(router, "/otp_validate", code(right))).status, 400);
  hands.steady += 30_000;
  const next = await ask(router, "/otp_validate", code(wall()));
  assert.equal(next.status, 200);
  const headers = { "x-jwt-otp": next.body };
  type List = { readonly items: readonly { readonly kind: string; readonly detail: string }[] };
  const { items } = await router.json<List>("GET", "/notices", { headers });
  assert.ok(!items.some(({ kind }) => kind === "clock-set"), "the proof keeps it");
  const all = await router.json<List>("GET", "/notices?all=true", { headers });
  assert.match(all.items.find(({ kind }) => kind === "clock-set")!.detail, /admin set the clock/);
});

Deno.test("the clock is set by an admin signed in by password, not by a token or without credentials", async () => {
  const { router: opened, wall } = await clocked();
  await using router = opened;
  const secret = await enrol(router, wall());
  const jwt = await proof(router, secret, wall());
  const headers = { "x-jwt-otp": jwt };
  const token = await router.json<{ Token: string }>("PUT", "/tokens", {
    headers,
    body: { Name: "t", ScopedPaths: ["/time:rw"] },
  });
  const body = { unix: Math.floor(wall() / 1000) };
  for (const [as, status] of [[null, 401], [`Bearer ${token.Token}`, 403]] as const) {
    const answer = await router.ask("PUT", "/time", { as, body, headers });
    assert.equal(answer.status, status);
    await answer.body?.cancel();
  }
  const proven = await ask(router, "/time", body, jwt);
  assert.deepEqual([proven.status, proven.body.until], [200, null]);
});

Deno.test("setting the clock revives no expired token, and no code that was used or seen", async () => {
  const { router: opened, hands, wall } = await clocked();
  await using router = opened;
  const secret = await enrol(router, wall());
  const jwt = await proof(router, secret, wall());
  const Expire = Math.floor((wall() + HOUR) / 1000);
  const { Token } = await router.json<{ Token: string }>("PUT", "/tokens", {
    headers: { "x-jwt-otp": jwt },
    body: { Name: "t", Expire, ScopedPaths: [] },
  });
  const opens = async (): Promise<number> => {
    const answer = await router.ask("GET", "/status", { as: `Bearer ${Token}` });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await opens(), 200);
  hands.steady += HOUR + MINUTE;
  assert.equal(await opens(), 401);

  const back = await ask(router, "/time", { unix: Math.floor((wall() - 10 * MINUTE) / 1000) });
  assert.equal(back.status, 409);
  assert.match(back.body.detail, /only who proves a second factor may set its clock back/);
  const before = wall();
  const little = await ask(router, "/time", { unix: Math.floor((before - MINUTE) / 1000) });
  assert.equal(little.status, 200);
  assert.equal(await opens(), 401, "the token stays expired");
  for (const seen of [before - 90_000, before - MINUTE, before]) {
    assert.equal((await ask(router, "/otp_validate", { Code: codeOf(secret, seen) })).status, 400);
  }
  // Once it is later than it was before, codes are right again.
  hands.steady += 2 * MINUTE;
  assert.equal((await ask(router, "/otp_validate", { Code: codeOf(secret, wall()) })).status, 200);
});

Deno.test("where nothing is applied the clock is left alone, and is said to be", async () => {
  await using router = await testRouter();
  const answer = await ask(router, "/time", { unix: Math.floor(Date.now() / 1000) });
  assert.equal(answer.status, 503);
  assert.match(answer.body.detail, /its clock is left alone/);
});

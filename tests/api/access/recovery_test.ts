import assert from "node:assert/strict";
import { type AccessKit, accessKit, codeOf, PASSWORD } from "../../kit/access.ts";
import { testRouter } from "../../kit/router.ts";

const ADMIN = `admin:${PASSWORD}`;

function put(kit: AccessKit, path: string, body: unknown = {}): Promise<Response> {
  return kit.request(path, { method: "PUT", basic: ADMIN, body });
}

async function codes(kit: AccessKit, Code = ""): Promise<readonly string[]> {
  const answer = await put(kit, "/otp_recovery", { Code });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()).Codes;
}

const left = async (kit: AccessKit): Promise<number> =>
  (await (await kit.request("/otp_status", { basic: ADMIN })).json()).RecoveryCodes;

Deno.test("recovery codes stand for the app once each, also after a restart", async () => {
  await using kit = await accessKit();
  await kit.enrol();
  const [first = "", second = "", ...rest] = await codes(kit);
  assert.equal(rest.length, 8);
  assert.match(first, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  const used = await put(kit, "/otp_validate", { Code: first });
  assert.equal(used.status, 200);
  const jwt = await used.json();
  const test = { method: "PUT", basic: ADMIN, jwt };
  assert.equal((await kit.request("/otp_jwt_test", test)).status, 200);
  assert.equal((await put(kit, "/otp_validate", { Code: first })).status, 400);
  await kit.restart();
  assert.equal(await left(kit), 9);
  assert.equal((await put(kit, "/otp_validate", { Code: first })).status, 400);
  const spelled = ` ${second.replaceAll("-", " ").toUpperCase()}`;
  const both = await Promise.all([1, 2].map(() => put(kit, "/otp_validate", { Code: spelled })));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
});

Deno.test("recovery codes need a current code, but for once after the first", async () => {
  await using kit = await accessKit();
  assert.equal((await put(kit, "/otp_recovery")).status, 400, "there is no second factor yet");
  const { secret } = await kit.enrol();
  const old = await codes(kit);
  assert.equal((await put(kit, "/otp_recovery")).status, 400);
  kit.clock.now += 30_000;
  const fresh = await codes(kit, codeOf(secret, kit.clock.now));
  assert.equal((await put(kit, "/otp_validate", { Code: old[0] })).status, 400);
  assert.equal((await put(kit, "/otp_validate", { Code: fresh[0] })).status, 200);
});

Deno.test("the time in which new codes need no code ends", async () => {
  await using kit = await accessKit();
  await kit.enrol();
  kit.clock.now += 11 * 60_000;
  assert.equal((await put(kit, "/otp_recovery")).status, 400);
});

Deno.test("guesses at recovery codes are limited as those at codes are", async () => {
  await using kit = await accessKit();
  await kit.enrol();
  const [right] = await codes(kit);
  for (let i = 0; i < 5; i++) {
    assert.equal((await put(kit, "/otp_validate", { Code: "aaaa-bbbb-cccc-dddd" })).status, 400);
  }
  assert.equal((await put(kit, "/otp_validate", { Code: right })).status, 429);
});

Deno.test("a recovery code replaces the app or switches it off, and the other codes go with it", async () => {
  await using kit = await accessKit();
  await kit.enrol();
  const [first, second] = await codes(kit);
  const replaced = await put(kit, "/otp_register", { Code: first });
  assert.equal(replaced.status, 200);
  const secret = (await replaced.json()).OTPUsers[0].Secret;
  assert.equal((await put(kit, "/otp_validate", { Code: second })).status, 400);
  const Code = codeOf(secret, kit.clock.now);
  assert.equal((await put(kit, "/otp_validate", { Code })).status, 200);
  const [third, fourth] = await codes(kit);
  const off = (code: string | undefined) =>
    kit.request("/otp_register", { method: "DELETE", basic: ADMIN, body: { Code: code } });
  assert.equal((await off(third)).status, 200);
  assert.equal((await off(fourth)).status, 404);
  assert.equal(await left(kit), undefined);
});

Deno.test("codes are nowhere in clear, each use is an event, and few of them are a notice", async () => {
  await using router = await testRouter({});
  const events: unknown[] = [];
  router.bus.subscribe(({ topic, data }) => topic === "auth:recovery" && events.push(data));
  const registered = await router.json<{ OTPUsers: { Secret: string }[] }>("PUT", "/otp_register", {
    body: { Name: "admin", Code: "" },
  });
  const secret = registered.OTPUsers[0]!.Secret;
  await router.json("PUT", "/otp_validate", { body: { Code: codeOf(secret, Date.now()) } });
  const { Codes } = await router.json<{ Codes: string[] }>("PUT", "/otp_recovery", { body: {} });
  for (const Code of Codes.slice(0, 8)) {
    await router.json("PUT", "/otp_validate", { body: { Code } });
  }
  const notices = await router.json<{ items: { kind: string; detail: string }[] }>(
    "GET",
    "/notices",
  );
  const said = notices.items.find(({ kind }) => kind === "recovery-codes");
  assert.match(said?.detail ?? "", /^admin has 2 recovery codes left/);
  assert.deepEqual(events.at(-1), { type: "used", username: "admin", left: 2 });
  assert.ok(Codes.every((code) => !JSON.stringify([events, notices]).includes(code)));
});

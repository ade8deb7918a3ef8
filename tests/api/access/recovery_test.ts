import assert from "node:assert/strict";
import { type AccessKit, accessKit, codeOf, PASSWORD } from "../../kit/access.ts";
import { testRouter } from "../../kit/router.ts";

const ADMIN = `admin:${PASSWORD}`;

function put(kit: AccessKit, path: string, body: unknown = {}): Promise<Response> {
  return kit.request(path, { method: "PUT", basic: ADMIN, body });
}

async function codes(
  kit: AccessKit,
  { Code = "", jwt = "" }: { readonly Code?: string; readonly jwt?: string },
): Promise<readonly string[]> {
  const request = { method: "PUT", basic: ADMIN, jwt, body: { Code } };
  const answer = await kit.request("/otp_recovery", request);
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()).Codes;
}

/** The status of an answer to a wish for new codes that gives no code. */
async function statusWith(kit: AccessKit, jwt: string): Promise<number> {
  const answer = await kit.request("/otp_recovery", { method: "PUT", basic: ADMIN, jwt, body: {} });
  return answer.status;
}

const left = async (kit: AccessKit): Promise<number> =>
  (await (await kit.request("/otp_status", { basic: ADMIN })).json()).RecoveryCodes;

Deno.test("recovery codes stand for the app once each, also after a restart", async () => {
  await using kit = await accessKit();
  const [first = "", second = "", ...rest] = await codes(kit, await kit.enrol());
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
  const { secret, jwt } = await kit.enrol();
  assert.equal(await statusWith(kit, ""), 400, "a password alone is not who enrolled");
  const old = await codes(kit, { jwt });
  assert.equal(await statusWith(kit, jwt), 400);
  kit.clock.now += 30_000;
  const fresh = await codes(kit, { Code: codeOf(secret, kit.clock.now) });
  assert.equal((await put(kit, "/otp_validate", { Code: old[0] })).status, 400);
  assert.equal((await put(kit, "/otp_validate", { Code: fresh[0] })).status, 200);
});

Deno.test("the time in which new codes need no code ends", async () => {
  await using kit = await accessKit();
  const { jwt } = await kit.enrol();
  kit.clock.now += 11 * 60_000;
  assert.equal(await statusWith(kit, jwt), 400);
});

Deno.test("the time in which new codes need no code follows no clock that is set", async () => {
  for (const [set, expected] of [[-11 * 60_000, 400], [11 * 60_000, 200]] as const) {
    await using kit = await accessKit();
    const { jwt } = await kit.enrol();
    // Set back, after eleven minutes; set ahead, at once.
    if (set < 0) kit.clock.now -= set;
    kit.clock.now += set;
    kit.clock.set += set;
    assert.equal(await statusWith(kit, jwt), expected, `set by ${set}`);
  }
});

Deno.test("only the JWT of the first code stands for it, and not for another secret", async () => {
  await using kit = await accessKit();
  const { secret, jwt } = await kit.enrol();
  kit.clock.now += 30_000;
  const Code = codeOf(secret, kit.clock.now);
  const later = await (await put(kit, "/otp_validate", { Code })).json();
  assert.equal(await statusWith(kit, later), 400, "the JWT of a later code");
  kit.clock.now += 30_000;
  const other = { Code: codeOf(secret, kit.clock.now) };
  assert.equal((await put(kit, "/otp_register", other)).status, 200);
  assert.equal(await statusWith(kit, jwt), 400);
  const again = await kit.enrol();
  assert.equal(await statusWith(kit, jwt), 400);
  assert.equal(await statusWith(kit, again.jwt), 200);
});

/** Which of these codes count, each of which is used up by that. */
async function valid(kit: AccessKit, some: readonly (string | undefined)[]): Promise<number> {
  let count = 0;
  for (const Code of some) {
    count += (await put(kit, "/otp_validate", { Code })).status === 200 ? 1 : 0;
    kit.clock.now += 61_000;
  }
  return count;
}

Deno.test("codes that are used at the same time stay used", async () => {
  await using kit = await accessKit();
  const known = await codes(kit, await kit.enrol());
  const used = known.slice(0, 4);
  const answers = await Promise.all(used.map((Code) => put(kit, "/otp_validate", { Code })));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200]);
  assert.equal(await left(kit), 6);
  assert.equal(await valid(kit, used), 0);
  await kit.restart();
  assert.equal(await left(kit), 6);
  assert.equal(await valid(kit, used), 0);
});

Deno.test("a code that is used while new ones are made brings no old ones back", async () => {
  for (const isFirst of [true, false]) {
    await using kit = await accessKit();
    const { secret, jwt } = await kit.enrol();
    const old = await codes(kit, { jwt });
    kit.clock.now += 30_000;
    const make = () => codes(kit, { Code: codeOf(secret, kit.clock.now) });
    const use = () => put(kit, "/otp_validate", { Code: old[0] });
    const [one, two] = isFirst ? [use(), make()] : [make(), use()];
    await Promise.all([one, two]);
    const fresh = await (isFirst ? two : one) as readonly string[];
    await kit.restart();
    assert.equal(await left(kit), 10);
    assert.equal(await valid(kit, old.slice(0, 3)), 0);
    assert.equal(await valid(kit, fresh.slice(0, 3)), 3);
  }
});

for (const [method, state] of [["DELETE", "unregistered"], ["PUT", "not yet validated"]] as const) {
  Deno.test(`a code that is used during ${method} /otp_register revives no secret`, async () => {
    for (const isFirst of [true, false]) {
      await using kit = await accessKit();
      const [one, two, three] = await codes(kit, await kit.enrol());
      const end = () => kit.request("/otp_register", { method, basic: ADMIN, body: { Code: one } });
      const use = () =>
        put(kit, "/otp_validate", { Code: two, UpdateAlwaysOn: true, AlwaysOn: false });
      const both = isFirst ? [use(), end()] : [end(), use()];
      const ended = (await Promise.all(both))[isFirst ? 1 : 0]!;
      assert.equal(ended.status, 200, await ended.text());
      const stateNow = async () =>
        (await (await kit.request("/otp_status", { basic: ADMIN })).json()).State;
      assert.equal(await stateNow(), state);
      await kit.restart();
      assert.equal(await stateNow(), state);
      assert.equal(await valid(kit, [two, three]), 0);
      await kit.enrol();
      assert.equal(await left(kit), 0);
    }
  });
}

Deno.test("a code whose use cannot be stored does not count", async () => {
  await using kit = await accessKit();
  const [code] = await codes(kit, await kit.enrol());
  kit.breakStore();
  const answer = await put(kit, "/otp_validate", { Code: code });
  assert.equal(answer.status, 503, await answer.clone().text());
  assert.match((await answer.json()).detail, /cannot store that this recovery code was used/);
  await kit.access.close();
  assert.equal(kit.access.otp.status("admin").RecoveryCodes, 10);
});

Deno.test("guesses at recovery codes are limited as those at codes are", async () => {
  await using kit = await accessKit();
  const [right] = await codes(kit, await kit.enrol());
  for (let i = 0; i < 5; i++) {
    assert.equal((await put(kit, "/otp_validate", { Code: "aaaa-bbbb-cccc-dddd" })).status, 400);
  }
  assert.equal((await put(kit, "/otp_validate", { Code: right })).status, 429);
});

Deno.test("a recovery code replaces the app or switches it off, and the other codes go with it", async () => {
  await using kit = await accessKit();
  const [first, second] = await codes(kit, await kit.enrol());
  const replaced = await put(kit, "/otp_register", { Code: first });
  assert.equal(replaced.status, 200);
  const secret = (await replaced.json()).OTPUsers[0].Secret;
  assert.equal((await put(kit, "/otp_validate", { Code: second })).status, 400);
  const Code = codeOf(secret, kit.clock.now);
  const proved = await put(kit, "/otp_validate", { Code });
  assert.equal(proved.status, 200);
  const [third, fourth] = await codes(kit, { jwt: await proved.json() });
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
  const jwt = await router.json<string>("PUT", "/otp_validate", {
    body: { Code: codeOf(secret, Date.now()) },
  });
  const { Codes } = await router.json<{ Codes: string[] }>("PUT", "/otp_recovery", {
    body: {},
    headers: { "x-jwt-otp": jwt },
  });
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

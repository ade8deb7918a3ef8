import assert from "node:assert/strict";
import { type AccessKit, accessKit, cookieOf, PASSWORD } from "../../kit/access.ts";

const HOUR = 3600_000, DAY = 24 * HOUR, YEAR = 365 * DAY;

/** Sets the clock of the router by so many milliseconds. */
function set(kit: AccessKit, by: number): void {
  kit.clock.now += by;
  kit.clock.set += by;
}

async function opens(kit: AccessKit, by: { bearer: string } | { cookie: string }) {
  return (await kit.request("/devices", by)).status === 200;
}

Deno.test("an expired token stays expired when the clock is set back, also once that is believed", async () => {
  await using kit = await accessKit();
  kit.clock.now += 3 * HOUR;
  const Expire = kit.clock.now / 1000 + 3600;
  const { accounts } = kit.access;
  const { Token: bearer } = await accounts.createToken({ Name: "t", Expire, ScopedPaths: [] });
  set(kit, YEAR);
  assert.equal(await opens(kit, { bearer }), false, "refused while the clock is ahead");
  set(kit, -YEAR);
  await kit.access.importFiles();
  assert.ok(await opens(kit, { bearer }), "but not for good");
  kit.clock.now += HOUR;
  set(kit, -YEAR);
  await kit.restart();
  assert.equal(await opens(kit, { bearer }), false, "the time before it is known");
  set(kit, YEAR);
  await kit.access.importFiles();
  set(kit, -YEAR);
  await kit.restart();
  for (let hour = 0; hour < 26; hour++) {
    kit.clock.now += HOUR;
    assert.equal(await opens(kit, { bearer }), false, `after ${hour} hours`);
  }
});

Deno.test("a start with the clock a day ahead ends no session for good, a day without power does", async () => {
  await using kit = await accessKit();
  kit.clock.now += 3 * HOUR;
  const cookie = cookieOf(
    await kit.request("/auth/login", { method: "PUT", basic: `admin:${PASSWORD}` }),
  );
  await kit.restart();
  set(kit, DAY);
  await kit.restart();
  assert.equal(await opens(kit, { cookie }), false, "it seems to be over");
  set(kit, -DAY);
  assert.ok(await opens(kit, { cookie }), "it is not");
  set(kit, DAY);
  await kit.restart();
  for (let quarter = 0; quarter < 12; quarter++) {
    kit.clock.now += HOUR / 4;
    assert.equal(await opens(kit, { cookie }), false);
  }
  set(kit, -DAY);
  assert.equal(await opens(kit, { cookie }), false, "the clock was right");
});

Deno.test("a proof of the second factor lasts its hour, however the clock leaps meanwhile", async () => {
  await using kit = await accessKit();
  kit.clock.now += 3 * HOUR;
  const { jwt } = await kit.enrol();
  const proven = async () =>
    (await kit.request("/device/x", { basic: `admin:${PASSWORD}`, jwt })).status === 200;
  assert.ok(await proven());
  for (const by of [YEAR, -2 * YEAR, YEAR]) {
    set(kit, by);
    assert.ok(await proven(), `set by ${by / DAY} days`);
  }
  kit.clock.now += HOUR;
  assert.equal(await proven(), false);
  for (const by of [-HOUR, -YEAR]) {
    set(kit, by);
    assert.equal(await proven(), false, "it stays expired");
  }
});

Deno.test("a proof and a token of a sign-in from before a restart end with the clock that ran ahead", async () => {
  await using kit = await accessKit();
  // A first start believes its clock.
  set(kit, YEAR);
  const { jwt } = await kit.enrol();
  const Expire = Math.floor(kit.clock.now / 1000) + 30 * 24 * 3600;
  const { Token: bearer } = await kit.access.tokens.createLogin("admin", Expire);
  set(kit, -YEAR);
  await kit.restart();
  const { status } = await kit.request("/device/x", { basic: `admin:${PASSWORD}`, jwt });
  assert.notEqual(status, 200);
  assert.equal(await opens(kit, { bearer }), false);
});

Deno.test("a session of a clock that ran ahead is no younger after every restart", async () => {
  await using kit = await accessKit();
  set(kit, YEAR);
  const login = { method: "PUT", basic: `admin:${PASSWORD}` };
  const [used, unused] = [
    cookieOf(await kit.request("/auth/login", login)),
    cookieOf(await kit.request("/auth/login", login)),
  ];
  set(kit, -YEAR);
  await kit.restart();
  for (let day = 0; day < 8; day++) {
    for (let start = 0; start < 3; start++) {
      kit.clock.now += 8 * HOUR;
      await kit.restart();
      if (day < 6) assert.ok(await opens(kit, { cookie: used }), `used, on day ${day}`);
    }
    if (day === 0) assert.equal(await opens(kit, { cookie: unused }), false, "unused for a day");
  }
  assert.equal(await opens(kit, { cookie: used }), false, "a week is the longest");
});

Deno.test("a session in use goes on while the clock leaps, and after it was put right", async () => {
  await using kit = await accessKit();
  kit.clock.now += 3 * HOUR;
  const cookie = cookieOf(
    await kit.request("/auth/login", { method: "PUT", basic: `admin:${PASSWORD}` }),
  );
  for (const by of [DAY, -2 * DAY, YEAR, -YEAR, DAY]) {
    set(kit, by);
    assert.ok(await opens(kit, { cookie }), `set by ${by / DAY} days`);
    kit.clock.now += HOUR;
    assert.ok(await opens(kit, { cookie }), "an hour later");
  }
  kit.clock.now += 12 * HOUR;
  assert.equal(await opens(kit, { cookie }), false, "unused for twelve hours");
});

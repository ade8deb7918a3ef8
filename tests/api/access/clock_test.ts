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

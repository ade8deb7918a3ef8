import assert from "node:assert/strict";
import { type TestRouter, testRouter } from "../../kit/router.ts";

Deno.test("an address reservation lasts five minutes, whatever the clock is set to", async () => {
  for (const jump of [365 * 86_400_000, -3600_000]) {
    let now = Date.now(), steady = 0;
    await using router = await testRouter({ now: () => now, steady: () => steady });
    const reserve = async (Identifier: string): Promise<string> => {
      const answer = await router.inside("dhcp", "PUT", "/abstractDhcpRequest", { Identifier });
      return (await answer.json()).IP;
    };
    const first = await reserve("one");
    now += jump;
    assert.notEqual(await reserve("two"), first, "promised to one");
    now += 300_000;
    steady += 300_000;
    assert.equal(await reserve("three"), first, "nobody waits for it any more");
  }
});

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR = 365 * DAY;
const CHILD = "02:00:00:00:00:01", GUEST = "02:00:00:00:00:02", UNKNOWN = "02:00:00:00:00:03";

/** A router with one device that expires in a day, a guest that is here, and hands to set its clocks. */
async function clockedRouter() {
  const start = Date.now();
  const hands = { wall: start - HOUR, steady: 0 };
  const clocks = { now: () => hands.wall, steady: () => hands.steady };
  const router = await testRouter(clocks);
  // Long enough for a first clock to be believed.
  hands.wall += HOUR;
  hands.steady += HOUR;
  await router.json("PUT", `/device/${CHILD}`, {
    body: { MAC: CHILD, Name: "Child", DeviceExpiration: 24 * 3600, DeleteExpiration: true },
  });
  await router.json("PUT", `/device/${GUEST}`, {
    body: { MAC: GUEST, Name: "Guest", DeviceTags: ["guest"] },
  });
  await lease(router, GUEST);
  return { router, hands, clocks, start };
}

async function lease(router: TestRouter, MAC: string): Promise<void> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC,
    Iface: "lan0",
    Identifier: "",
    Name: "",
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Time goes by, and what it asks for is done each minute. */
async function pass(
  router: TestRouter,
  hands: { wall: number; steady: number },
  minutes: number,
): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    hands.wall += MINUTE;
    hands.steady += MINUTE;
    await router.runDueTasks();
  }
}

Deno.test("no device expires while the clock is temporarily a year ahead", async () => {
  const { router, hands } = await clockedRouter();
  await using _ = router;
  hands.wall += YEAR;
  await pass(router, hands, 30);
  assert.ok(router.engine.config.devices[CHILD]);
  assert.equal(router.engine.config.devices[GUEST]!.DeviceDisabled, false);
  assert.equal(router.engine.observed.devices[GUEST]!.online, true);
  hands.wall -= YEAR;
  await pass(router, hands, 1);
  hands.wall += DAY;
  hands.steady += DAY;
  await pass(router, hands, 1);
  assert.equal(router.engine.config.devices[CHILD], undefined, "its day is over");
});

Deno.test("no device expires at a start with a wrong clock", async () => {
  for (const wrong of ["ahead", "behind"]) {
    const { router, hands, clocks, start } = await clockedRouter();
    hands.wall = wrong === "ahead" ? start + YEAR : 86_400_000;
    await using again = await router.reopen(clocks);
    await pass(again, hands, 5);
    await lease(again, UNKNOWN);
    // The time server is heard.
    hands.wall = start + 10 * MINUTE;
    await pass(again, hands, 5);
    assert.ok(again.engine.config.devices[CHILD], wrong);
    assert.equal(again.engine.config.devices[GUEST]!.DeviceDisabled, false, wrong);
    const seen = again.engine.observed.devices[UNKNOWN]!.lastSeen;
    assert.ok(Math.abs(seen - start) < 10 * MINUTE, `${wrong}: seen when it was`);
  }
});

Deno.test("a last-seen time in the future counts as now, so that the device goes offline", async () => {
  const { router, hands } = await clockedRouter();
  await using _ = router;
  const ahead = hands.wall + YEAR;
  await router.engine.observe((observed) => ({
    ...observed,
    devices: { [GUEST]: { ...observed.devices[GUEST]!, lastSeen: ahead } },
  }));
  await pass(router, hands, 1);
  hands.wall += 2 * DAY;
  hands.steady += 2 * DAY;
  await pass(router, hands, 1);
  assert.equal(router.engine.observed.devices[GUEST]!.online, false);
});

Deno.test("no change is pruned while the clock is temporarily a year ahead", async () => {
  const { router, hands, clocks, start } = await clockedRouter();
  const before = (await router.engine.history.list(100)).items.map(({ id }) => id);
  hands.wall += YEAR;
  hands.steady += 2 * 3600_000;
  await router.engine.tick();
  await router.json("PUT", `/device/${GUEST}`, { body: { Name: "Renamed" } });
  hands.steady += 2 * 3600_000;
  hands.wall += 2 * 3600_000;
  await router.engine.tick();
  const { items } = await router.engine.history.list(100);
  assert.deepEqual(items.slice(1).map(({ id }) => id), before);
  assert.ok(items[0]!.at < start + DAY, "its date is the one that was counted");
  await using again = await router.reopen(clocks);
  await again.engine.tick();
  assert.equal((await again.engine.history.list(100)).items.length, items.length);
});

Deno.test("old changes are pruned once a set clock has been trusted for a day", async () => {
  const { router, hands } = await clockedRouter();
  await using _ = router;
  hands.wall += YEAR;
  await router.engine.tick();
  for (let hour = 0; hour < 26; hour++) {
    hands.wall += 3600_000;
    hands.steady += 3600_000;
    await router.engine.tick();
  }
  assert.deepEqual((await router.engine.history.list(100)).items, []);
});

import assert from "node:assert/strict";
import { mac } from "../../kit/builders/device_config.ts";
import { copySync } from "../../kit/builders/copy_tree.ts";
import { type TestRouter, testRouter, WIRED } from "../../kit/router.ts";

const TABLET = mac(1), PHONE = mac(2);
const MINUTE = 60_000, HOUR = 60 * MINUTE;

/** A Monday, at this time of day of the router's zone; unix milliseconds. */
function monday(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return new Date(2027, 2, 1, hours, minutes).getTime();
}

const SCHOOL_DAYS = { Days: ["mon", "tue", "wed", "thu", "fri"], From: "07:00", To: "20:00" };
const KIDS = { Name: "Kids", Title: "Kids", Policies: ["wan", "dns"] };

/** The clocks of a router; time that passes moves both. */
class Clocks {
  wall: number;
  steady = 0;

  constructor(clock: string) {
    this.wall = monday(clock);
  }

  pass(milliseconds: number): void {
    this.wall += milliseconds;
    this.steady += milliseconds;
  }
}

interface Bed extends AsyncDisposable {
  readonly router: TestRouter;
  readonly clocks: Clocks;
}

/** A router with a tablet in the group, and a phone that is in none. */
async function bed(clock: string): Promise<Bed> {
  const clocks = new Clocks(clock);
  const router = await testRouter({
    now: () => clocks.wall,
    steady: () => clocks.steady,
    files: { "base/interfaces.json": WIRED },
  });
  for (const [at, identity] of [TABLET, PHONE].entries()) {
    const body = {
      Name: at === 0 ? "Tablet" : "Phone",
      RecentIP: `192.168.2.${6 + 4 * at}`,
      Policies: ["wan", "dns"],
    };
    const made = await router.ask("PUT", `/device?identity=${identity}`, { body });
    assert.equal(made.status, 200, await made.text());
    await router.engine.observe((observed) => ({
      ...observed,
      devices: {
        ...observed.devices,
        [identity]: { firstSeen: 1, lastSeen: clocks.wall, link: "lan0", online: true },
      },
    }));
  }
  const group = await router.ask("PUT", "/groups", { body: { ...KIDS, Members: [TABLET] } });
  assert.equal(group.status, 200, await group.text());
  return { router, clocks, [Symbol.asyncDispose]: () => router[Symbol.asyncDispose]() };
}

interface Answer {
  readonly verdict: string;
  readonly reason: string;
}

function reach(router: TestRouter, from: string): Promise<Answer> {
  const query = new URLSearchParams({ from, to: "internet", protocol: "tcp", port: "443" });
  return router.json<Answer>("GET", `/reach?${query}`);
}

async function schedule(router: TestRouter, Schedule: unknown, query = ""): Promise<Response> {
  return await router.ask("PUT", `/groups${query}`, { body: { ...KIDS, Schedule } });
}

async function closedUntil(router: TestRouter): Promise<number | undefined> {
  const groups = await router.json<{ Name: string; ClosedUntil?: number }[]>("GET", "/groups");
  return groups.find(({ Name }) => Name === "kids")?.ClosedUntil;
}

/** Kinds of the changes in the history, the latest first. */
async function history(router: TestRouter): Promise<readonly string[]> {
  const { items } = await router.json<{ items: { kind: string }[] }>("GET", "/changes");
  return items.map(({ kind }) => kind);
}

Deno.test("a group is closed at the minute at which its schedule ends, and opened as it begins", async () => {
  await using it = await bed("19:00");
  const { router, clocks } = it;
  const events: unknown[] = [];
  router.bus.subscribe(({ data }) => events.push(data), ["group:schedule"]);
  assert.equal((await schedule(router, [SCHOOL_DAYS])).status, 200);
  const before = await history(router);
  const look = async () => {
    await router.runDueTasks();
    return await reach(router, TABLET);
  };
  assert.equal((await look()).verdict, "accept");
  clocks.pass(HOUR - 1);
  assert.equal((await look()).verdict, "accept", "a millisecond before 20:00");
  assert.equal(await closedUntil(router), undefined);
  clocks.pass(1);
  const closed = await look();
  assert.equal(closed.verdict, "drop");
  assert.equal(
    closed.reason,
    "Blocked: Tablet is a member of Kids, which is closed by its schedule until 07:00",
  );
  const opens = monday("07:00") + 24 * HOUR;
  assert.equal(await closedUntil(router), opens / 1000);
  assert.equal((await reach(router, PHONE)).verdict, "accept", "it is no member");
  clocks.pass(11 * HOUR - 1);
  assert.equal((await look()).verdict, "drop", "a millisecond before 07:00");
  clocks.pass(1);
  assert.equal((await look()).verdict, "accept");
  assert.deepEqual(events, [
    { Name: "kids", Closed: true, Until: opens / 1000 },
    { Name: "kids", Closed: false, Until: 0 },
  ]);
  assert.deepEqual(await history(router), before, "the clock decides nothing");
});

Deno.test("the preview of a schedule says who loses access now, and undo gives it back at once", async () => {
  await using it = await bed("21:00");
  const { router } = it;
  const preview = await (await schedule(router, [SCHOOL_DAYS], "?dryRun=true")).json();
  const lost = preview.reach.denied.map(({ from, to }: Record<string, string>) => [from, to]);
  assert.ok(
    lost.some(([from, to]: [string, string]) => from === TABLET && to === "internet"),
    JSON.stringify(preview.reach),
  );
  assert.ok(!lost.some(([from]: [string]) => from === PHONE));
  assert.ok(
    preview.effects.includes(
      "Members of Kids have Internet and DNS only on Mon, Tue, Wed, Thu, Fri from 07:00 to 20:00, " +
        "by the clock of the router",
    ),
    JSON.stringify(preview.effects),
  );
  assert.equal((await reach(router, TABLET)).verdict, "accept", "nothing moved");

  const made = await schedule(router, [SCHOOL_DAYS]);
  assert.equal((await reach(router, TABLET)).verdict, "drop");
  const { effects } = await (await schedule(router, [], "?dryRun=true")).json();
  assert.ok(effects.includes("Kids no longer limits access by time"), JSON.stringify(effects));
  assert.equal(router.engine.config.devices[TABLET]!.Policies.includes("wan"), true);
  const id = made.headers.get("change-id");
  const undone = await router.ask("PUT", `/changes/${id}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  assert.equal((await reach(router, TABLET)).verdict, "accept");
  assert.equal(await closedUntil(router), undefined);
});

Deno.test("a change after a group was closed leaves its schedule to be undone", async () => {
  await using it = await bed("19:00");
  const { router, clocks } = it;
  const id = (await schedule(router, [SCHOOL_DAYS])).headers.get("change-id");
  clocks.pass(2 * HOUR);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "drop");
  const undone = await router.ask("PUT", `/changes/${id}/undo`);
  assert.equal(undone.status, 200, await undone.text());
  assert.equal((await reach(router, TABLET)).verdict, "accept");
});

Deno.test("a clock that jumps closes no group until its time has held", async () => {
  await using it = await bed("19:00");
  const { router, clocks } = it;
  await schedule(router, [SCHOOL_DAYS]);
  // Past the hour in which a first start believes any clock.
  for (const end = clocks.steady + 61 * MINUTE; clocks.steady < end;) {
    clocks.pass(MINUTE);
    await router.runDueTasks();
  }
  clocks.pass(11 * HOUR);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "accept", "07:01 on Tuesday");
  // A wrong time server: 14 hours ahead.
  clocks.wall += 14 * HOUR;
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "accept");
  clocks.pass(HOUR);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "accept", "it has held for an hour");
  // It comes to its senses.
  clocks.wall -= 14 * HOUR;
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "accept");
  // The time zone's own server is right, and it stays: a tenth of the jump is enough.
  clocks.wall += 14 * HOUR;
  await router.runDueTasks();
  clocks.pass(85 * MINUTE);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "drop");
});

Deno.test("a router that starts at night closes the group before it forwards anything", async () => {
  const { router, clocks } = await bed("19:00");
  await schedule(router, [SCHOOL_DAYS]);
  clocks.pass(3 * HOUR);
  await using again = await router.reopen();
  assert.equal((await reach(again, TABLET)).verdict, "drop", "without any task that was due");
  assert.notEqual(await closedUntil(again), undefined);
});

/** The router as a power cut leaves it, started again at another time of the machine's clock. */
async function afterPowerCut(router: TestRouter, clocks: Clocks): Promise<TestRouter> {
  const home = await Deno.makeTempDir({ prefix: "sluice-cut-" });
  copySync(router.home, home);
  return await testRouter({ home, now: () => clocks.wall, steady: () => clocks.steady });
}

/** A bed whose clock has been believed for so long that a start goes on from it. */
async function settledBed(clock: string): Promise<Bed> {
  const it = await bed("00:00");
  await schedule(it.router, [SCHOOL_DAYS]);
  it.clocks.pass(monday(clock) - monday("00:00"));
  // A stop in good order, which keeps the time.
  const router = await it.router.reopen();
  return { router, clocks: it.clocks, [Symbol.asyncDispose]: () => router[Symbol.asyncDispose]() };
}

Deno.test("a group that was closed stays closed after a power cut, whatever the machine's clock says", async () => {
  await using it = await settledBed("19:10");
  const { router, clocks } = it;
  assert.equal((await reach(router, TABLET)).verdict, "accept");
  clocks.pass(50 * MINUTE);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "drop");
  // Its clock has no battery.
  await using again = await afterPowerCut(router, new Clocks("12:00"));
  assert.equal((await reach(again, TABLET)).verdict, "drop");
  await again.runDueTasks();
  assert.equal((await reach(again, TABLET)).verdict, "drop");
});

Deno.test("a group that a write closed stays closed after a power cut", async () => {
  await using it = await settledBed("19:10");
  const { router, clocks } = it;
  const evening = { ...SCHOOL_DAYS, To: "19:30" };
  clocks.pass(30 * MINUTE);
  await router.runDueTasks();
  assert.equal((await schedule(router, [evening])).status, 200);
  assert.equal((await reach(router, TABLET)).verdict, "drop");
  await router.runDueTasks();
  await using again = await afterPowerCut(router, new Clocks("12:00"));
  assert.equal((await reach(again, TABLET)).verdict, "drop");
});

Deno.test("a start closes a group by the machine's clock, too, until that has held", async () => {
  await using it = await settledBed("19:10");
  const { router } = it;
  // The power was away from 19:10 to 22:00: a tenth of it must pass.
  const clocks = new Clocks("22:00");
  await using again = await afterPowerCut(router, clocks);
  const look = async () => {
    await again.runDueTasks();
    return (await reach(again, TABLET)).verdict;
  };
  assert.equal((await reach(again, TABLET)).verdict, "drop", "before any task was due");
  assert.notEqual(await closedUntil(again), undefined);
  assert.equal(await look(), "drop");
  clocks.wall = monday("12:00");
  assert.equal(await look(), "accept", "both clocks say open");
  clocks.wall = monday("22:00");
  assert.equal(await look(), "drop");
  clocks.pass(30 * MINUTE);
  assert.equal(await look(), "drop", "it has held");
  // From now on a clock that jumps has to hold first.
  clocks.wall -= 10 * HOUR;
  assert.equal(await look(), "drop");
  await using later = await afterPowerCut(again, new Clocks("12:00"));
  assert.equal((await reach(later, TABLET)).verdict, "drop", "what it was then is kept");
});

Deno.test("several times are one schedule, and a disabled group has none", async () => {
  await using it = await bed("19:00");
  const { router, clocks } = it;
  const evening = { Days: ["mon"], From: "20:00", To: "21:00" };
  assert.equal((await schedule(router, [SCHOOL_DAYS, evening])).status, 200);
  clocks.pass(90 * MINUTE);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "accept", "20:30");
  clocks.pass(HOUR);
  await router.runDueTasks();
  assert.equal((await reach(router, TABLET)).verdict, "drop", "21:30");
  const off = await router.ask("PUT", "/groups", { body: { Name: "kids", Disabled: true } });
  assert.equal(off.status, 200);
  assert.equal((await reach(router, TABLET)).verdict, "accept");
});

Deno.test("an access test offers to remove the schedule that closes a group", async () => {
  await using it = await bed("21:00");
  const { router } = it;
  await schedule(router, [SCHOOL_DAYS]);
  const query = `from=${TABLET}&to=internet&protocol=tcp&port=443&suggest=true`;
  const { suggestions } = await router.json<{
    suggestions: { summary: string; method: string; path: string; body: unknown }[];
  }>("GET", `/reach?${query}`);
  const found = suggestions.find(({ summary }) => summary === "Remove the schedule of group kids");
  assert.ok(found, JSON.stringify(suggestions.map(({ summary }) => summary)));
  const answer = await router.ask(found.method, found.path, { body: found.body });
  assert.equal(answer.status, 200, await answer.text());
  assert.equal((await reach(router, TABLET)).verdict, "accept");
});

Deno.test("a schedule needs access to limit, days and times of day", async () => {
  await using it = await bed("12:00");
  const { router } = it;
  const refused = async (body: Record<string, unknown>) => {
    const answer = await router.ask("PUT", "/groups", { body });
    const { errors } = await answer.json() as { errors: { pointer: string }[] };
    return [answer.status, errors.map(({ pointer }) => pointer)];
  };
  const bare = { Name: "bare", Schedule: [SCHOOL_DAYS] };
  assert.deepEqual(await refused(bare), [400, ["/Schedule"]]);
  assert.deepEqual(await refused({ ...bare, Policies: ["noapi"] }), [400, ["/Schedule"]]);
  const wrong = { ...SCHOOL_DAYS, Days: [], To: "25:00" };
  assert.deepEqual(await refused({ ...KIDS, Schedule: [wrong] }), [
    400,
    ["/Schedule/0/Days", "/Schedule/0/To"],
  ]);
});

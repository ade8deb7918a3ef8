import assert from "node:assert/strict";
import fc from "fast-check";
import { openClockFile } from "../../../system/core/time/clock_file.ts";
import { TrustedClock } from "../../../system/core/time/trusted_clock.ts";

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR = 365 * DAY;
const THEN = 1_700_000_000_000;

/** A held clock, and hands to set what it looks at. */
function held(last: number | null = THEN, wall = THEN) {
  const hands = { wall, steady: 5000 };
  const clock = new TrustedClock({ wall: () => hands.wall, steady: () => hands.steady, last });
  /** Time goes by, and is looked at each minute. */
  const pass = (milliseconds: number): void => {
    for (let left = milliseconds; left > 0; left -= MINUTE) {
      const step = Math.min(left, MINUTE);
      hands.wall += step;
      hands.steady += step;
      clock.now();
    }
  };
  return { hands, clock, pass };
}

Deno.test("a clock that is a year ahead for hours is never believed", () => {
  const { hands, clock, pass } = held();
  pass(HOUR);
  hands.wall += YEAR;
  assert.equal(clock.now(), THEN + HOUR);
  pass(23 * HOUR);
  assert.equal(clock.now(), THEN + DAY);
  assert.equal(clock.surely(), THEN + DAY);
  hands.wall -= YEAR;
  assert.equal(clock.now(), THEN + DAY);
  pass(HOUR);
  assert.equal(clock.now(), hands.wall);
});

Deno.test("a clock that was set is believed once it stood by it for a tenth, a day at most", () => {
  for (const [jump, wait] of [[YEAR, DAY], [10 * HOUR, HOUR], [-YEAR, DAY]] as const) {
    const { hands, clock, pass } = held();
    hands.wall += jump;
    clock.now();
    pass(wait - MINUTE);
    assert.equal(clock.now(), THEN + wait - MINUTE, String(jump));
    pass(MINUTE);
    assert.equal(clock.now(), hands.wall);
    assert.equal(clock.surely(), hands.wall);
  }
});

Deno.test("a clock that is set back ends nothing before its time", () => {
  const { hands, clock } = held();
  hands.wall -= YEAR;
  assert.equal(clock.now(), THEN, "written down as it was counted");
  assert.equal(clock.surely(), THEN - YEAR);
});

Deno.test("small corrections are believed at once", () => {
  const { hands, clock, pass } = held();
  for (const step of [90_000, -100_000, 1500]) {
    hands.wall += step;
    assert.equal(clock.now(), hands.wall);
    pass(HOUR);
  }
});

Deno.test("a start under a wrong clock goes on where the last run was", () => {
  for (const wall of [0, THEN + YEAR]) {
    const { hands, clock, pass } = held(THEN, wall);
    assert.equal(clock.now(), THEN);
    assert.ok(clock.surely() <= THEN);
    pass(2 * MINUTE);
    // The time server is heard: ten minutes went by without power.
    hands.wall = THEN + 12 * MINUTE;
    assert.equal(clock.now(), THEN + 2 * MINUTE);
    pass(2 * MINUTE);
    assert.equal(clock.now(), hands.wall);
  }
});

Deno.test("a first start believes a clock that is set, until one has stood for an hour", () => {
  const { hands, clock, pass } = held(null, THEN - YEAR);
  pass(10 * MINUTE);
  // The time server is heard.
  hands.wall = THEN;
  assert.equal(clock.now(), THEN);
  assert.equal(clock.isProven, false);
  pass(59 * MINUTE);
  hands.wall += 3 * MINUTE;
  assert.equal(clock.now(), hands.wall);
  pass(HOUR);
  assert.equal(clock.isProven, true);
  const before = hands.wall;
  hands.wall += YEAR;
  assert.equal(clock.now(), before);
});

Deno.test("what surely is never is later than the wall clock, and never jumps ahead by a wrong one", () => {
  const step = fc.record({
    jump: fc.oneof(fc.constant(0), fc.integer({ min: -YEAR, max: YEAR })),
    minutes: fc.integer({ min: 1, max: 120 }),
  });
  fc.assert(fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    const { hands, clock, pass } = held();
    for (const { jump, minutes } of steps) {
      const before = clock.now();
      hands.wall += jump;
      const after = clock.now();
      assert.ok(Math.abs(after - before) <= 2 * MINUTE, "a jump shows at once");
      assert.ok(clock.surely() <= hands.wall);
      pass(minutes * MINUTE);
    }
  }));
});

Deno.test("the time is kept over a restart; a file without a time counts as none", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-clock-" });
  const path = `${folder}/api/clock.json`;
  let steady = 0;
  const open = (wall: number) =>
    openClockFile({
      path,
      wall: () => wall + steady,
      steady: () => steady,
      failed: (error) => assert.fail(String(error)),
      live: false,
    });
  const early = await open(THEN - YEAR);
  await early.close();
  const first = await open(THEN - HOUR);
  assert.equal(first.clock.now(), THEN - HOUR, "what did not stand for an hour is not kept");
  steady = HOUR;
  await first.close();
  steady = 0;
  const second = await open(THEN + YEAR);
  assert.equal(second.clock.now(), THEN);
  await second.close();
  for (const text of ["", "{", "[]", '{"unixMilliseconds":"soon"}', '{"unixMilliseconds":-1}']) {
    await Deno.writeTextFile(path, text);
    const next = await open(THEN + YEAR);
    assert.equal(next.clock.now(), THEN + YEAR);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a time that cannot be kept is reported, and nothing else comes of it", async () => {
  const failures: unknown[] = [];
  let steady = 0;
  const kept = await openClockFile({
    path: "/dev/null/clock.json",
    wall: () => THEN + steady,
    steady: () => steady,
    failed: (error) => failures.push(error),
    live: true,
  });
  steady = HOUR;
  await kept.close();
  assert.equal(failures.length, 1);
});

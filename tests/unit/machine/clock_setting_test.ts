import assert from "node:assert/strict";
import { Bus } from "../../../system/core/events/bus.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { ClockSetting, TRIAL_MS } from "../../../system/machine/clock_setting.ts";

const MINUTE = 60_000, DAY = 24 * 60 * MINUTE, YEAR = 365 * DAY;
const TODAY = Date.UTC(2030, 5, 1, 12);
const BY_PASSWORD = { user: "admin", source: "192.168.2.9", byPassword: true };
const PROVEN = { ...BY_PASSWORD, byPassword: false };

/** A machine whose clock is off by so many milliseconds from the time that the router has counted. */
function machine(off: number) {
  const state = {
    steady: 0,
    offset: TODAY + off,
    synchronised: false,
    isProven: true,
    refuses: false,
    tries: 0,
  };
  const notices: string[] = [];
  const events: unknown[] = [];
  const ended: number[] = [];
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const bus = new Bus();
  bus.subscribe(({ data }) => void events.push(data), ["system:time:set"]);
  const wall = () => state.offset + state.steady;
  const clock = new ClockSetting({
    machine: () => ({
      setClock: (to) => {
        if (state.refuses) return Promise.reject(new Problem(503, "may not"));
        state.offset = to - state.steady;
        return Promise.resolve();
      },
      isClockSynchronised: () => Promise.resolve(state.synchronised),
    }),
    attempts: {
      check: (_, { most }) => {
        if (state.tries >= most) throw new Problem(429, "too often");
      },
      add: () => Promise.resolve(void state.tries++),
    },
    wall,
    steady: () => state.steady,
    counted: () => TODAY + state.steady,
    isProven: () => state.isProven,
    endCodes: (until) => void ended.push(until),
    notices: {
      open: (_, detail) => Promise.resolve(void notices.push(detail)),
      settle: () => Promise.resolve(void notices.push("settled")),
    },
    bus,
    log: openLog({ process: "test", human: false, write: () => {} }),
    after: (milliseconds, run) => {
      const timer = { at: state.steady + milliseconds, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  return {
    clock,
    state,
    wall,
    notices,
    events,
    ended,
    /** Lets time go by, and what is due happen. */
    async pass(milliseconds: number): Promise<void> {
      state.steady += milliseconds;
      for (const timer of [...timers]) if (timer.at <= state.steady) timer.run();
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

function refusal(status: number, text: RegExp) {
  return (error: unknown): true => {
    assert.ok(error instanceof Problem);
    assert.equal(error.status, status);
    assert.match(error.message, text);
    return true;
  };
}

Deno.test("a password alone sets a clock that is behind or ahead, and a proof keeps it", async () => {
  for (const off of [-90 * DAY, 90 * DAY]) {
    const { clock, wall, pass, notices, events } = machine(off);
    const until = await clock.set(TODAY, BY_PASSWORD);
    assert.equal(until, TODAY + TRIAL_MS);
    assert.equal(wall(), TODAY);
    assert.match(
      notices[0]!,
      /admin set the clock from .* to 2030-06-01 12:00:00 UTC, by password/,
    );
    const reported = { by: "admin", ip: "192.168.2.9", from: TODAY + off, to: TODAY };
    assert.deepEqual(events, [reported]);
    await clock.keep();
    await pass(2 * TRIAL_MS);
    assert.equal(wall(), TODAY + 2 * TRIAL_MS);
    assert.equal(notices.at(-1), "settled");
  }
});

Deno.test("without a proof the clock goes back to what it was, the time that passed counted", async () => {
  const { clock, wall, pass, notices } = machine(-90 * DAY);
  await clock.set(TODAY, BY_PASSWORD);
  await pass(5 * MINUTE);
  const again = TODAY + 5 * MINUTE + DAY;
  assert.equal(await clock.set(again, BY_PASSWORD), again + 5 * MINUTE, "none prolongs it");
  await pass(5 * MINUTE);
  assert.equal(wall(), TODAY - 90 * DAY + TRIAL_MS);
  assert.match(notices.at(-1)!, /was set back to .*: nobody proved a second factor/);
  await pass(TRIAL_MS);
  assert.equal(wall(), TODAY - 90 * DAY + 2 * TRIAL_MS, "once");
});

Deno.test("the end of the process takes a trial back, and leaves a clock that others have set", async () => {
  const ended = machine(-DAY);
  await ended.clock.set(TODAY, BY_PASSWORD);
  await ended.clock.close();
  assert.equal(ended.wall(), TODAY - DAY);
  const corrected = machine(-DAY);
  await corrected.clock.set(TODAY + YEAR, BY_PASSWORD);
  corrected.state.offset = TODAY;
  await corrected.pass(TRIAL_MS);
  assert.equal(corrected.wall(), TODAY + TRIAL_MS, "a time server put it right");
});

Deno.test("a password alone sets no time that is over, and none years ahead", async () => {
  const { clock, wall, ended } = machine(3 * DAY);
  await assert.rejects(
    clock.set(TODAY - DAY, BY_PASSWORD),
    refusal(409, /second factor may set its/),
  );
  await assert.rejects(clock.set(TODAY + 6 * YEAR, BY_PASSWORD), refusal(409, /far ahead/));
  assert.equal(wall(), TODAY + 3 * DAY);
  assert.deepEqual(ended, []);
  await clock.set(TODAY - MINUTE, BY_PASSWORD);
  assert.deepEqual(ended, [TODAY], "codes of the minute that comes again are worth nothing");
});

Deno.test("who has proven a second factor sets any clock for good", async () => {
  const { clock, wall, pass } = machine(0);
  assert.equal(await clock.set(TODAY - YEAR, PROVEN), null);
  await pass(2 * TRIAL_MS);
  assert.equal(wall(), TODAY - YEAR + 2 * TRIAL_MS);
});

Deno.test("a first start, which knows no time, may be set to any of our days", async () => {
  const { clock, state, wall } = machine(0);
  state.isProven = false;
  await clock.set(TODAY - 4 * YEAR, BY_PASSWORD);
  assert.equal(wall(), TODAY - 4 * YEAR);
  for (const to of [0, Date.UTC(2024, 0, 1), Date.UTC(2101, 0, 1)]) {
    state.tries = 0;
    await assert.rejects(clock.set(to, PROVEN), refusal(400, /time of today/));
  }
});

Deno.test("a clock that a time server keeps is left alone, and so is one that may not be set", async () => {
  const { clock, state, wall, notices } = machine(-DAY);
  state.synchronised = true;
  await assert.rejects(clock.set(TODAY, PROVEN), refusal(409, /time server/));
  state.synchronised = false;
  state.refuses = true;
  await assert.rejects(clock.set(TODAY, BY_PASSWORD), refusal(503, /may not/));
  assert.equal(wall(), TODAY - DAY);
  assert.deepEqual(notices, []);
});

Deno.test("three times in ten minutes are enough", async () => {
  const { clock } = machine(-DAY);
  for (let i = 0; i < 3; i++) await clock.set(TODAY, BY_PASSWORD);
  await assert.rejects(clock.set(TODAY, BY_PASSWORD), refusal(429, /too often/));
});

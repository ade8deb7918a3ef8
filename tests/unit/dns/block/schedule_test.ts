import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Schedule,
  scheduleAt,
  timesAt,
  WEEKDAYS,
} from "../../../../system/core/time/schedule.ts";
import { compileFilter, decide } from "../../../../system/dns/block/verdict/verdict.ts";
import { blockConfig, dnsClient, override, overrideList, tableOf } from "../../../kit/dns/block.ts";

const MINUTE = 60_000;
/** A Monday, at a time of day. */
const monday = (clock: string, days = 0): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return new Date(2027, 2, 1 + days, hours, minutes).getTime();
};

Deno.test("a schedule past midnight belongs to the day on which it begins", () => {
  const schedule: Schedule = { Days: ["mon"], From: "20:00", To: "06:00" };
  const active = (now: number): boolean => scheduleAt(schedule, now).active;
  assert.equal(active(monday("19:59")), false);
  assert.equal(active(monday("20:00")), true);
  assert.equal(active(monday("05:59", 1)), true);
  assert.equal(active(monday("06:00", 1)), false);
  assert.equal(active(monday("21:00", 1)), false);
  assert.equal(scheduleAt(schedule, monday("21:00")).next, monday("06:00", 1));
  assert.equal(scheduleAt(schedule, monday("06:00", 1)).next, monday("20:00", 7));
});

Deno.test("a schedule agrees with its clock at every minute, and changes at `next` and not before", () => {
  const clock = fc.integer({ min: 0, max: 1439 }).map((minutes) =>
    `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
  );
  const schedules = fc.record({
    Days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    From: clock,
    To: clock,
  });
  fc.assert(fc.property(schedules, fc.integer({ min: 0, max: 14 * 1440 }), (schedule, minute) => {
    const now = monday("00:00") + minute * MINUTE;
    const { active, next } = scheduleAt(schedule, now);
    assert.equal(active, naive(schedule, now));
    assert.ok(next > now && next <= now + 8 * 86_400_000);
    for (let at = now; at < next; at += 7 * MINUTE) assert.equal(naive(schedule, at), active);
  }));
});

/** By the words of the schedule alone: the day of its begin, and the clock. */
function naive({ Days, From, To }: Schedule, now: number): boolean {
  const date = new Date(now);
  const clock = date.toTimeString().slice(0, 5);
  const dayOf = (time: number) => WEEKDAYS[(new Date(time).getDay() + 6) % 7]!;
  const today = Days.includes(dayOf(now));
  const yesterday = Days.includes(dayOf(now - 86_400_000));
  return To > From
    ? today && From <= clock && clock < To
    : (today && From <= clock) || (yesterday && clock < To);
}

Deno.test("several schedules are one, which changes at `next` and not before", () => {
  const clock = fc.constantFrom("00:00", "06:30", "07:00", "12:00", "20:00", "23:59");
  const schedule = fc.record({
    Days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    From: clock,
    To: clock,
  });
  const schedules = fc.array(schedule, { minLength: 1, maxLength: 4 });
  const isNow = (times: readonly Schedule[], at: number) => times.some((one) => naive(one, at));
  fc.assert(fc.property(schedules, fc.integer({ min: 0, max: 7 * 1440 }), (times, minute) => {
    const now = monday("00:00") + minute * MINUTE;
    const { active, next } = timesAt(times, now);
    assert.equal(active, isNow(times, now));
    const end = Math.min(next, now + 8 * 86_400_000);
    for (let at = now; at < end; at += 29 * MINUTE) assert.equal(isNow(times, at), active);
    if (next !== Infinity) assert.equal(isNow(times, next), !active);
  }));
  const always: Schedule = { Days: [...WEEKDAYS], From: "00:00", To: "00:00" };
  assert.deepEqual(timesAt([always], monday("09:00")), { active: true, next: Infinity });
});

Deno.test("a rule of a group comes between one for a device and one for all", () => {
  const child = dnsClient("192.168.2.6", { groups: ["kids"] });
  const laptop = dnsClient("192.168.2.10", { groups: [] });
  const rules = [
    override("video.example.", { Type: "permit" }),
    override("video.example.", { Groups: ["kids"] }),
  ];
  const kind = (client: typeof child, more: typeof rules = []): string =>
    decide({ name: "video.example", client, now: 0 }, compiledFor([...rules, ...more])).kind;
  assert.equal(kind(child), "block");
  assert.equal(kind(laptop), "pass");
  const own = override("video.example.", { Type: "permit", ClientIP: child.address });
  assert.equal(kind(child, [own]), "pass");
});

Deno.test("a scheduled rule counts only in its time, and the table is due when that changes", () => {
  const Schedule: Schedule = { Days: ["mon"], From: "20:00", To: "21:00" };
  const rules = [
    override("video.example.", { Type: "permit" }),
    override("video.example.", { Schedule }),
  ];
  const client = dnsClient("192.168.2.6");
  const at = (now: number) => {
    const compiled = compiledFor(rules, now);
    return [decide({ name: "video.example", client, now }, compiled).kind, compiled.nextExpiry];
  };
  assert.deepEqual(at(monday("19:00")), ["pass", monday("20:00")]);
  assert.deepEqual(at(monday("20:00")), ["block", monday("21:00")]);
  assert.deepEqual(at(monday("21:00")), ["pass", monday("20:00", 7)]);
});

function compiledFor(rules: Parameters<typeof overrideList>[0], now = 0) {
  const config = blockConfig({ OverrideLists: [overrideList(rules)] });
  return compileFilter(config, tableOf({}), [], now);
}

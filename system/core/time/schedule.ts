import * as z from "zod";

/** Days of the week, Monday first. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: "Enter a time of day such as 20:00",
});

/**
 * Times of the week by the router's local time: from `From` to `To` on these days. A `To` that is not
 * after `From` is on the next day.
 */
export const Schedule = z.object({
  Days: z.array(z.enum(WEEKDAYS)).min(1, { error: "Choose at least one day" })
    .transform((days) => WEEKDAYS.filter((day) => days.includes(day))),
  From: ClockTime,
  To: ClockTime,
}).meta({ id: "Schedule" });
export type Schedule = z.output<typeof Schedule>;

/** Whether it is one of these times, and when that changes next. */
export interface ScheduleState {
  readonly active: boolean;
  /** Unix milliseconds; Infinity where they fill the whole week. */
  readonly next: number;
}

/** State of a schedule at a time (unix milliseconds), in the local time zone of the process. */
export function scheduleAt({ Days, From, To }: Schedule, now: number): ScheduleState {
  const today = new Date(now);
  const at = (offset: number, clock: string): number => {
    const [hours = 0, minutes = 0] = clock.split(":").map(Number);
    const day = today.getDate() + offset;
    return new Date(today.getFullYear(), today.getMonth(), day, hours, minutes).getTime();
  };
  let active = false;
  let next = Infinity;
  // A period of yesterday may still last; the next one is within a week.
  for (let offset = -1; offset <= 8; offset++) {
    const start = at(offset, From);
    const weekday = WEEKDAYS[(new Date(start).getDay() + 6) % 7]!;
    if (!Days.includes(weekday)) continue;
    const end = at(To > From ? offset : offset + 1, To);
    if (start <= now && now < end) active = true;
    for (const edge of [start, end]) if (edge > now) next = Math.min(next, edge);
  }
  return { active, next };
}

/** How far a change is looked for: two weeks hold all that there are. In milliseconds. */
const MAX_AHEAD_MS = 15 * 24 * 3600_000;

/** State of several schedules as one, which is active while any of them is; `now` as above. */
export function timesAt(times: readonly Schedule[], now: number): ScheduleState {
  const isActive = (at: number): boolean => times.some((one) => scheduleAt(one, at).active);
  const active = isActive(now);
  // One may begin just as another ends, which changes nothing.
  for (let at = now; at < now + MAX_AHEAD_MS;) {
    at = Math.min(...times.map((one) => scheduleAt(one, at).next));
    if (isActive(at) !== active) return { active, next: at };
  }
  return { active, next: Infinity };
}

/** A day of the week as people read it: `Mon`. */
export function weekdayText(day: typeof WEEKDAYS[number]): string {
  return `${day[0]!.toUpperCase()}${day.slice(1)}`;
}

/** `on Mon, Tue from 07:00 to 20:00`, as the end of a sentence. */
export function scheduleText({ Days, From, To }: Schedule): string {
  const days = Days.length === WEEKDAYS.length
    ? "every day"
    : `on ${Days.map(weekdayText).join(", ")}`;
  return `${days} from ${From} to ${To}`;
}

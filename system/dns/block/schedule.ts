import * as z from "zod";

/** Days of the week, Monday first. */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const ClockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: "Enter a time of day such as 20:00",
});

/**
 * When a custom rule applies, by the router's local time: from `From` to `To` on these days. A `To` that
 * is not after `From` is on the next day.
 */
export const Schedule = z.object({
  Days: z.array(z.enum(WEEKDAYS)).min(1, { error: "Choose at least one day" })
    .transform((days) => WEEKDAYS.filter((day) => days.includes(day))),
  From: ClockTime,
  To: ClockTime,
}).meta({ id: "DnsSchedule" });
export type Schedule = z.output<typeof Schedule>;

/** Whether a schedule applies, and when that changes next. */
export interface ScheduleState {
  readonly active: boolean;
  /** Unix milliseconds. */
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

import type { DnsSchedule } from "../wire.ts";

type Weekday = DnsSchedule["Days"][number];

/** Days of the week with their short and full names. */
export const DAYS: readonly (readonly [Weekday, string, string])[] = [
  ["mon", "Mon", "Monday"],
  ["tue", "Tue", "Tuesday"],
  ["wed", "Wed", "Wednesday"],
  ["thu", "Thu", "Thursday"],
  ["fri", "Fri", "Friday"],
  ["sat", "Sat", "Saturday"],
  ["sun", "Sun", "Sunday"],
];

/** What a new schedule begins with: school nights. */
export const SCHOOL_NIGHTS: DnsSchedule = {
  Days: ["mon", "tue", "wed", "thu", "sun"],
  From: "20:00",
  To: "07:00",
};

/** A schedule in words that end a sentence: ` every day from 20:00 to 07:00`. */
export function scheduleText({ Days, From, To }: DnsSchedule): string {
  const days = Days.length === DAYS.length
    ? "every day"
    : `on ${DAYS.filter(([day]) => Days.includes(day)).map(([, word]) => word).join(", ")}`;
  return ` ${days} from ${From} to ${To}`;
}

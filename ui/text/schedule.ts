import type { Schedule } from "../wire.ts";
import { t } from "./language.ts";

type Weekday = Schedule["Days"][number];

/** Days of the week with their short and full names. */
export const DAYS: readonly (readonly [Weekday, string, string])[] = [
  ["mon", t("Mon"), t("Monday")],
  ["tue", t("Tue"), t("Tuesday")],
  ["wed", t("Wed"), t("Wednesday")],
  ["thu", t("Thu"), t("Thursday")],
  ["fri", t("Fri"), t("Friday")],
  ["sat", t("Sat"), t("Saturday")],
  ["sun", t("Sun"), t("Sunday")],
];

/** What a new schedule begins with: school nights. */
export const SCHOOL_NIGHTS: Schedule = {
  Days: ["mon", "tue", "wed", "thu", "sun"],
  From: "20:00",
  To: "07:00",
};

/** When school days leave time for the Internet. */
export const SCHOOL_DAYS: Schedule = {
  Days: ["mon", "tue", "wed", "thu", "fri"],
  From: "07:00",
  To: "20:00",
};

/** A schedule in words: `every day from 20:00 to 07:00`, `on Sat, Sun from 08:00 to 21:00`. */
export function scheduleText({ Days, From, To }: Schedule): string {
  const clock = { from: From, to: To };
  if (Days.length === DAYS.length) return t("every day from {from} to {to}", clock);
  const days = DAYS.filter(([day]) => Days.includes(day)).map(([, word]) => word).join(", ");
  return t("on {days} from {from} to {to}", { days, ...clock });
}

import type { DnsSchedule } from "../wire.ts";
import { t } from "../../../text/language.ts";

type Weekday = DnsSchedule["Days"][number];

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
export const SCHOOL_NIGHTS: DnsSchedule = {
  Days: ["mon", "tue", "wed", "thu", "sun"],
  From: "20:00",
  To: "07:00",
};

/** A schedule in words that end a sentence: ` every day from 20:00 to 07:00`. */
export function scheduleText({ Days, From, To }: DnsSchedule): string {
  const days = Days.length === DAYS.length ? t("every day") : t("on {filter}", {
    filter: DAYS.filter(([day]) => Days.includes(day)).map(([, word]) => word).join(", "),
  });
  return t(" {days} from {from} to {to}", { days, from: From, to: To });
}

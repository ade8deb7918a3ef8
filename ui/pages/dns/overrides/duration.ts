import { momentText } from "../../../text/time.ts";
import { t } from "../../../text/language.ts";

/** Value of the choice that asks for a time of its own, and of the one that asks for a schedule. */
export const UNTIL = "until", SCHEDULED = "schedule";

const LENGTHS: readonly (readonly [string, string])[] = [
  ["300", t("5 minutes")],
  ["1800", t("30 minutes")],
  ["3600", t("1 hour")],
  ["86400", t("1 day")],
  ["604800", t("1 week")],
];

/** Times of day that people mean by "until tonight" and "until the morning". */
const CLOCK_TIMES = ["20:00", "07:00"];

/** `Expiration` values from here on are unix seconds, smaller ones seconds from now. */
const MIN_UNIX_TIME = 1_000_000_000;

/** The next time that a clock shows this time of day (`20:00`); unix seconds, by this browser's zone. */
export function nextClockTime(text: string, now: number): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  const at = new Date(now);
  at.setHours(hours, minutes, 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return Math.floor(at.getTime() / 1000);
}

/** How long a custom rule may apply: values of `Expiration`, {@link UNTIL} and, on request, {@link SCHEDULED}. */
export function durations(
  now: number,
  { scheduled = false }: { readonly scheduled?: boolean } = {},
): readonly (readonly [string, string])[] {
  return [
    ["0", t("Permanent")],
    ...LENGTHS,
    ...CLOCK_TIMES.map((text) => nextClockTime(text, now)).sort()
      .map((at) => [String(at), t("Until {moment}", { moment: momentText(at, now) })] as const),
    [UNTIL, t("Until a time…")],
    ...(scheduled ? [[SCHEDULED, t("On a schedule…")] as const] : []),
  ];
}

/** How long a rule with this `Expiration` applies, as a sentence; "" for ever. */
export function durationText(seconds: string, now = Date.now()): string {
  if (Number(seconds) >= MIN_UNIX_TIME) {
    return t("The rule ends {moment}.", { moment: momentText(Number(seconds), now) });
  }
  const text = LENGTHS.find(([value]) => value === seconds)?.[1];
  return text === undefined ? "" : t("The rule ends after {text}.", { text });
}

import { locale, t } from "./language.ts";

/**
 * Unix milliseconds of the time texts that routers of this kind write: RFC 3339, or Go's
 * `2025-09-12 17:20:11.5 +0200 CEST m=+12.3`. Null when there is none.
 */
export function parseWhen(text: string): number | null {
  const match =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,3})\d*)? ?(Z|[+-]\d{2}:?\d{2})?/.exec(
      text,
    );
  if (match === null) return null;
  const [, day, time, fraction, zone] = match;
  const offset = zone === undefined || zone === "Z"
    ? "Z"
    : zone.replace(/(\d{2}):?(\d{2})$/, "$1:$2");
  const at = Date.parse(`${day}T${time}.${(fraction ?? "0").padEnd(3, "0")}${offset}`);
  return Number.isNaN(at) || at <= 0 ? null : at;
}

const UNITS: readonly (readonly [size: number, text: string])[] = [
  [86_400, t("{count} d")],
  [3600, t("{count} h")],
  [60, t("{count} min")],
  [1, t("{count} s")],
];

/** So many of the unit of this size in seconds: `5 d`. */
function inUnit(count: number, size: number): string {
  const text = UNITS.find(([one]) => one === size)?.[1] ?? "{count}";
  return text.replace("{count}", String(count));
}

/** How long ago, in one unit: `now`, `6 min`, `9 h`, `5 d`. */
export function age(at: number, now: number): string {
  return ageOf(at, now) ?? t("now");
}

/** True for less than a minute ago. */
export function isNow(at: number, now: number): boolean {
  return now - at < 60_000;
}

/** Null for less than a minute. */
function ageOf(at: number, now: number): string | null {
  const seconds = Math.max(0, (now - at) / 1000);
  const [size] = UNITS.find(([size]) => size > 1 && seconds >= size) ?? [];
  return size === undefined ? null : inUnit(Math.floor(seconds / size), size);
}

/** How long ago, in a sentence: `just now`, `6 min ago`. */
export function ago(at: number, now = Date.now()): string {
  const age = ageOf(at, now);
  return age === null ? t("just now") : t("{age} ago", { age });
}

const clockFormat = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const clockSeconds = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const dayFormat = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  year: "numeric",
});

/** `20:58`, or with seconds `20:58:04`. */
export function clock(at: number, seconds = false): string {
  return (seconds ? clockSeconds : clockFormat).format(at);
}

/** `12 Sep 2025`. */
export function day(at: number): string {
  return dayFormat.format(at).replace("Sept", "Sep");
}

/** `tonight 20:00`, `today 17:00`, `tomorrow 07:00`, else with its date; `at` in unix seconds. */
export function momentText(at: number, now: number): string {
  const time = at * 1000;
  const tomorrow = new Date(now);
  tomorrow.setDate(tomorrow.getDate() + 1);
  if (day(time) === day(now)) {
    return new Date(time).getHours() >= 18
      ? t("tonight {clock}", { clock: clock(time) })
      : t("today {clock}", { clock: clock(time) });
  }
  if (day(time) === day(tomorrow.getTime())) return t("tomorrow {clock}", { clock: clock(time) });
  return `${day(time)}, ${clock(time)}`;
}

/** `Today`, `Yesterday`, else the date. */
export function dayName(at: number, now: number): string {
  const name = day(at);
  if (name === day(now)) return t("Today");
  return name === day(now - 86_400_000) ? t("Yesterday") : name;
}

/** A length of time in its two largest units: `8 h 44 min`, `1 min 12 s`. */
export function lengthText(seconds: number): string {
  const parts: readonly (readonly [count: number, size: number])[] = [
    [Math.floor(seconds / 86_400), 86_400],
    [Math.floor(seconds / 3600) % 24, 3600],
    [Math.floor(seconds / 60) % 60, 60],
    [Math.floor(seconds) % 60, 1],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return inUnit(0, 1);
  return parts.slice(first, first + 2).filter(([count]) => count > 0)
    .map(([count, size]) => inUnit(count, size)).join(" ");
}

/** What is left of a countdown, to the second: `1 min 12 s`, and `0 s` once it is over. */
export function countdown(seconds: number): string {
  return lengthText(Math.max(0, Math.ceil(seconds)));
}

/** A moment as `<input type="datetime-local">` writes it, by this browser's clock: `2025-09-12T20:58`. */
export function localInput(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

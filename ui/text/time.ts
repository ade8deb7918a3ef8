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

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
];

/** How long ago, in one unit: `now`, `6 min`, `9 h`, `5 d`. */
export function age(at: number, now: number): string {
  const seconds = Math.max(0, (now - at) / 1000);
  for (const [size, unit] of UNITS) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return "now";
}

/** How long ago, in a sentence: `just now`, `6 min ago`. */
export function ago(at: number, now = Date.now()): string {
  const text = age(at, now);
  return text === "now" ? "just now" : `${text} ago`;
}

const clockFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const clockSeconds = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const dayFormat = new Intl.DateTimeFormat("en-GB", {
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

/** `Today`, `Yesterday`, else the date. */
export function dayName(at: number, now: number): string {
  const name = day(at);
  if (name === day(now)) return "Today";
  return name === day(now - 86_400_000) ? "Yesterday" : name;
}

/** A length of time in its two largest units: `8 h 44 min`, `1 min 12 s`. */
export function lengthText(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  return parts.slice(first, first + 2).filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`).join(" ");
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

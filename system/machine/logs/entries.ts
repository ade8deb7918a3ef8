import { type LogLine, MAX_LINE_LENGTH, parseLogLine } from "../../core/process/child_lines.ts";
import { isRecord } from "../../core/config/json.ts";
import type { LogEntry, LogLevel, LogQuery } from "./schema.ts";

/** Numbers of syslog(3). */
const PRIORITY: Readonly<Record<LogLevel, number>> = { error: 3, warn: 4, info: 6, debug: 7 };
const DEFAULT_PRIORITY = PRIORITY.info;

/** An entry of Sluice's own log files. `at` is microseconds since 1970. */
function ownEntry(line: LogLine, at: number): LogEntry {
  return {
    CONTAINER_NAME: line.process,
    MESSAGE: messageOf(line),
    __REALTIME_TIMESTAMP: at,
    PRIORITY: String(PRIORITY[line.level]),
    _TRANSPORT: "sluice",
  };
}

/** Lines of one millisecond that get distinct times. */
const MAX_PER_MILLISECOND = 999;

/**
 * The entries of some lines of one of our files, oldest first. Lines of one millisecond follow one
 * another by microseconds, each by its place among them, wherever the part begins.
 */
export function ownEntries(
  lines: readonly string[],
  part: { readonly from: number; readonly to: number } = { from: 0, to: lines.length },
): readonly LogEntry[] {
  let time = "", nth = 0;
  const entries: LogEntry[] = [];
  for (let at = runStart(lines, part.from); at < Math.min(part.to, lines.length); at++) {
    const line = parseLogLine(lines[at]!);
    if (line === null) continue;
    nth = line.time === time ? Math.min(nth + 1, MAX_PER_MILLISECOND) : 0;
    time = line.time;
    if (at >= part.from) entries.push(ownEntry(line, Date.parse(time) * 1000 + nth));
  }
  return entries;
}

/** Where the lines of the millisecond begin that the line at `from` is of. */
function runStart(lines: readonly string[], from: number): number {
  const time = parseLogLine(lines[from] ?? "")?.time;
  let start = from;
  while (
    start > 0 && from - start < MAX_PER_MILLISECOND &&
    parseLogLine(lines[start - 1]!)?.time === time
  ) start--;
  return start;
}

/** Parses an entry of `journalctl -o json`; null when malformed. */
export function journalEntry(raw: unknown): LogEntry | null {
  if (!isRecord(raw)) return null;
  const at = Number(raw["__REALTIME_TIMESTAMP"]);
  if (!Number.isSafeInteger(at) || at < 0) return null;
  const whole = text(raw["MESSAGE"]);
  const own = parseLogLine(whole);
  const priority = text(raw["PRIORITY"]);
  return {
    CONTAINER_NAME: own?.process ?? journalName(raw),
    MESSAGE: truncated(own === null ? whole : messageOf(own)),
    __REALTIME_TIMESTAMP: at,
    PRIORITY: own !== null
      ? String(PRIORITY[own.level])
      : /^[0-7]$/.test(priority)
      ? priority
      : String(DEFAULT_PRIORITY),
    _TRANSPORT: text(raw["_TRANSPORT"]),
  };
}

/** Programs write whole files into one message. */
function truncated(message: string): string {
  return message.length > MAX_LINE_LENGTH ? `${message.slice(0, MAX_LINE_LENGTH)}…` : message;
}

/** True when an entry matches the query, its limit aside. */
export function matchesQuery(entry: LogEntry, query: Omit<LogQuery, "limit">): boolean {
  const { before, since, process, level, text } = query;
  const at = entry.__REALTIME_TIMESTAMP;
  if (before !== undefined && at >= before || since !== undefined && at <= since) return false;
  if (process !== undefined && entry.CONTAINER_NAME !== process) return false;
  if (level !== undefined && Number(entry.PRIORITY) > PRIORITY[level]) return false;
  return text === undefined || entry.MESSAGE.toLowerCase().includes(text.toLowerCase());
}

function journalName(raw: Readonly<Record<string, unknown>>): string {
  const names = ["CONTAINER_NAME", "_SYSTEMD_UNIT", "UNIT", "SYSLOG_IDENTIFIER", "_COMM"];
  for (const name of names) {
    const value = text(raw[name]);
    if (value !== "") return value.replace(/\.service$/, "");
  }
  return raw["_TRANSPORT"] === "kernel" ? "kernel" : "";
}

/** The journal gives bytes that are no UTF-8 or hold control characters as numbers. */
function text(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  // A field that stands several times is a list of texts.
  if (typeof value[0] === "string") return value[0];
  const bytes = value.filter((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function messageOf(line: LogLine): string {
  const { time: _, level: __, process: ___, event: ____, message, ...fields } = line;
  const more = Object.entries(fields).map(([name, value]) =>
    ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`
  );
  return `${message}${more.join("")}`;
}

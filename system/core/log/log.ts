import { loggableError } from "../errors/error_text.ts";

/** How much a line matters. `error`: something is broken; `warn`: someone should look. */
export type Level = "debug" | "info" | "warn" | "error";

const RANK: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** True for the name of a level. */
export function isLevel(value: unknown): value is Level {
  return typeof value === "string" && Object.hasOwn(RANK, value);
}

/**
 * Members that belong to a line; errors are shown by their message, and by their stack at `error` and
 * `debug`.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** Stable name of what a line reports, `<domain>.<what_happened>`: programs match it, not the message. */
export type LogEvent = `${string}.${string}`;

/** Writes one line. The message is a short sentence for people; what varies goes into the fields. */
export type LogMethod = (event: LogEvent, message: string, fields?: Fields) => void;

/** Writes one line per event, by how much it matters. */
export type Log = Readonly<Record<Level, LogMethod>>;

/** Where and how lines are written. */
export interface LogOptions {
  /** Name of the process, such as `api`. */
  readonly process: string;
  /** Writes one line, which ends with a line feed. */
  readonly write: (line: string) => void;
  /** For a person at a terminal; JSON otherwise. */
  readonly human: boolean;
  /** Minimum level; `info` by default. */
  readonly level?: Level;
  readonly now?: () => Date;
}

/** A log on the standard error of this process: human on a terminal, one JSON object a line otherwise. */
export function standardLog(process: string): Log {
  const encoder = new TextEncoder();
  return openLog({
    process,
    human: Deno.stderr.isTerminal(),
    write: (line) => {
      try {
        Deno.stderr.writeSync(encoder.encode(line));
      } catch {
        // The reader of the lines is gone (a closed pipe); the work must go on without them.
      }
    },
  });
}

/** A log that writes to `options.write`. */
export function openLog(options: LogOptions): Log {
  const least = RANK[options.level ?? "info"];
  const now = options.now ?? ((): Date => new Date());
  const at = (level: Level): LogMethod => (event, message, fields = {}) => {
    if (RANK[level] < least) return;
    const line = {
      at: now(),
      level,
      process: options.process,
      event,
      message,
      fields: shown(fields, level),
    };
    options.write(`${options.human ? humanLine(line) : jsonLine(line)}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** One line before it is text. */
export interface Line {
  readonly at: Date;
  readonly level: Level;
  readonly process: string;
  readonly event: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function jsonLine(line: Line): string {
  const { at, level, process, event, message, fields } = line;
  return JSON.stringify({ ...fields, time: at.toISOString(), level, process, event, message });
}

/** A line for a person, without its line feed. */
export function humanLine(line: Line): string {
  const time = line.at.toISOString().slice(11, 19);
  const mark = line.level === "info" ? "" : `${line.level.toUpperCase()} `;
  const fields = Object.entries(line.fields)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
  return printable(
    `${time} ${line.process.padEnd(8)} ${mark}${line.message} [${line.event}]${fields}`,
  );
}

/** Line breaks and escape sequences inside a value must not forge lines or steer a terminal. */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/[\x00-\x1f\x7f-\x9f]+/g, " ");
}

// A safety net below the rule that callers log no secrets.
const SECRET = /(password|secret|psk|passphrase|private_?key|token$|authorization|cookie)/i;

function shown(fields: Fields, level: Level): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, SECRET.test(name) ? "(hidden)" : plain(value, level)]),
  );
}

/** Deno colours the places in some of its messages. */
// deno-lint-ignore no-control-regex
const COLOUR = /\x1b\[[0-9;]*m/g;

function plain(member: unknown, level: Level): unknown {
  const value = loggableError(member);
  if (value instanceof Error) return errorText(value, level).replaceAll(COLOUR, "");
  if (typeof value === "bigint") return value.toString();
  return value;
}

/** The stack matters for faults, and at level debug. */
function errorText(error: Error, level: Level): string {
  const stack = level === "error" || level === "debug" ? error.stack : undefined;
  return stack ?? String(error);
}

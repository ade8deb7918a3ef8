import {
  type Fields,
  humanLine,
  isLevel,
  type Level,
  type LogEvent,
  printable,
} from "../log/log.ts";

/** Characters of a line; a longer one is cut. */
export const MAX_LINE_LENGTH = 16 * 1024;

/** Which process wrote a line, and when. */
export interface OutputSource {
  readonly process: string;
  readonly at: Date;
}

/**
 * A line of a child's standard error as a log line in JSON: any other line, such as an error of Deno
 * itself, is wrapped in one.
 */
export function childLine(text: string, source: OutputSource): string {
  const own = text.length > MAX_LINE_LENGTH ? null : parseLogLine(text);
  if (own !== null) return `${text}\n`;
  return `${
    JSON.stringify({
      time: source.at.toISOString(),
      level: "warn" satisfies Level,
      process: source.process,
      event: "process.output" satisfies LogEvent,
      message: text.slice(0, MAX_LINE_LENGTH),
    })
  }\n`;
}

/** A log line as text for a terminal; ends with a line feed. */
export function terminalLine(line: string): string {
  const record = parseLogLine(line);
  if (record === null) return `${printable(line)}\n`;
  const { time, level, process, event, message, ...fields } = record;
  return `${humanLine({ at: new Date(time), level, process, event, message, fields })}\n`;
}

/** A log line of a Sluice process. */
export interface LogLine extends Fields {
  readonly time: string;
  readonly level: Level;
  readonly process: string;
  readonly event: string;
  readonly message: string;
}

/** Parses a log line; null for any other line. */
export function parseLogLine(line: string): LogLine | null {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return null;
  const { time, level, process, event, message } = raw as Readonly<Record<string, unknown>>;
  if (typeof time !== "string" || Number.isNaN(Date.parse(time))) return null;
  const texts = [process, event, message];
  return isLevel(level) && texts.every((text) => typeof text === "string") ? raw as LogLine : null;
}

/** Splits a stream into lines. A longer one is passed on in pieces of {@link MAX_LINE_LENGTH}. */
export async function eachLine(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") take(line);
    for (; rest.length > MAX_LINE_LENGTH; rest = rest.slice(MAX_LINE_LENGTH)) {
      take(rest.slice(0, MAX_LINE_LENGTH));
    }
  }
  if (rest !== "") take(rest);
}

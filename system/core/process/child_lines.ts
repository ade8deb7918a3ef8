import {
  type Fields,
  humanLine,
  isLevel,
  type Level,
  type LogEvent,
  printable,
} from "../log/log.ts";

/** Characters of one line that are kept and shown; what is longer is cut. */
export const LINE_LIMIT = 16 * 1024;

/** Which process said something, and when. */
export interface Said {
  readonly process: string;
  readonly at: Date;
}

/**
 * What a child wrote to its standard error, as a line of JSON: its own line, or, where it is none, as
 * of Deno's own complaints, one made of it.
 */
export function childLine(text: string, said: Said): string {
  const own = text.length > LINE_LIMIT ? null : parsed(text);
  if (own !== null) return `${text}\n`;
  return `${
    JSON.stringify({
      time: said.at.toISOString(),
      level: "warn" satisfies Level,
      process: said.process,
      event: "process.output" satisfies LogEvent,
      message: text.slice(0, LINE_LIMIT),
    })
  }\n`;
}

/** A line of JSON for a person at a terminal; ends with a line feed. */
export function shownLine(line: string): string {
  const record = parsed(line);
  if (record === null) return `${printable(line)}\n`;
  const { time, level, process, event, message, ...fields } = record;
  return `${humanLine({ at: new Date(time), level, process, event, message, fields })}\n`;
}

/** A line that one of our processes wrote. */
export interface OwnLine extends Fields {
  readonly time: string;
  readonly level: Level;
  readonly process: string;
  readonly event: string;
  readonly message: string;
}

/** Takes a line apart; null when it is not one of ours. */
export function parsed(line: string): OwnLine | null {
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
  return isLevel(level) && texts.every((text) => typeof text === "string") ? raw as OwnLine : null;
}

/** Cuts what arrives into lines. An endless one is given out in pieces of {@link LINE_LIMIT}. */
export async function eachLine(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") take(line);
    for (; rest.length > LINE_LIMIT; rest = rest.slice(LINE_LIMIT)) {
      take(rest.slice(0, LINE_LIMIT));
    }
  }
  if (rest !== "") take(rest);
}

import { Problem } from "../../core/errors/problem.ts";
import type { LogSource } from "./read.ts";
import type { LogEntry } from "./schema.ts";

/** How a source that may fail is read beside others. */
export interface TolerantSourceOptions {
  /** What it is, at the beginning of a sentence. */
  readonly name: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * A source, where `find` has one, whose failure hides no other: what it gave so far stands, and one
 * entry says what is wrong.
 * While it goes on to fail that entry keeps its moment, so that pages and questions for news hold it
 * once.
 */
export function tolerantSource(
  find: () => Promise<LogSource | null>,
  { name, now }: TolerantSourceOptions,
): LogSource {
  let failing: number | null = null;
  return {
    async *newestFirst(before) {
      let oldest: number | null = null;
      try {
        const source = await find();
        if (source === null) return;
        for await (const entry of source.newestFirst(before)) {
          oldest = entry.__REALTIME_TIMESTAMP;
          yield entry;
        }
        failing = null;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        failing ??= now() * 1000;
        const at = Math.min(failing, oldest ?? failing);
        if (before === null || at < before) {
          yield failureEntry(`${name} cannot be read: ${error.message}`, at);
        }
      }
    },
  };
}

function failureEntry(MESSAGE: string, at: number): LogEntry {
  return {
    CONTAINER_NAME: "api",
    MESSAGE,
    __REALTIME_TIMESTAMP: at,
    PRIORITY: "4",
    _TRANSPORT: "sluice",
  };
}

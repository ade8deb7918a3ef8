import { Problem } from "../../core/errors/problem.ts";
import type { LogSource } from "./read.ts";
import type { LogEntry } from "./schema.ts";

/** Options of {@link tolerantSource}. */
export interface TolerantSourceOptions {
  /** Name of the source, as the start of a sentence. */
  readonly name: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Wraps a source so that its failure does not hide the others: entries read so far are kept, and one
 * entry reports the failure. That entry keeps its time while the failure lasts, so that paging and
 * polling return it once.
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

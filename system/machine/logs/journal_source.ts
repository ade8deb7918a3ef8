import type { LogSource } from "./read.ts";
import { journalEntry } from "./entries.ts";

/** The machine's journal; `records` yields the output of `journalctl`, newest first. */
export function journalSource(
  records: (before: number | null) => AsyncIterable<unknown>,
): LogSource {
  return {
    async *newestFirst(before) {
      for await (const raw of records(before)) {
        const entry = journalEntry(raw);
        if (entry !== null && (before === null || entry.__REALTIME_TIMESTAMP < before)) {
          yield entry;
        }
      }
    },
  };
}

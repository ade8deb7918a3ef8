import { logTexts } from "../core/log_files.ts";
import type { LogSource } from "./read.ts";
import { ownEntries } from "./entries.ts";

/** What our own processes said, from the files that the launcher keeps; `path` is the newest one. */
export function ownSource(path: string): LogSource {
  return {
    async *newestFirst(before) {
      for await (const text of logTexts(path)) {
        const entries = ownEntries(text).toSorted((a, b) =>
          a.__REALTIME_TIMESTAMP - b.__REALTIME_TIMESTAMP
        );
        for (const entry of entries.reverse()) {
          if (before === null || entry.__REALTIME_TIMESTAMP < before) yield entry;
        }
      }
    },
  };
}

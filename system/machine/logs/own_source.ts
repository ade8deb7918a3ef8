import { logTexts } from "../../core/log/log_files.ts";
import type { LogSource } from "./read.ts";
import { ownEntries } from "./entries.ts";

/** Lines that are parsed at a time. */
const BLOCK_LINES = 250;

/** Entries of Sluice's processes, from the launcher's log files; `path` is the newest one. */
export function ownSource(path: string): LogSource {
  return {
    async *newestFirst(before) {
      for await (const text of logTexts(path)) {
        const lines = text.split("\n");
        const last = Math.floor((lines.length - 1) / BLOCK_LINES) * BLOCK_LINES;
        for (let from = last; from >= 0; from -= BLOCK_LINES) {
          // Turned first, so that those of one moment stay in this order.
          const entries = ownEntries(lines, { from, to: from + BLOCK_LINES }).toReversed()
            .toSorted((a, b) => b.__REALTIME_TIMESTAMP - a.__REALTIME_TIMESTAMP);
          for (const entry of entries) {
            if (before === null || entry.__REALTIME_TIMESTAMP < before) yield entry;
          }
        }
      }
    },
  };
}

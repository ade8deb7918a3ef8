import { matchesQuery } from "./entries.ts";
import type { LogEntry, LogQuery } from "./schema.ts";

/** A source of log entries. */
export interface LogSource {
  /** Entries before a time (microseconds; null: up to now), newest first. */
  newestFirst(before: number | null): AsyncIterable<LogEntry>;
}

/** Maximum number of scanned entries per query, so that a filter without matches ends. */
const MAX_SCANNED = 50_000;

/**
 * The entries of a query, newest first. Those of one time are never split: a page may exceed its limit,
 * so that the next one begins before its last time. Throws Problem.
 */
export async function readLogs(
  sources: readonly LogSource[],
  query: LogQuery,
): Promise<readonly LogEntry[]> {
  const before = query.before ?? null;
  const found: LogEntry[] = [];
  let scanned = 0;
  for await (const entry of merged(sources.map((source) => source.newestFirst(before)))) {
    const at = entry.__REALTIME_TIMESTAMP;
    const last = found.at(-1)?.__REALTIME_TIMESTAMP;
    if (found.length >= query.limit && at !== last) break;
    if (query.since !== undefined && at <= query.since) break;
    if (matchesQuery(entry, query)) found.push(entry);
    if (++scanned >= MAX_SCANNED) break;
  }
  return found;
}

/** Several lists, each newest first, as one. */
async function* merged(lists: readonly AsyncIterable<LogEntry>[]): AsyncGenerator<LogEntry> {
  const readers = lists.map((list) => list[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    for (;;) {
      let newest = -1;
      heads.forEach((head, index) => {
        if (head.done) return;
        const best = heads[newest];
        if (
          best === undefined || best.done ||
          head.value.__REALTIME_TIMESTAMP > best.value.__REALTIME_TIMESTAMP
        ) newest = index;
      });
      const head = heads[newest];
      if (head === undefined || head.done) return;
      yield head.value;
      heads[newest] = await readers[newest]!.next();
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.return?.()));
  }
}

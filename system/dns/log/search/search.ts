import type { LogEntry, LogVerdict } from "../schema.ts";
import type { SegmentTable } from "../writer/segment_table.ts";

/** Criteria of a search. */
export interface LogQuery {
  /** Address of the client; "" for all. */
  readonly client: string;
  /** Part of the query name, in lower case; "" for all. */
  readonly name: string;
  /** Empty for all. */
  readonly verdicts: readonly LogVerdict[];
  /** Only entries before this id; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** A page of the log, newest first. */
export interface LogPage {
  readonly items: readonly LogEntry[];
  /** `before` of the next page; null at the end. */
  readonly next: number | null;
}

/** How much one search may read before it returns what it has. */
export interface SearchLimits {
  /** Entries of the client. */
  readonly entries: number;
  /** Segments that are decompressed. */
  readonly segments: number;
  /** Segments whose client counts are read. */
  readonly scanned: number;
}

/** About a tenth of a second on a small machine. */
export const DEFAULT_SEARCH_LIMITS: SearchLimits = {
  entries: 200_000,
  segments: 128,
  scanned: 20_000,
};

/** Matching entries, newest first, of a bounded part of the log. */
export async function searchLog(
  table: SegmentTable,
  query: LogQuery,
  limits: SearchLimits = DEFAULT_SEARCH_LIMITS,
): Promise<LogPage> {
  const { client, name, limit } = query;
  const verdicts = new Set(query.verdicts);
  const containing = [
    ...(client === "" ? [] : [[client]]),
    ...(verdicts.size === 0 ? [] : [[...verdicts]]),
  ];
  const items: LogEntry[] = [];
  let before = query.before ?? Number.MAX_SAFE_INTEGER;
  const from = await table.countBack(before, limits.scanned);
  let entriesLeft = limits.entries;
  for (let segmentsLeft = limits.segments; segmentsLeft > 0; segmentsLeft--) {
    const stored = await table.newest({ before, from, containing });
    if (stored === null) return { items, next: from > 0 ? from : null };
    const { segment } = stored;
    for (let index = (segment?.size ?? 0) - 1; index >= 0; index--) {
      const id = segment!.id(index);
      if (id >= before || (client !== "" && segment!.client(index) !== client)) continue;
      if (entriesLeft-- === 0) return { items, next: id + 1 };
      if (verdicts.size > 0 && !verdicts.has(segment!.verdict(index))) continue;
      if (name !== "" && !segment!.nameIncludes(index, name)) continue;
      items.push(segment!.entry(index));
      if (items.length === limit) return { items, next: id };
    }
    before = stored.id;
  }
  return { items, next: before };
}

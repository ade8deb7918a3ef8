import { PER_MILLISECOND } from "../segments/format.ts";
import type { LogEntry, Verdict } from "../schema.ts";
import type { LogTable } from "../writer/segment_table.ts";

/** Which entries are asked for. */
export interface LogQuery {
  /** Address that asked; "" for all. */
  readonly client: string;
  /** Part of the name, in lower case; "" for all. */
  readonly name: string;
  /** Empty for all. */
  readonly verdicts: readonly Verdict[];
  /** Only entries before this id; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** A part of the log, newest first. */
export interface LogPage {
  readonly items: readonly LogEntry[];
  /** `before` of the next part; null at the end. */
  readonly next: number | null;
}

/** How much one question may look through before it answers with what it has. */
export interface Looks {
  /** Entries of the address that is asked for. */
  readonly entries: number;
  /** Blocks that are read. */
  readonly blocks: number;
  /** Blocks of which is looked who asked them. */
  readonly passed: number;
}

/** A moment's work: a tenth of a second or two on a small machine. */
export const MOST_LOOKS: Looks = { entries: 200_000, blocks: 128, passed: 20_000 };

/** Entries that the question fits, newest first; looks through a bounded part of them. */
export async function page(
  table: LogTable,
  query: LogQuery,
  looks: Looks = MOST_LOOKS,
): Promise<LogPage> {
  const { client, name, limit } = query;
  const verdicts = new Set(query.verdicts);
  const having = [
    ...(client === "" ? [] : [[client]]),
    ...(verdicts.size === 0 ? [] : [[...verdicts]]),
  ];
  const items: LogEntry[] = [];
  let before = query.before ?? Number.MAX_SAFE_INTEGER;
  const from = await table.countBack(before, looks.passed);
  let entriesLeft = looks.entries;
  for (let blocks = looks.blocks; blocks > 0; blocks--) {
    const block = await table.newest({ before, from, having });
    if (block === null) return { items, next: from > 0 ? from : null };
    const { entries } = block;
    for (let place = (entries?.size ?? 0) - 1; place >= 0; place--) {
      const id = entries!.id(place);
      if (id >= before || (client !== "" && entries!.client(place) !== client)) continue;
      if (entriesLeft-- === 0) return { items, next: id + 1 };
      if (verdicts.size > 0 && !verdicts.has(entries!.verdict(place))) continue;
      if (name !== "" && !entries!.asksFor(place, name)) continue;
      items.push(entries!.entry(place));
      if (items.length === limit) return { items, next: id };
    }
    before = block.id;
  }
  return { items, next: before };
}

/** Queries since a time (unix milliseconds), by what became of them. */
export async function counts(
  table: LogTable,
  client: string,
  since: number,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const first = since * PER_MILLISECOND;
  for await (const { id, last, asked } of table.asked(await table.around(first) ?? 0)) {
    if (last < first) continue;
    if (id < first) await countEntries(table, { id, client, first, counts });
    else {
      for (const [asker, , verdicts] of asked) {
        if (client !== "" && asker !== client) continue;
        for (const [verdict, n] of Object.entries(verdicts)) {
          counts[verdict] = (counts[verdict] ?? 0) + n;
        }
      }
    }
  }
  return counts;
}

/** Counts one by one in a block that begins before the time. */
async function countEntries(
  table: LogTable,
  { id, client, first, counts }: {
    readonly id: number;
    readonly client: string;
    readonly first: number;
    readonly counts: Record<string, number>;
  },
): Promise<void> {
  const block = await table.newest({ before: id + 1, from: id, having: [] });
  const entries = block?.entries ?? null;
  for (let place = (entries?.size ?? 0) - 1; place >= 0 && entries!.id(place) >= first; place--) {
    if (client !== "" && entries!.client(place) !== client) continue;
    const verdict = entries!.verdict(place);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
}

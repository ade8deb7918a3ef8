import { IDS_PER_MS } from "../segments/format.ts";
import type { SegmentTable } from "../writer/segment_table.ts";

/** Number of queries by verdict. */
export type VerdictCounts = Readonly<Record<string, number>>;

/** What is counted. */
export interface CountQuery {
  /** Address of the client; "" for all. */
  readonly client: string;
  /** Unix milliseconds from which on, and until when. */
  readonly since: number;
  readonly until: number;
  /** Number of equal periods; later queries count in the last one. */
  readonly periods: number;
}

/**
 * Number of queries by verdict in each period, oldest first. A segment within one period is counted by
 * its totals; the others, at most one for each limit of a period, are read entry by entry.
 */
export async function countVerdicts(
  table: SegmentTable,
  { client, since, until, periods }: CountQuery,
): Promise<readonly VerdictCounts[]> {
  const result = Array.from({ length: periods }, (): Record<string, number> => ({}));
  const length = Math.max(1, (until - since) / periods);
  const first = since * IDS_PER_MS;
  const periodOf = (id: number): number =>
    Math.min(periods - 1, Math.floor((id / IDS_PER_MS - since) / length));
  const add = (period: number, verdict: string, count: number): void => {
    const counts = result[period]!;
    counts[verdict] = (counts[verdict] ?? 0) + count;
  };
  for await (
    const { id, last, counts } of table.clientCounts(await table.segmentAt(first) ?? 0)
  ) {
    if (last < first) continue;
    if (id >= first && periodOf(id) === periodOf(last)) {
      for (const [address, , verdicts] of counts) {
        if (client !== "" && address !== client) continue;
        for (const [verdict, count] of Object.entries(verdicts)) add(periodOf(id), verdict, count);
      }
      continue;
    }
    const stored = await table.newest({ before: id + 1, from: id, containing: [] });
    const segment = stored?.segment ?? null;
    for (let index = (segment?.size ?? 0) - 1; index >= 0 && segment!.id(index) >= first; index--) {
      if (client !== "" && segment!.client(index) !== client) continue;
      add(periodOf(segment!.id(index)), segment!.verdict(index), 1);
    }
  }
  return result;
}

/** The sum of several counts. */
export function sumOf(counts: readonly VerdictCounts[]): VerdictCounts {
  const sum: Record<string, number> = {};
  for (const one of counts) {
    for (const [verdict, count] of Object.entries(one)) sum[verdict] = (sum[verdict] ?? 0) + count;
  }
  return sum;
}

import { removeFile } from "../../../core/config/files.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Segment } from "../segments/segment.ts";
import { IDS_PER_MS } from "../segments/format.ts";
import type { LogConfig } from "../schema.ts";
import { corruptFilePath, MAX_WAL_BYTES } from "../writer/log_file.ts";
import type { ClockReading } from "./retention_clock.ts";
import type { SegmentTable } from "../writer/segment_table.ts";

/** Bytes that may be written before the size is checked again; they count towards the limit. */
export const MAX_UNTRIMMED_BYTES = 1_000_000;
/** Pages that are vacuumed at a time, so that the write-ahead log stays small. */
const MAX_VACUUM_PAGES = 500, PAGE_BYTES = 4096;
const HOUR_MS = 3_600_000, DAY_MS = 24 * HOUR_MS;

/** Deletes the oldest segments until the log is within its size limit. */
export async function trimToSize(table: SegmentTable, config: LogConfig): Promise<void> {
  const limit = config.RetentionMegabytes * 1_000_000 - MAX_WAL_BYTES - MAX_UNTRIMMED_BYTES;
  for (;;) {
    const { totalBytes, freeBytes } = await table.diskUsage();
    const first = totalBytes - freeBytes > limit ? await table.firstId() : null;
    if (first === null) return;
    await table.replace(first, null);
  }
}

/** Deletes what is too old, then the oldest of what exceeds the size limit, and releases free pages. */
export async function trim(
  table: SegmentTable,
  config: LogConfig,
  { now, shift, isSuspect, state }: ClockReading,
): Promise<void> {
  if (shift !== null) await table.shiftWritten(shift);
  if (!isSuspect) await table.capWrittenAt(Math.floor(now));
  const time = Math.floor(now - config.RetentionDays * DAY_MS), from = time * IDS_PER_MS;
  await table.deleteWrittenBefore(time);
  // Segments on the border: their ids are times where the clock was trusted.
  for (const id of await table.segmentsAcross(from, { time, within: HOUR_MS })) {
    await edit(table, id, (segment, index) => segment.id(index) < from);
  }
  await trimToSize(table, config);
  await releaseFreePages(table);
  // Last: a full disk needs free pages before anything can be written.
  await table.saveClockState(state);
}

/** Selects the queries of a client and device. */
export type QueryMatcher = (client: string, identity: string) => boolean;

/** Lets other work run in the middle of a long one. */
export type YieldTurn = () => Promise<void>;

/**
 * Deletes queries so that no byte of them stays in the files. Throws Problem 503 while another program
 * reads the log, since the write-ahead log cannot be emptied before it is done.
 */
export async function deleteQueries(
  table: SegmentTable,
  matches: QueryMatcher,
  yieldTurn: YieldTurn,
): Promise<void> {
  await table.run("PRAGMA secure_delete=ON");
  try {
    const ids: number[] = [];
    for await (const { id, counts } of table.clientCounts(0)) {
      if (counts.some(([client, identity]) => matches(client, identity))) ids.push(id);
    }
    for (const id of ids) {
      await edit(
        table,
        id,
        (segment, index) => matches(segment.client(index), segment.identity(index)),
      );
      await yieldTurn();
    }
    if (!await releaseFreePages(table, yieldTurn)) {
      throw new Problem(
        503,
        "Another program is reading the query log, so deleted queries could not be erased yet; try again",
      );
    }
  } finally {
    await table.run("PRAGMA secure_delete=FAST");
  }
  // A corrupt file cannot be searched for the queries, so it is deleted as a whole.
  await removeFile(corruptFilePath(table.path));
}

/** Removes entries of a segment; a corrupt segment is deleted as a whole. */
async function edit(
  table: SegmentTable,
  id: number,
  isRemoved: (segment: Segment, index: number) => boolean,
): Promise<void> {
  const stored = await table.newest({ before: id + 1, from: id, containing: [] });
  if (stored === null) return;
  const { segment } = stored;
  const left = segment?.without((index) => isRemoved(segment, index)) ?? null;
  if (left === null || left !== segment) await table.replace(id, left);
}

/**
 * Cuts free pages off the file and empties the write-ahead log, which has copies of them; false while
 * another program reads the log.
 */
async function releaseFreePages(table: SegmentTable, yieldTurn?: YieldTurn): Promise<boolean> {
  const { totalBytes } = await table.diskUsage();
  for (let left = 1 + totalBytes / (MAX_VACUUM_PAGES * PAGE_BYTES); left > 0; left--) {
    if ((await table.diskUsage()).freeBytes === 0) break;
    // Run to its end: an unfinished statement would keep the next write from its commit.
    await table.run(`PRAGMA incremental_vacuum(${MAX_VACUUM_PAGES})`);
    await yieldTurn?.();
  }
  const [row] = await table.rows("PRAGMA wal_checkpoint(TRUNCATE)");
  return Number(row?.["busy"] ?? 0) === 0;
}

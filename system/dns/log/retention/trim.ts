import { removeFile } from "../../../core/config/files.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Asked, Entries } from "../segments/segment.ts";
import { PER_MILLISECOND } from "../segments/format.ts";
import type { LogConfig } from "../schema.ts";
import { asideOf, WAL } from "../writer/log_file.ts";
import type { Look } from "./retention_clock.ts";
import type { LogTable } from "../writer/segment_table.ts";

/** Bytes that may be written between two looks at the room; they count as well. */
export const UNTRIMMED = 1_000_000;
/** Pages of the file that are moved at once, so that the write-ahead log stays small. */
const MOVED = 500, PAGE = 4096;
const HOUR = 3_600_000, DAY = 24 * HOUR;

/** Takes the oldest blocks away until the log takes no more room than it may. */
export async function trimToRoom(table: LogTable, config: LogConfig): Promise<void> {
  const most = config.RetentionMegabytes * 1_000_000 - WAL - UNTRIMMED;
  for (;;) {
    const { all, free } = await table.room();
    const first = all - free > most ? await table.first() : null;
    if (first === null) return;
    await table.replace(first, null);
  }
}

/** Forgets what is too old, then the oldest of what takes too much room, and gives back what is free. */
export async function trim(
  table: LogTable,
  config: LogConfig,
  { now, shift, doubted, belief }: Look,
): Promise<void> {
  if (shift !== null) await table.shift(shift);
  if (!doubted) await table.notAfter(Math.floor(now));
  const time = Math.floor(now - config.RetentionDays * DAY), from = time * PER_MILLISECOND;
  await table.forgetBefore(time);
  // What a block has of both times: its ids are times where the clock was believed.
  for (const id of await table.across(from, { time, within: HOUR })) {
    await edit(table, id, (entries, place) => entries.id(place) < from);
  }
  await trimToRoom(table, config);
  await giveBack(table);
  // Last: on a full disk there must be room before anything can be written.
  await table.believe(belief);
}

/** Whose queries are forgotten. */
export type Gone = (client: string, identity: string) => boolean;

/** Lets other work be done in the middle of a long one. */
export type Between = () => Promise<void>;

/**
 * Forgets queries, so that nothing of them is in the files any more. Throws Problem 503 while another
 * program reads the log, since the last copy cannot go before it is done.
 */
export async function forget(table: LogTable, gone: Gone, between: Between): Promise<void> {
  await table.run("PRAGMA secure_delete=ON");
  try {
    const blocks: number[] = [];
    for await (const { id, asked } of table.asked(0)) if (concerns(asked, gone)) blocks.push(id);
    for (const id of blocks) {
      await edit(
        table,
        id,
        (entries, place) => gone(entries.client(place), entries.identity(place)),
      );
      await between();
    }
    if (!await giveBack(table, between)) {
      throw new Problem(503, "Another program reads the query log, so old copies cannot go yet");
    }
  } finally {
    await table.run("PRAGMA secure_delete=FAST");
  }
  // Nobody can look through a file that is broken for what is to go.
  await removeFile(asideOf(table.path));
}

function concerns(asked: readonly Asked[], gone: Gone): boolean {
  return asked.some(([client, identity]) => gone(client, identity));
}

/** Leaves out entries of a block; a block that cannot be read goes as a whole. */
async function edit(
  table: LogTable,
  id: number,
  gone: (entries: Entries, place: number) => boolean,
): Promise<void> {
  const block = await table.newest({ before: id + 1, from: id, having: [] });
  if (block === null) return;
  const { entries } = block;
  const left = entries?.without((place) => gone(entries, place)) ?? null;
  if (left === null || left !== entries) await table.replace(id, left);
}

/**
 * Cuts free pages off the file, and empties the write-ahead log, which has copies of old ones; false
 * while another program reads the log.
 */
async function giveBack(table: LogTable, between?: Between): Promise<boolean> {
  const { all } = await table.room();
  for (let left = 1 + all / (MOVED * PAGE); left > 0; left--) {
    if ((await table.room()).free === 0) break;
    // Read to its end: a statement that is still under way would keep the next write from its commit.
    await table.run(`PRAGMA incremental_vacuum(${MOVED})`);
    await between?.();
  }
  const [row] = await table.rows("PRAGMA wal_checkpoint(TRUNCATE)");
  return Number(row?.["busy"] ?? 0) === 0;
}

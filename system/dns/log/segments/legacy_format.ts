import { EntryList } from "./json_segment.ts";
import { PER_MILLISECOND } from "./format.ts";
import { LogEntry } from "../schema.ts";
import type { LogTable } from "../writer/segment_table.ts";

/** Rows that are taken over at once, so that no other work waits long. */
const CHUNK = 1000;

/** True when the file has rows of the earlier form: each entry as JSON in the table `entry`. */
export async function hasEarlierForm(table: LogTable): Promise<boolean> {
  const rows = await table.rows(
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'entry'",
  );
  return rows.length > 0;
}

/** The highest id of the rows of the earlier form; 0 for none. */
export async function lastOfEarlierForm(table: LogTable): Promise<number> {
  return Number((await table.rows("SELECT max(id) AS id FROM entry"))[0]?.["id"] ?? 0);
}

/**
 * Makes a block of the newest rows of the earlier form; false when there are none any more, and their
 * table is gone. A row that cannot be read is left out.
 */
export async function takeOverSome(table: LogTable): Promise<boolean> {
  const rows = await table.rows(`SELECT id, data FROM entry ORDER BY id DESC LIMIT ${CHUNK}`);
  const oldest = rows.at(-1);
  if (oldest === undefined) {
    await table.run("DROP TABLE entry");
    return false;
  }
  const deletions = [{ sql: "DELETE FROM entry WHERE id >= ?", args: [Number(oldest["id"])] }];
  const entries = rows.toReversed().flatMap((row) => read(String(row["data"])));
  if (entries.length === 0) await table.batch(deletions);
  else {
    const written = Math.floor(entries.at(-1)!.id / PER_MILLISECOND);
    await table.write(new EntryList(entries), { loose: false, written, deletions });
  }
  return true;
}

function read(text: string): readonly LogEntry[] {
  try {
    return [LogEntry.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}

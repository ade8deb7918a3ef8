import { JsonSegment } from "./json_segment.ts";
import { IDS_PER_MS } from "./format.ts";
import { LogEntry } from "../schema.ts";
import { type SegmentTable, textOf } from "../writer/segment_table.ts";

/** Rows migrated at a time, so that no other work waits long. */
const MAX_ROWS = 1000;

/** True when the file has rows of the legacy format: each entry as JSON in the table `entry`. */
export async function hasLegacyRows(table: SegmentTable): Promise<boolean> {
  const rows = await table.rows(
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'entry'",
  );
  return rows.length > 0;
}

/** The highest id of the legacy rows; 0 for none. */
export async function lastLegacyId(table: SegmentTable): Promise<number> {
  return Number((await table.rows("SELECT max(id) AS id FROM entry"))[0]?.["id"] ?? 0);
}

/**
 * Migrates the newest legacy rows to a segment; false when none were left and their table was
 * dropped. Unreadable rows are skipped.
 */
export async function migrateLegacyRows(table: SegmentTable): Promise<boolean> {
  const rows = await table.rows(
    `SELECT id, CAST(data AS BLOB) AS data FROM entry ORDER BY id DESC LIMIT ${MAX_ROWS}`,
  );
  const oldest = rows.at(-1);
  if (oldest === undefined) {
    await table.run("DROP TABLE entry");
    return false;
  }
  const deletions = [{ sql: "DELETE FROM entry WHERE id >= ?", args: [Number(oldest["id"])] }];
  const entries = rows.toReversed().flatMap((row) => read(textOf(row["data"]!)));
  if (entries.length === 0) await table.batch(deletions);
  else {
    const written = Math.floor(entries.at(-1)!.id / IDS_PER_MS);
    await table.write(new JsonSegment(entries), { isPartial: false, written, deletions });
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

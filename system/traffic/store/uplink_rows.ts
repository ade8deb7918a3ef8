import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { LibSQLDatabase } from "drizzle-orm/libsql";
import type { HistoryRow } from "../../uplink/health/history_rows.ts";
import * as tables from "./tables.ts";

const { uplinks } = tables;

/** Rows of one statement. */
const ROWS_PER_INSERT = 200;
/** Entries of a kind that are kept of an uplink: a day of minutes, which are the most. */
const MAX_ROWS = 1440;

type Db = LibSQLDatabase<typeof tables>;

/** The history of uplinks, oldest first. */
export async function readUplinkRows(db: Db): Promise<readonly HistoryRow[]> {
  return await db.select().from(uplinks).orderBy(asc(uplinks.at)) as readonly HistoryRow[];
}

/** Writes entries in the place of those of the same kind, uplink and time, and drops the oldest. */
export async function writeUplinkRows(db: Db, rows: readonly HistoryRow[]): Promise<void> {
  const inserts = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    inserts.push(
      db.insert(uplinks).values(rows.slice(at, at + ROWS_PER_INSERT)).onConflictDoUpdate({
        target: [uplinks.kind, uplinks.iface, uplinks.at],
        set: { data: sql`excluded.data` },
      }),
    );
  }
  const [first, ...others] = inserts;
  if (first === undefined) return;
  await db.batch([first, ...others]);
  const lists = new Map(rows.map((row) => [`${row.kind} ${row.iface}`, row]));
  for (const { kind, iface } of lists.values()) {
    const own = and(eq(uplinks.kind, kind), eq(uplinks.iface, iface));
    const [oldest] = await db.select().from(uplinks).where(own).orderBy(desc(uplinks.at))
      .limit(1).offset(MAX_ROWS - 1);
    if (oldest === undefined) continue;
    await db.delete(uplinks).where(and(own, lt(uplinks.at, oldest.at)));
  }
}

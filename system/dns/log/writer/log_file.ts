import { type Client, createClient, LibsqlError } from "@libsql/client";
import { recovering } from "../../../core/store/recovering.ts";

/** Size of the write-ahead log, which counts towards the size limit. */
export const MAX_WAL_BYTES = 4_000_000;
/** Pages of 4096 bytes after which the write-ahead log is checkpointed; one more segment still fits. */
const CHECKPOINT_PAGES = 800;

/** Milliseconds that a statement waits while another program locks the file. */
const BUSY_TIMEOUT_MS = 500;

/**
 * Settings of each connection. Deleted data is overwritten where that costs nothing; the rest stays
 * in free pages until the file is vacuumed.
 */
const CONNECTION = [
  "PRAGMA synchronous=NORMAL",
  `PRAGMA journal_size_limit=${MAX_WAL_BYTES}`,
  `PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES}`,
  "PRAGMA secure_delete=FAST",
];

/** Settings of a file, before anything else is done with it. */
const SETTINGS = ["PRAGMA auto_vacuum=INCREMENTAL", "PRAGMA journal_mode=WAL", ...CONNECTION];

const TABLES = [
  // A row is a segment. `id`: lower bound of its ids. `client_counts`: JSON of its queries by client,
  // the index of searches.
  `CREATE TABLE IF NOT EXISTS block (
    id INTEGER PRIMARY KEY, last INTEGER NOT NULL, size INTEGER NOT NULL,
    is_partial INTEGER NOT NULL, encoding INTEGER NOT NULL, client_counts TEXT NOT NULL,
    bytes BLOB NOT NULL)`,
  // A table of its own, since a column behind the bytes would be slow to read. `written`: unix
  // milliseconds by the trusted clock; ids follow a clock that may be wrong.
  "CREATE TABLE IF NOT EXISTS age (id INTEGER PRIMARY KEY, written INTEGER NOT NULL)",
  "CREATE INDEX IF NOT EXISTS age_written ON age (written)",
  `CREATE TRIGGER IF NOT EXISTS block_gone AFTER DELETE ON block
    BEGIN DELETE FROM age WHERE id = OLD.id; END`,
  // Segments of a version without ages; checking all of them would take long at every start.
  `INSERT OR IGNORE INTO age SELECT id, last / 1000 FROM block
    WHERE id > (SELECT coalesce(max(id), -1) FROM age)`,
  `CREATE TABLE IF NOT EXISTS retention_clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), at INTEGER NOT NULL, suspect_since INTEGER)`,
];

/** Columns that an earlier version called otherwise; renaming one rewrites no row. */
const RENAMED_COLUMNS = [
  ["block", "asked", "client_counts"],
  ["block", "loose", "is_partial"],
  ["block", "form", "encoding"],
  ["belief", "doubted", "suspect_since"],
] as const;
/** The same of a table, once its columns are renamed. */
const RENAMED_TABLES = [["belief", "retention_clock"]] as const;

/** Brings the names of an earlier version up to date. */
async function renameOld(client: Client): Promise<void> {
  const columns = await client.execute(
    "SELECT m.name || '.' || c.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c",
  );
  const present = new Set(columns.rows.map(({ name }) => name));
  for (const [table, from, to] of RENAMED_COLUMNS) {
    if (!present.has(`${table}.${from}`)) continue;
    await client.execute(`ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to}`);
  }
  const tables = await client.execute("SELECT name FROM sqlite_schema WHERE type = 'table'");
  for (const [from, to] of RENAMED_TABLES) {
    if (!tables.rows.some(({ name }) => name === from)) continue;
    await client.execute(`ALTER TABLE ${from} RENAME TO ${to}`);
  }
}

/** Checkpoints the write-ahead log and stops using it. */
export const DISABLE_WAL = "PRAGMA journal_mode=DELETE";

/** A corrupt file was moved away; only another thread can open a new one. */
export class CorruptLogError extends Error {
  constructor() {
    super("The query log file is corrupt and was moved away");
  }
}

/**
 * Opens a log file, created when missing. `client`: null for a corrupt file; `isReleased`: whether
 * its name can be reused at once.
 */
export async function openLogFile(
  path: string,
): Promise<{ readonly client: Client } | { readonly client: null; readonly isReleased: boolean }> {
  (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
  const client = recovering(
    createClient({ url: `file:${path}`, concurrency: 1, timeout: BUSY_TIMEOUT_MS }),
    { pragmas: CONNECTION },
  );
  try {
    for (const statement of SETTINGS) await client.execute(statement);
    await renameOld(client);
    for (const statement of TABLES) await client.execute(statement);
    // Two statements, since one with both would scan the table.
    await client.execute("SELECT min(id) FROM block");
    await client.execute("SELECT max(id) FROM block");
    return { client };
  } catch (error) {
    const isReleased = await closeWithoutWal(client);
    if (isCorrupt(error)) return { client: null, isReleased };
    throw error;
  }
}

/**
 * Closes a file so that its name can be reused: libSQL closes it some time later and then removes the
 * write-ahead log of that name, unless it was disabled before. False when it could not be disabled.
 */
export async function closeWithoutWal(client: Client): Promise<boolean> {
  const isReleased = await client.execute(DISABLE_WAL).then(() => true, isNoDatabase);
  client.close();
  return isReleased;
}

/** Moves a closed corrupt file away. */
export async function moveCorruptFile(path: string): Promise<void> {
  for (const end of ["-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
  await Deno.rename(path, corruptFilePath(path));
}

/** Where a corrupt file is moved to. */
export function corruptFilePath(path: string): string {
  return `${path}.broken`;
}

/** True when the file is no database, which has no write-ahead log either. */
function isNoDatabase(error: unknown): boolean {
  return error instanceof LibsqlError && error.code.startsWith("SQLITE_NOTADB");
}

/** True when the file is no database or a damaged one. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof LibsqlError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code);
}

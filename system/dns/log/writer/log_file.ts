import { type Client, createClient, LibsqlError } from "@libsql/client";
import { recovering } from "../../../core/store/recovering.ts";

/** Bytes of the write-ahead log beside the file, which count as well. */
export const WAL = 4_000_000;
/** Pages of 4096 bytes from which on it is put into the file: with a last block no more than that. */
const CHECKPOINT = 800;

/** Milliseconds that a statement waits for another program that has the file in its hands. */
const PATIENCE = 500;

/**
 * What each connection is told. What is deleted is overwritten where that costs nothing; what else
 * was deleted lies in free pages, until the file is tidied.
 */
const CONNECTION = [
  "PRAGMA synchronous=NORMAL",
  `PRAGMA journal_size_limit=${WAL}`,
  `PRAGMA wal_autocheckpoint=${CHECKPOINT}`,
  "PRAGMA secure_delete=FAST",
];

const TABLES = [
  "PRAGMA auto_vacuum=INCREMENTAL",
  "PRAGMA journal_mode=WAL",
  ...CONNECTION,
  // `id`: no entry has a lower one. `asked`: JSON of who asked, which finds the block.
  `CREATE TABLE IF NOT EXISTS block (
    id INTEGER PRIMARY KEY, last INTEGER NOT NULL, size INTEGER NOT NULL, loose INTEGER NOT NULL,
    form INTEGER NOT NULL, asked TEXT NOT NULL, bytes BLOB NOT NULL)`,
  // Apart from the blocks, since a column behind their bytes would be slow to find. `written`: unix
  // milliseconds, as far as is believed; ids follow a clock that may be wrong.
  "CREATE TABLE IF NOT EXISTS age (id INTEGER PRIMARY KEY, written INTEGER NOT NULL)",
  "CREATE INDEX IF NOT EXISTS age_written ON age (written)",
  `CREATE TRIGGER IF NOT EXISTS block_gone AFTER DELETE ON block
    BEGIN DELETE FROM age WHERE id = OLD.id; END`,
  // Those of a version that knew no age; to look through all would take long each time.
  `INSERT OR IGNORE INTO age SELECT id, last / 1000 FROM block
    WHERE id > (SELECT coalesce(max(id), -1) FROM age)`,
  `CREATE TABLE IF NOT EXISTS belief (
    only INTEGER PRIMARY KEY CHECK (only = 1), at INTEGER NOT NULL, doubted INTEGER)`,
];

/** Brings the write-ahead log into the file, and does without from then on. */
export const LEAVE_WAL = "PRAGMA journal_mode=DELETE";

/** A file that was broken is put aside; nothing of this thread may begin another. */
export class BrokenLog extends Error {
  constructor() {
    super("The file of the log is broken, and was put aside");
  }
}

/**
 * Opens a file of the log, made when missing. `client`: null for a broken file; `left`: whether
 * another may take its name at once.
 */
export async function connect(
  path: string,
): Promise<{ readonly client: Client } | { readonly client: null; readonly left: boolean }> {
  (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
  const client = recovering(
    createClient({ url: `file:${path}`, concurrency: 1, timeout: PATIENCE }),
    CONNECTION,
  );
  try {
    for (const statement of TABLES) await client.execute(statement);
    // Apart, since both at once would look through everything.
    await client.execute("SELECT min(id) FROM block");
    await client.execute("SELECT max(id) FROM block");
    return { client };
  } catch (error) {
    const left = await abandon(client);
    if (isBroken(error)) return { client: null, left };
    throw error;
  }
}

/**
 * Closes a file, so that another may take its name: libSQL closes it some time later, and takes away
 * the write-ahead log of that name then, unless it was left before. False when it could not be left.
 */
export async function abandon(client: Client): Promise<boolean> {
  const left = await client.execute(LEAVE_WAL).then(() => true, isNoDatabase);
  client.close();
  return left;
}

/** Puts a file that is not open out of the way. */
export async function putAside(path: string): Promise<void> {
  for (const end of ["-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
  await Deno.rename(path, asideOf(path));
}

/** Where a file that was broken is put. */
export function asideOf(path: string): string {
  return `${path}.broken`;
}

/** True for an error that says that the file is no database, which has no write-ahead log either. */
function isNoDatabase(error: unknown): boolean {
  return error instanceof LibsqlError && error.code.startsWith("SQLITE_NOTADB");
}

/** True for an error that says that the file is no database, or not a whole one. */
export function isBroken(error: unknown): boolean {
  return error instanceof LibsqlError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code);
}

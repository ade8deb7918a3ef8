import { DatabaseSync } from "node:sqlite";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { errorText } from "../errors/error_text.ts";
import { isFileError } from "../errors/disk_error.ts";
import { exists } from "../config/folders.ts";
import type { LastRun } from "./run_mark.ts";

/** What became of a store that could not be used. */
export interface StoreLoss {
  readonly reason: string;
  /** Where it was moved to; null where there was nothing left of it. */
  readonly kept: string | null;
}

/** What is looked for in a store before it is opened. */
export interface DamageCheck {
  /** How many migrations the program has. */
  readonly migrations: number;
  /** The tables that the program expects. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly lastRun: LastRun;
}

/** So often damage is met in use before a store goes in which none can be found. */
const MAX_DAMAGES = 2;

/** Results of SQLite (sqlite.org/rescode.html) by which the file itself is to blame. */
const [CORRUPT, NOTADB] = [11, 26];
const TO_BLAME: ReadonlySet<unknown> = new Set([CORRUPT, NOTADB]);

/** Table of the migrations that were run. */
const MIGRATIONS = "__drizzle_migrations";

/**
 * Looks at the file of a store before it is opened, and moves what cannot be used to
 * `<path>.broken`: libSQL ends the whole process when it meets a damaged page. Null where all is well,
 * or where there is no file yet.
 */
export async function setDamagedAside(
  path: string,
  check: DamageCheck,
): Promise<StoreLoss | null> {
  await clearFolders(path);
  const stat = await Deno.lstat(path).catch(() => null);
  if (stat === null || stat.isFile && stat.size === 0) {
    // A log without its file is of no use, and would be taken for that of the next one.
    if (stat === null) await removeLog(path);
    return null;
  }
  const reason = stat.isDirectory
    ? "a folder is in its place"
    : await linked(path, (link) => damageOf(link, check));
  if (reason === null) return null;
  const kept = `${path}.broken`;
  await Deno.remove(kept, { recursive: true }).catch(nothing);
  await Deno.rename(path, kept);
  await removeLog(path);
  return { reason, kept };
}

/** A folder where the log or its index belongs holds nothing of ours. */
async function clearFolders(path: string): Promise<void> {
  for (const end of ["-wal", "-shm"]) {
    const stat = await Deno.lstat(path + end).catch(() => null);
    if (stat === null || stat.isFile) continue;
    const kept = `${path}${end}.broken`;
    await Deno.remove(kept, { recursive: true }).catch(nothing);
    await Deno.rename(path + end, kept);
  }
}

async function removeLog(path: string): Promise<void> {
  for (const end of ["-wal", "-shm"]) {
    if (await exists(path + end)) await Deno.remove(path + end);
  }
}

/**
 * Lets something look at a file and its log under other names: it shares no index with libSQL, which
 * another library would disturb, and removes no log.
 */
async function linked<R>(path: string, look: (link: string) => R): Promise<R | null> {
  const link = `${path}.check`;
  const clear = async (): Promise<void> => {
    for (const end of ["", "-wal", "-shm"]) await Deno.remove(link + end).catch(nothing);
  };
  await clear();
  try {
    await Deno.link(path, link);
    if (await exists(`${path}-wal`)) await Deno.link(`${path}-wal`, `${link}-wal`);
    return look(link);
  } catch (error) {
    // Without room or links nobody looks; the next open reports it.
    if (isFileError(error)) return null;
    throw error;
  } finally {
    await clear();
  }
}

/**
 * What is wrong with a file, in words; null for nothing that it is to blame for. After a run that did
 * not end well every value is read: it may have been ended by one of them.
 */
function damageOf(path: string, { migrations, schema, lastRun }: DamageCheck): string | null {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    const isSuspect = lastRun.isUnclean || lastRun.damages > 0;
    const check = isSuspect ? "integrity_check" : "quick_check";
    const [first] = db.prepare(`PRAGMA ${check}(1)`).all();
    const found = first?.[check];
    if (found !== "ok") return `it is damaged (${String(found).split("\n").at(-1)})`;
    const foreign = foreignSchema(db, { migrations, schema });
    if (foreign !== null || !isSuspect) return foreign;
    const unreadable = unreadableText(db);
    if (unreadable !== null) return `it is damaged (a text of the table ${unreadable})`;
    return lastRun.damages >= MAX_DAMAGES ? "it was found damaged while in use" : null;
  } catch (error) {
    const isDamaged = error instanceof Error && "errcode" in error && TO_BLAME.has(error.errcode);
    return isDamaged ? `it is damaged (${errorText(error)})` : null;
  } finally {
    db?.close();
  }
}

/** The table of a text that is not UTF-8, which libSQL cannot read without ending the process; or null. */
function unreadableText(db: DatabaseSync): string | null {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const quoted = (name: unknown): string => `"${String(name).replaceAll('"', '""')}"`;
  for (const { name } of db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
    const columns = db.prepare(`PRAGMA table_info(${quoted(name)})`).all();
    for (const column of columns.map((one) => quoted(one.name))) {
      const texts = db.prepare(
        `SELECT CAST(${column} AS BLOB) AS bytes FROM ${
          quoted(name)
        } WHERE typeof(${column}) = 'text'`,
      );
      for (const { bytes } of texts.iterate()) {
        try {
          decoder.decode(bytes as Uint8Array<ArrayBuffer>);
        } catch {
          return String(name);
        }
      }
    }
  }
  return null;
}

function foreignSchema(
  db: DatabaseSync,
  { migrations, schema }: Pick<DamageCheck, "migrations" | "schema">,
): string | null {
  const tables = new Set(
    db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all().map(({ name }) => name),
  );
  if (tables.size === 0) return null;
  if (!tables.has(MIGRATIONS)) return "it holds the tables of another program";
  const run = db.prepare(`SELECT count(*) AS run FROM ${MIGRATIONS}`).get()?.run;
  // Earlier versions lack what the migrations will bring.
  if (typeof run !== "number" || run < migrations) return null;
  for (const table of Object.values(schema)) {
    if (!(table instanceof SQLiteTable)) continue;
    const { name, columns } = getTableConfig(table);
    try {
      db.prepare(`SELECT ${columns.map((one) => `"${one.name}"`)} FROM "${name}" LIMIT 0`).all();
    } catch {
      return `it lacks the table ${name}, or a column of it`;
    }
  }
  return null;
}

function nothing(): void {
  // It was not there.
}

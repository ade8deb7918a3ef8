import { fileURLToPath } from "node:url";
import { type Client, createClient } from "@libsql/client";
import { drizzle, type LibSQLDatabase } from "drizzle-orm/libsql";
import { migrate } from "drizzle-orm/libsql/migrator";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { diskError } from "../errors/disk_error.ts";
import { setDamagedAside, type StoreLoss } from "./damage.ts";
import { recovering, type Recovery } from "./recovering.ts";
import { RunMark } from "./run_mark.ts";
import * as schema from "./schema/mod.ts";

export type { StoreLoss } from "./damage.ts";

/** The queries of the journal, access and notices. Use `batch()` for what must hold together. */
export type Database = LibSQLDatabase<typeof schema> & { readonly $client: Client };

/** What is kept in a store, and how surely. */
export interface StoreShape<S extends Record<string, unknown>> {
  readonly schema: S;
  /** Folder of the migrations. */
  readonly migrations: string;
  /** `FULL` survives a power cut with all that was answered; `NORMAL` a process that is killed. */
  readonly synchronous: "FULL" | "NORMAL";
  /** Settings that must be made before the first table. */
  readonly first?: readonly string[];
}

/** An open store. */
export interface Store<S extends Record<string, unknown> = typeof schema> {
  readonly db: LibSQLDatabase<S> & { readonly $client: Client };
  /** What was lost: the file could not be used, and the store begins anew. */
  readonly loss: StoreLoss | null;
  /** True where nothing was in it before. */
  readonly isNew: boolean;
  /**
   * Resolves when a damaged page was met. The next open sets the store aside where it finds the damage,
   * or where some was met before.
   */
  readonly damaged: Promise<void>;
  close(): void;
}

/** How long a statement waits for another process that holds the file, in milliseconds. */
const BUSY_TIMEOUT = 5000;

/** Bytes of the log's index at first (sqlite.org/walformat.html 2.2), and some for the log. */
const INDEX = 64 * 1024;

const MIGRATIONS = fileURLToPath(new URL("./migrations", import.meta.url));

/** The store of the journal, access and notices. */
const MAIN: StoreShape<typeof schema> = { schema, migrations: MIGRATIONS, synchronous: "FULL" };
/** Keeps the index of the log in memory, where a full disk has no room for the file of it. */
const ALONE = "PRAGMA locking_mode=EXCLUSIVE";

/**
 * Opens the durable store, made when missing (mode 0600), and brings its tables up to date. What was
 * answered survives a power cut: WAL with `synchronous=FULL`. One connection, so that settings hold.
 * On a full disk it can be read all the same. What is damaged is set aside. `busyTimeout`: milliseconds that a statement waits for
 * another program that holds the file.
 */
export function openStore(path: string, busyTimeout = BUSY_TIMEOUT): Promise<Store> {
  return openStoreOf(path, MAIN, busyTimeout);
}

/** The same for a store of another shape. */
export async function openStoreOf<S extends Record<string, unknown>>(
  path: string,
  shape: StoreShape<S>,
  busyTimeout = BUSY_TIMEOUT,
): Promise<Store<S>> {
  const { length: migrations } = readMigrationFiles({ migrationsFolder: shape.migrations });
  const mark = new RunMark(path);
  const { schema } = shape;
  const loss = await setDamagedAside(path, { migrations, schema, lastRun: await mark.read() });
  const isNew = ((await Deno.stat(path).catch(() => null))?.size ?? 0) === 0;
  (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
  const durable = `PRAGMA synchronous=${shape.synchronous}`;
  const pragmas = await hasRoom(path) ? [durable] : [ALONE, durable];
  // Before anything is read, in case it ends the process.
  mark.opened(isNew);
  const { promise: damaged, resolve } = Promise.withResolvers<void>();
  let isMet = false;
  const meet = (): void => {
    if (!isMet) mark.damaged();
    isMet = true;
    resolve();
  };
  const store = await open(path, { shape, busyTimeout, pragmas, damaged: meet });
  const close = (): void => {
    store.close();
    mark.closed();
  };
  return { ...store, close, damaged, loss, isNew };
}

/** Whether the file of the log's index is there or can be made: what failed once cannot be closed. */
async function hasRoom(path: string): Promise<boolean> {
  const trial = `${path}-room`;
  try {
    await Deno.writeFile(trial, new Uint8Array(INDEX), { mode: 0o600 });
    return true;
  } catch (error) {
    if (diskError(error) === null) throw error;
    return false;
  } finally {
    await Deno.remove(trial).catch(() => {
      // It was not made.
    });
  }
}

async function open<S extends Record<string, unknown>>(
  path: string,
  { shape, busyTimeout, ...recovery }: Recovery & {
    readonly shape: StoreShape<S>;
    readonly busyTimeout: number;
  },
): Promise<Pick<Store<S>, "db" | "close">> {
  const client = recovering(
    createClient({ url: `file:${path}`, concurrency: 1, timeout: busyTimeout }),
    recovery,
  );
  try {
    for (const pragma of recovery.pragmas) await client.execute(pragma);
    for (const pragma of shape.first ?? []) await client.execute(pragma);
    await client.execute("PRAGMA journal_mode=WAL");
    const db = drizzle({ client, schema: shape.schema });
    await migrate(db, { migrationsFolder: shape.migrations });
    return { db, close: () => client.close() };
  } catch (error) {
    client.close();
    throw error;
  }
}

import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client";
import { drizzle, type LibSQLDatabase } from "drizzle-orm/libsql";
import { migrate } from "drizzle-orm/libsql/migrator";
import { recovering } from "./recovering.ts";
import * as schema from "./schema/mod.ts";

/** The queries of the journal, access and notices. Use `batch()` for what must hold together. */
export type Database = LibSQLDatabase<typeof schema>;

/** An open store. */
export interface Store {
  readonly db: Database;
  close(): void;
}

/** How long a statement waits for another process that holds the file, in milliseconds. */
const BUSY_TIMEOUT = 5000;

const DURABLE = "PRAGMA synchronous=FULL";

/**
 * Opens the durable store, made when missing (mode 0600), and brings its tables up to date. What was
 * answered survives a power cut: WAL with `synchronous=FULL`. One connection, so that settings hold.
 * `busyTimeout`: milliseconds that a statement waits for another program that holds the file.
 */
export async function openStore(path: string, busyTimeout = BUSY_TIMEOUT): Promise<Store> {
  (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
  const client = recovering(
    createClient({ url: `file:${path}`, concurrency: 1, timeout: busyTimeout }),
    [DURABLE],
  );
  try {
    await client.execute("PRAGMA journal_mode=WAL");
    await client.execute(DURABLE);
    const db = drizzle({ client, schema });
    await migrate(db, {
      migrationsFolder: fileURLToPath(new URL("./migrations", import.meta.url)),
    });
    return { db, close: () => client.close() };
  } catch (error) {
    client.close();
    throw error;
  }
}

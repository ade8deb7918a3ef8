import { sql } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import * as z from "zod";
import { files, writeDurably } from "../core/config/files.ts";
import { diskError } from "../core/errors/disk_error.ts";
import {
  accessDeleted,
  accessImports,
  accessOtp,
  accessPasskeys,
  accessSettings,
  accessTokens,
  accessUsers,
} from "../core/store/schema/access.ts";
import type { AccessDatabase } from "./store.ts";

/** Milliseconds between looks whether anything of access changed. */
const LOOK_INTERVAL_MS = 1000;

/**
 * Sessions and lock-outs are not among them: everyone signs in again. Nor are recovery codes: an older copy
 * would make those valid again that were used since.
 */
const TABLES: readonly SQLiteTable[] = [
  accessTokens,
  accessOtp,
  accessUsers,
  accessPasskeys,
  accessImports,
  accessDeleted,
  accessSettings,
];

const Rows = z.array(z.record(z.string(), z.unknown()));
const Copy = z.object({ version: z.literal(1), tables: z.record(z.string(), Rows) });

/** What a copy of the access part gave to a store that begins anew. */
export type CopyOutcome = "none" | "restored" | "unusable";

/** Puts the copy back into an empty store, all of it or nothing. */
export async function restoreAccess(db: AccessDatabase, path: string): Promise<CopyOutcome> {
  let copy: z.output<typeof Copy>;
  try {
    const text = await files.read(path);
    if (text === null) return "none";
    copy = Copy.parse(JSON.parse(text));
  } catch {
    return "unusable";
  }
  try {
    await db.transaction(async (transaction) => {
      for (const table of TABLES) {
        const rows = copy.tables[getTableConfig(table).name] ?? [];
        for (const row of rows) await transaction.insert(table).values(row).onConflictDoNothing();
      }
    });
    return "restored";
  } catch (error) {
    if (diskError(error) !== null) throw error;
    return "unusable";
  }
}

/** True when a copy was kept, so that a store without anything in it has lost it. */
export async function hasAccessCopy(path: string): Promise<boolean> {
  try {
    return await files.stamp(path) !== null;
  } catch {
    return true;
  }
}

/** Options of {@link AccessCopy}. */
export interface AccessCopyOptions {
  readonly db: AccessDatabase;
  readonly path: string;
  readonly failed: (error: unknown) => void;
  /** False: it is written only by `write` and `close`. */
  readonly live: boolean;
}

/** Keeps a copy of tokens, second factors and keys beside the store, for the day it is damaged. */
export class AccessCopy {
  readonly #options: AccessCopyOptions;
  readonly #timer: ReturnType<typeof setInterval> | null;
  #written = "";
  #changes = -1;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: AccessCopyOptions) {
    this.#options = options;
    this.#timer = options.live ? setInterval(() => void this.write(), LOOK_INTERVAL_MS) : null;
  }

  /** Writes what changed. Never throws. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#options.failed);
    return this.#writing;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.write();
  }

  async #write(): Promise<void> {
    const { db, path } = this.#options;
    const [counted] = await db.all<{ changes: number }>(sql`SELECT total_changes() AS changes`);
    const changes = counted?.changes ?? 0;
    if (changes === this.#changes) return;
    const tables: Record<string, unknown[]> = {};
    for (const table of TABLES) {
      tables[getTableConfig(table).name] = await db.select().from(table);
    }
    const text = `${JSON.stringify({ version: 1, tables })}\n`;
    if (text !== this.#written) await writeDurably(path, text, "copy");
    this.#written = text;
    this.#changes = changes;
  }
}

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { PatchEntry } from "../../engine/change.ts";

/**
 * How far a change came. `pending`: decided, not yet active everywhere; `committed`: active, its
 * files may still lack; `written`: complete; `failed`: taken back; `broken`: could not be taken back.
 */
export type ChangeState = "pending" | "committed" | "written" | "failed" | "broken";

/** One row per change of the configuration, in the order in which they took force. */
export const changes = sqliteTable("changes", {
  seq: integer().primaryKey(),
  id: text().notNull().unique(),
  /** Unix milliseconds. */
  at: integer().notNull(),
  by: text().notNull(),
  /** Address that the request came from. */
  source: text(),
  kind: text().notNull(),
  summary: text().notNull(),
  /** With secrets: never shown unmasked. */
  patch: text({ mode: "json" }).$type<readonly PatchEntry[]>().notNull(),
  /** What changed in the kernel, in nft and ip words. */
  system: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  /** Digest of each changed document after this change, until its files are known to be written. */
  digests: text({ mode: "json" }).$type<Readonly<Record<string, string>>>(),
  state: text().$type<ChangeState>().notNull(),
  /** Id of the change that this one undoes. */
  undoes: text(),
}, (table) => [index("changes_undoes").on(table.undoes), index("changes_state").on(table.state)]);

/** The last good image of each document. Later rows of `changes` carry it on to today's value. */
export const documents = sqliteTable("documents", {
  name: text().primaryKey(),
  /** `{value, rejected}` as JSON, with secrets. */
  image: text().notNull(),
  /** Last row of `changes` that the image holds. */
  seq: integer().notNull(),
  /** Digest of the file that was last known to be written. */
  written: text().notNull(),
});

/** The open confirm window; at most one row. */
export const windows = sqliteTable("windows", {
  change: text().primaryKey(),
  summary: text().notNull(),
  /** SHA-256 of the confirm token, base64url. */
  tokenHash: text("token_hash").notNull(),
  /** Seconds requested. */
  seconds: integer().notNull(),
  /** Boot clock in seconds when it opened. */
  opened: integer().notNull(),
  /** Seconds that were left when this was last written down. */
  left: integer().notNull(),
});

import type { LibSQLDatabase } from "drizzle-orm/libsql";
import { eq } from "drizzle-orm";
import { accessDeleted, accessSettings } from "../core/store/schema/access.ts";
import { base64url, type RandomBytes } from "./digest.ts";

/** The local database, whatever schema it was opened with. */
// deno-lint-ignore no-explicit-any -- the schema is invariant and only its query builder is used
export type AccessDatabase = LibSQLDatabase<any>;

/** A single value; null when it was never set. */
export async function readSetting(db: AccessDatabase, key: string): Promise<string | null> {
  const rows = await db.select().from(accessSettings).where(eq(accessSettings.key, key));
  return rows[0]?.value ?? null;
}

export async function writeSetting(db: AccessDatabase, key: string, value: string): Promise<void> {
  await db.insert(accessSettings).values({ key, value })
    .onConflictDoUpdate({ target: accessSettings.key, set: { value } });
}

/** A persistent random key of 32 bytes. */
export async function storedKey(
  db: AccessDatabase,
  name: string,
  random: RandomBytes,
): Promise<Uint8Array> {
  const stored = await readSetting(db, name);
  if (stored !== null) return Uint8Array.fromBase64(stored, { alphabet: "base64url" });
  const key = random(32);
  await writeSetting(db, name, base64url(key));
  return key;
}

export async function removeSetting(db: AccessDatabase, key: string): Promise<void> {
  await db.delete(accessSettings).where(eq(accessSettings.key, key));
}

/** Records that a secret, given by its SHA-256, was deleted, so that no file restores it. */
export async function recordDeletedDigest(
  db: AccessDatabase,
  digest: string,
  at: number,
): Promise<void> {
  await db.insert(accessDeleted).values({ digest, at }).onConflictDoNothing();
}

export async function isDeletedDigest(db: AccessDatabase, digest: string): Promise<boolean> {
  const rows = await db.select().from(accessDeleted).where(eq(accessDeleted.digest, digest));
  return rows.length > 0;
}

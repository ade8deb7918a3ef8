import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** API tokens. Only the hash of a token is kept. Times are unix milliseconds, `expire` seconds. */
export const accessTokens = sqliteTable("access_tokens", {
  id: text().primaryKey(),
  name: text().notNull(),
  /** SHA-256 of the token, hex. Not unique: a file may name one token with several sets of paths. */
  hash: text().notNull(),
  /** Its first characters, to tell it from others. */
  shown: text().notNull(),
  scopes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  expire: integer().notNull(),
  createdAt: integer("created_at").notNull(),
  /** Its time was up once: no clock that is set back makes it valid again. */
  ended: integer({ mode: "boolean" }).notNull().default(false),
}, (table) => [index("access_tokens_hash").on(table.hash)]);

/** When each token was last used, to the minute (unix milliseconds). */
export const accessTokenUses = sqliteTable("access_token_uses", {
  token: text().primaryKey(),
  at: integer().notNull(),
});

/** One-time password secrets by user. */
export const accessOtp = sqliteTable("access_otp", {
  name: text().primaryKey(),
  /** base32 */
  secret: text().notNull(),
  confirmed: integer({ mode: "boolean" }).notNull(),
  alwaysOn: integer("always_on", { mode: "boolean" }).notNull(),
  /** Time step of the last accepted code; codes up to it are used up. */
  lastStep: integer("last_step").notNull(),
});

/** Hashes of the recovery codes of each user that were not used yet. */
export const accessRecovery = sqliteTable("access_recovery", {
  name: text().primaryKey(),
  /** SHA-256 of each code, hex. */
  hashes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
});

/** What was last seen of each admin: a difference ends sessions and one-time password JWTs. */
export const accessUsers = sqliteTable("access_users", {
  name: text().primaryKey(),
  /** Keyed digest of the stored password; empty once the user is gone. */
  record: text().notNull(),
  /** Goes into the key of the user's JWTs. */
  epoch: text().notNull(),
});

/** Browser sessions; only the hash of the cookie's value is kept. Times are unix milliseconds. */
export const accessSessions = sqliteTable("access_sessions", {
  id: text().primaryKey(),
  hash: text().notNull().unique(),
  user: text().notNull(),
  createdAt: integer("created_at").notNull(),
  lastSeen: integer("last_seen").notNull(),
  expires: integer().notNull(),
  source: text().notNull(),
  agent: text().notNull(),
  tls: integer({ mode: "boolean" }).notNull(),
  /** Passkey that it was opened with; null: by a password. */
  passkey: text(),
  /** API token that was handed out with it. */
  token: text(),
});

/** Passkeys by credential id (base64url). Times are unix milliseconds. */
export const accessPasskeys = sqliteTable("access_passkeys", {
  id: text().primaryKey(),
  user: text().notNull(),
  /** What people call it. */
  name: text().notNull(),
  /** COSE key, base64url. */
  publicKey: text("public_key").notNull(),
  /** Highest signature counter seen; never goes back. */
  counter: integer().notNull(),
  transports: text({ mode: "json" }).$type<readonly string[]>().notNull(),
  /** Random name of its user for the authenticator, base64url; the same for all of a user's. */
  handle: text().notNull(),
  /** Host name that it was made for, and works on. */
  host: text().notNull(),
  createdAt: integer("created_at").notNull(),
  /** 0: not yet. */
  lastUsed: integer("last_used").notNull(),
}, (table) => [index("access_passkeys_user").on(table.user)]);

/** Sources that may not try passwords until then (unix milliseconds). */
export const accessLockouts = sqliteTable("access_lockouts", {
  source: text().primaryKey(),
  until: integer().notNull(),
});

/** Recent attempts by what they are counted for: a restart gives no fresh ones. */
export const accessAttempts = sqliteTable("access_attempts", {
  key: text().primaryKey(),
  /** Unix milliseconds. */
  times: text({ mode: "json" }).$type<readonly number[]>().notNull(),
  /** When the last of them counts no more (unix milliseconds). */
  until: integer().notNull(),
});

/** Contents of files that were taken over, by SHA-256. */
export const accessImports = sqliteTable("access_imports", {
  digest: text().primaryKey(),
  path: text().notNull(),
  at: integer().notNull(),
});

/** Secrets that were deleted or replaced here, by SHA-256: a file does not bring them back. */
export const accessDeleted = sqliteTable("access_deleted", {
  digest: text().primaryKey(),
  at: integer().notNull(),
});

/** Single values: keys, JWT duration, state of the first start. */
export const accessSettings = sqliteTable("access_settings", {
  key: text().primaryKey(),
  value: text().notNull(),
});

import { join } from "node:path";
import { eq } from "drizzle-orm";
import * as z from "zod";
import { files, writeDurably } from "../../core/config/files.ts";
import { isFileError } from "../../core/errors/disk_error.ts";
import { fileText } from "../../core/config/json.ts";
import type { Log } from "../../core/log/log.ts";
import { accessImports } from "../../core/store/schema/access.ts";
import { sha256 } from "../digest.ts";
import {
  otpCopy,
  readOtpFile,
  readTokensFile,
  revokedByFile,
  tokensCopy,
  type TokensFile,
} from "./import_files.ts";
import type { Otp } from "../otp/otp.ts";
import type { OtpSettings } from "../schema.ts";
import { type AccessDatabase, isDeletedDigest, readSetting, writeSetting } from "../store.ts";
import type { Tokens } from "./tokens.ts";

/** Setting that holds what came from the tokens file. */
const ORIGIN = "tokens-file";

/** Dependencies of {@link Importer}. */
export interface ImporterOptions {
  readonly db: AccessDatabase;
  /** The live tree. */
  readonly home: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly tokens: Tokens;
  readonly otp: Otp;
  /** Validity of a JWT, in seconds. */
  readonly duration: { get(): number; set(seconds: number): Promise<void> };
  /** Called for each token that is revoked because it was removed from the file. */
  readonly revoked: (id: string, name: string) => void;
  /** Called for each user whose one-time password secret was imported. */
  readonly otpChanged: (user: string) => Promise<void>;
}

/**
 * Imports `auth_tokens.json` and `otp_settings.json`, once per content, and leaves copies without
 * secrets, unless `ExportSecrets` keeps the files in sync with the store.
 */
export class Importer {
  readonly #options: ImporterOptions;
  readonly #stamps = new Map<string, string | null>();
  /** Unreadable files that were already reported. */
  readonly #unreadable = new Set<string>();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: ImporterOptions) {
    this.#options = options;
  }

  /** Checks both files; cheap while neither changed. */
  run(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#check(this.#tokensPath, (text) => this.#importTokens(text));
      await this.#check(this.#otpPath, (text) => this.#importOtp(text));
    });
  }

  /** Waits for pending work. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /** Updates an exported tokens file: adds an entry in full, or removes those of a token. */
  exportTokens(change: { readonly added?: unknown; readonly removed?: string }): Promise<void> {
    return this.#enqueue(async () => {
      if (!await this.#exportsSecrets()) return;
      const raw = parse(await files.read(this.#tokensPath) ?? "[]");
      const kept = (Array.isArray(raw) ? raw : []).filter((item) =>
        change.removed === undefined || sha256(String(item?.Token ?? "")) !== change.removed
      );
      const written = change.added ? [...kept, change.added] : kept;
      await this.#write(this.#tokensPath, written);
      await this.#setOrigin((readTokensFile(written)?.tokens ?? []).map(sha256));
    });
  }

  /** Updates an exported one-time password file. */
  exportOtp(): Promise<void> {
    return this.#enqueue(async () => {
      if (await this.#exportsSecrets()) await this.#write(this.#otpPath, this.#settings());
    });
  }

  get #tokensPath(): string {
    return join(this.#options.home, "configs/auth/auth_tokens.json");
  }

  get #otpPath(): string {
    return join(this.#options.home, "configs/auth/otp_settings.json");
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #check(path: string, take: (text: string) => Promise<unknown>): Promise<void> {
    let stamp: string | null, text: string | null;
    try {
      stamp = await files.stamp(path);
      if (stamp === (this.#stamps.get(path) ?? null)) return;
      text = await files.read(path);
      this.#unreadable.delete(path);
    } catch (error) {
      // What was taken from it stays in force, and nobody is kept from starting.
      if (!isFileError(error)) throw error;
      if (this.#unreadable.has(path)) return;
      this.#unreadable.add(path);
      this.#options.log.warn("access.file_unreadable", `${path} cannot be read`, { error });
      return;
    }
    const copy = text === null ? undefined : await take(text);
    if (copy === undefined || await this.#exportsSecrets()) this.#stamps.set(path, stamp);
    else await this.#write(path, copy);
  }

  async #importTokens(text: string): Promise<unknown> {
    const file = readTokensFile(parse(text));
    if (file === null) return this.#unusable("auth_tokens.json");
    await this.#revokeMissing(file);
    if (!await this.#isImported(text)) {
      await this.#adoptTokens(file);
      await this.#recordImport(text, "auth/auth_tokens.json");
    }
    return file.secrets ? tokensCopy(this.#options.tokens.list(), file.bad) : undefined;
  }

  /** Revokes the tokens that came from the file and are in it no more. */
  async #revokeMissing({ ids, tokens }: TokensFile): Promise<void> {
    const { log, tokens: stored, revoked: onRevoked } = this.#options;
    const full = tokens.map(sha256);
    const known = await this.#origin();
    const { revoked, origin } = revokedByFile(known, { full, shortened: stored.hashesOf(ids) });
    for (const { ID, Name } of await stored.revoke(revoked)) {
      log.info("access.token_revoked", "An API token was removed from auth_tokens.json", {
        token: Name,
      });
      onRevoked(ID, Name);
    }
    await this.#setOrigin(origin);
  }

  /** SHA-256 of the tokens that came from the file. */
  async #origin(): Promise<readonly string[]> {
    return z.array(z.string()).catch([]).parse(
      parse(await readSetting(this.#options.db, ORIGIN) ?? "[]"),
    );
  }

  async #setOrigin(hashes: readonly string[]): Promise<void> {
    const value = JSON.stringify(hashes);
    if (await readSetting(this.#options.db, ORIGIN) === value) return;
    await writeSetting(this.#options.db, ORIGIN, value);
  }

  async #adoptTokens(file: TokensFile): Promise<void> {
    const { db, tokens, log } = this.#options;
    let taken = 0;
    for (const [token, entries] of Map.groupBy(file.entries, (entry) => entry.Token)) {
      if (await isDeletedDigest(db, sha256(token))) continue;
      if (await tokens.adopt(token, entries)) taken++;
    }
    if (taken > 0) {
      log.info("access.tokens_imported", "Imported API tokens from auth_tokens.json", {
        count: taken,
      });
    }
    if (file.bad.length > 0) {
      log.warn("access.tokens_unusable", "auth_tokens.json has entries that cannot be used", {
        count: file.bad.length,
      });
    }
  }

  async #importOtp(text: string): Promise<unknown> {
    const file = readOtpFile(parse(text));
    if (file === null) return this.#unusable("otp_settings.json");
    const { db, otp, duration, otpChanged } = this.#options;
    if (!await this.#isImported(text)) {
      for (const user of file.users) {
        if (await isDeletedDigest(db, sha256(user.Secret))) continue;
        if (await otp.adopt(user)) await otpChanged(user.Name);
      }
      if (file.duration > 0) await duration.set(file.duration);
      await this.#recordImport(text, "auth/otp_settings.json");
    }
    // A copy without the entry would disable a user's second factor.
    if (file.bad > 0) return this.#unusable("otp_settings.json");
    return file.secrets ? otpCopy(this.#settings()) : undefined;
  }

  #settings(): OtpSettings {
    const { otp, duration } = this.#options;
    return { OTPUsers: otp.users(), JWTDurationSeconds: duration.get() };
  }

  #unusable(name: string): undefined {
    this.#options.log.warn(
      "access.file_unreadable",
      `${name} cannot be read and was left as it is`,
    );
    return undefined;
  }

  async #write(path: string, value: unknown): Promise<void> {
    const text = fileText(value);
    await this.#recordImport(text, path);
    await writeDurably(path, text, "access");
    this.#stamps.set(path, await files.stamp(path));
  }

  async #isImported(text: string): Promise<boolean> {
    const rows = await this.#options.db.select().from(accessImports)
      .where(eq(accessImports.digest, sha256(text)));
    return rows.length > 0;
  }

  async #recordImport(text: string, path: string): Promise<void> {
    const { db, now } = this.#options;
    await db.insert(accessImports).values({ digest: sha256(text), path, at: now() })
      .onConflictDoNothing();
  }

  /** Enabled in `base/api.json`; off where that file does not say so. */
  async #exportsSecrets(): Promise<boolean> {
    const path = join(this.#options.home, "configs/base/api.json");
    // What cannot be read does not say that secrets may lie in files.
    const raw = parse(await files.read(path).catch(() => null) ?? "{}");
    return (raw as { ExportSecrets?: unknown } | null)?.ExportSecrets === true;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

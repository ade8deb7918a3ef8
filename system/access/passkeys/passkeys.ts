import { eq } from "drizzle-orm";
import { conflict, notFound, sentence } from "../../core/errors/problem.ts";
import { accessPasskeys } from "../../core/store/schema/access.ts";
import type { PasskeyStatus } from "./passkey_schema.ts";
import type { AccessDatabase } from "../store.ts";

/** Passkeys that one user may have. */
const MAX_PER_USER = 32;

/** A passkey as it is stored. */
export type Passkey = typeof accessPasskeys.$inferSelect;

/** Dependencies of {@link Passkeys}. */
export interface PasskeysOptions {
  readonly db: AccessDatabase;
  /** Called when a write fails: on a full disk sign-in must still work. */
  readonly onWriteError: (error: unknown) => void;
}

/** The passkeys of all users; held in memory and written through. Only public keys are stored. */
export class Passkeys {
  readonly #options: PasskeysOptions;
  /** By credential id. */
  readonly #rows: Map<string, Passkey>;

  private constructor(options: PasskeysOptions, rows: readonly Passkey[]) {
    this.#options = options;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }

  static async open(options: PasskeysOptions): Promise<Passkeys> {
    const rows = await options.db.select().from(accessPasskeys).orderBy(accessPasskeys.createdAt);
    return new Passkeys(options, rows);
  }

  find(id: string): Passkey | undefined {
    return this.#rows.get(id);
  }

  /** The user's, oldest first. */
  of(user: string): readonly Passkey[] {
    return [...this.#rows.values()].filter((row) => row.user === user);
  }

  /** True when any user has a passkey for this host name. */
  worksOn(host: string): boolean {
    return [...this.#rows.values()].some((row) => row.host === host);
  }

  status(user: string): PasskeyStatus {
    const rows = this.of(user);
    return {
      Registered: rows.length > 0,
      Credentials: rows.map((row) => ({
        ID: row.id,
        Name: row.name,
        CreatedAt: Math.floor(row.createdAt / 1000),
        LastUsed: Math.floor(row.lastUsed / 1000),
        Host: row.host,
      })),
    };
  }

  /** Throws Problem 409 when it is already registered, or the user has too many. */
  async add(row: Passkey): Promise<void> {
    if (this.#rows.has(row.id)) throw conflict("This passkey is registered already");
    if (this.of(row.user).length >= MAX_PER_USER) {
      throw conflict(
        sentence("{user} has {limit} passkeys already; delete one that is not used", {
          user: row.user,
          limit: MAX_PER_USER,
        }),
      );
    }
    this.#rows.set(row.id, row);
    try {
      await this.#options.db.insert(accessPasskeys).values(row);
    } catch (error) {
      this.#rows.delete(row.id);
      throw error;
    }
  }

  /** Records a use, and the signature counter, which never decreases. `at` is unix milliseconds. */
  async used(id: string, use: { readonly counter: number; readonly at: number }): Promise<void> {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    const set = { counter: Math.max(row.counter, use.counter), lastUsed: use.at };
    this.#rows.set(id, { ...row, ...set });
    await this.#options.db.update(accessPasskeys).set(set).where(eq(accessPasskeys.id, id))
      .catch(this.#options.onWriteError);
  }

  /** Throws Problem 404 unless the user has this one. */
  async remove(user: string, id: string): Promise<Passkey> {
    const row = this.#rows.get(id);
    if (row === undefined || row.user !== user) throw notFound("There is no such passkey");
    // Out of memory first: it must not be accepted while the database is being written.
    this.#rows.delete(id);
    await this.#options.db.delete(accessPasskeys).where(eq(accessPasskeys.id, id));
    return row;
  }

  /** Deletes all passkeys of a user; may be repeated where a write failed. */
  async removeAll(user: string): Promise<void> {
    for (const { id } of this.of(user)) this.#rows.delete(id);
    await this.#options.db.delete(accessPasskeys).where(eq(accessPasskeys.user, user));
  }
}

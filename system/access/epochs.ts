import { accessUsers } from "../core/store/schema/access.ts";
import { base64url, keyed, type RandomBytes } from "./digest.ts";
import { findUser, type KnownUsers, userNames } from "./rules.ts";
import type { AccessDatabase } from "./store.ts";

type Row = typeof accessUsers.$inferSelect;

/** Dependencies of {@link Epochs}. */
export interface EpochsOptions {
  readonly db: AccessDatabase;
  readonly random: RandomBytes;
  /** Key of the digests of stored passwords. */
  readonly key: Uint8Array;
}

/**
 * A value per user that changes with the user's password, role or one-time passwords. Sessions and JWTs
 * issued under an older one are no longer valid.
 */
export class Epochs {
  readonly #options: EpochsOptions;
  readonly #rows: Map<string, Row>;
  readonly #unwritten = new Set<Row>();
  #seen: KnownUsers | null = null;

  private constructor(options: EpochsOptions, rows: readonly Row[]) {
    this.#options = options;
    this.#rows = new Map(rows.map((row) => [row.name, row]));
  }

  static async open(options: EpochsOptions): Promise<Epochs> {
    return new Epochs(options, await options.db.select().from(accessUsers));
  }

  /** Null for an unknown user. */
  of(name: string): string | null {
    const row = this.#rows.get(name);
    return row && row.record !== "" ? row.epoch : null;
  }

  /**
   * Applies the current users, whatever changed them (a request, undo, a file). Returns those whose
   * password or role changed or who were removed; {@link flush} stores the result.
   */
  sync({ users, limitedUsers }: KnownUsers): readonly string[] {
    const seen = this.#seen;
    if (users === seen?.users && limitedUsers === seen.limitedUsers) return [];
    const known = this.#seen = { users, limitedUsers };
    const names = new Set([...userNames(known), ...this.#rows.keys()]);
    const changed: string[] = [];
    for (const name of names) {
      const record = this.#recordOf(known, name);
      const before = this.#rows.get(name);
      if (before?.record === record) continue;
      if (before) changed.push(name);
      this.#renew(name, record);
    }
    return changed;
  }

  /** Invalidates everything issued to the user so far. */
  bump(name: string): void {
    this.#renew(name, this.#rows.get(name)?.record ?? "");
  }

  async flush(): Promise<void> {
    for (const row of [...this.#unwritten]) {
      const { record, epoch } = row;
      await this.#options.db.insert(accessUsers).values(row)
        .onConflictDoUpdate({ target: accessUsers.name, set: { record, epoch } });
      this.#unwritten.delete(row);
    }
  }

  #recordOf(known: KnownUsers, name: string): string {
    const user = findUser(known, name);
    if (user === undefined) return "";
    const { role, password } = user;
    return keyed(this.#options.key, name, password, ...(role === "admin" ? [] : [role]));
  }

  #renew(name: string, record: string): void {
    const row = { name, record, epoch: base64url(this.#options.random(16)) };
    this.#rows.set(name, row);
    this.#unwritten.add(row);
  }
}

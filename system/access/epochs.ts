import type { Users } from "./schema.ts";
import { accessUsers } from "../core/store/schema/access.ts";
import { base64url, keyed, type RandomBytes } from "./digest.ts";
import { storedPassword } from "./rules.ts";
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
 * A value per user that changes with the user's password or one-time passwords. Sessions and JWTs
 * issued under an older one are no longer valid.
 */
export class Epochs {
  readonly #options: EpochsOptions;
  readonly #rows: Map<string, Row>;
  readonly #unwritten = new Set<Row>();
  #seen: Users | null = null;

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
   * password changed or who were removed; {@link flush} stores the result.
   */
  sync(users: Users): readonly string[] {
    if (users === this.#seen) return [];
    this.#seen = users;
    const names = new Set([...Object.keys(users), ...this.#rows.keys()]);
    const changed: string[] = [];
    for (const name of names) {
      const stored = storedPassword(users, name);
      const record = stored === undefined ? "" : keyed(this.#options.key, name, stored);
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

  #renew(name: string, record: string): void {
    const row = { name, record, epoch: base64url(this.#options.random(16)) };
    this.#rows.set(name, row);
    this.#unwritten.add(row);
  }
}

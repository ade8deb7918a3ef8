import type { SQL } from "drizzle-orm";
import type { LibSQLDatabase } from "drizzle-orm/libsql";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as tables from "./tables.ts";

/** Rows of one statement. */
export const ROWS_PER_STATEMENT = 200;

/** A table that gives texts numbers. */
export class NumberTable<T extends SQLiteTable & { readonly id: SQLiteColumn }> {
  readonly #db: LibSQLDatabase<typeof tables>;
  readonly #table: T;
  readonly #key: SQLiteColumn;

  constructor(db: LibSQLDatabase<typeof tables>, table: T, key: SQLiteColumn) {
    this.#db = db;
    this.#table = table;
    this.#key = key;
  }

  /** The number of each row's text, a new one where it has none; `set` is set for those that have one. */
  async numbers(
    rows: readonly T["$inferInsert"][],
    set: Readonly<Record<string, number | SQL>> = {},
  ): Promise<ReadonlyMap<string, number>> {
    const numbers = new Map<string, number>();
    const name = this.#key.name;
    const textOf = (row: T["$inferInsert"]): string =>
      String((row as Readonly<Record<string, unknown>>)[name]);
    const wanted = [...new Map(rows.map((row) => [textOf(row), row])).values()];
    for (const part of chunks(wanted, ROWS_PER_STATEMENT)) {
      const known = await this.#db.insert(this.#table).values(part as never).onConflictDoUpdate({
        target: this.#key,
        // Something must be set, or rows that are there are not returned.
        set: { [name]: this.#key, ...set } as never,
      }).returning({ id: this.#table.id, text: this.#key }) as { id: number; text: string }[];
      for (const { id, text } of known) numbers.set(text, id);
    }
    return numbers;
  }
}

/** Parts of a list, of so many each. */
export function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from(
    { length: Math.ceil(list.length / size) },
    (_, at) => list.slice(at * size, (at + 1) * size),
  );
}

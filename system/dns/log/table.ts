import type { Client, InStatement, Row } from "@libsql/client";
import { createClient, LibsqlError } from "@libsql/client";
import { recovering } from "../../core/store/recovering.ts";
import type { Asked, Entries } from "./entries.ts";
import { type Form, pack, unpack } from "./packed.ts";

/** Bytes of the write-ahead log beside the file, which count as well. */
export const WAL = 4_000_000;
/** Pages of 4096 bytes in it from which on they are put into the file: with a last block no more than that. */
const CHECKPOINT = 800;

/** Milliseconds that a statement waits for another program that has the file in its hands. */
const PATIENCE = 500;

/**
 * What each connection is told. What is deleted is overwritten where that costs nothing; what else
 * was deleted lies in free pages, until the file is tidied.
 */
const CONNECTION = [
  "PRAGMA synchronous=NORMAL",
  `PRAGMA journal_size_limit=${WAL}`,
  `PRAGMA wal_autocheckpoint=${CHECKPOINT}`,
  "PRAGMA secure_delete=FAST",
];

const TABLES = [
  "PRAGMA auto_vacuum=INCREMENTAL",
  "PRAGMA journal_mode=WAL",
  ...CONNECTION,
  // `id`: no entry has a lower one. `asked`: JSON of who asked, which finds the block.
  `CREATE TABLE IF NOT EXISTS block (
    id INTEGER PRIMARY KEY, last INTEGER NOT NULL, size INTEGER NOT NULL, loose INTEGER NOT NULL,
    form INTEGER NOT NULL, asked TEXT NOT NULL, bytes BLOB NOT NULL)`,
];

/** A block as it lies in the file. */
export interface StoredBlock {
  /** No entry of it has a lower id. */
  readonly id: number;
  /** The highest id of its entries. */
  readonly last: number;
  /** Null when its bytes cannot be read any more. */
  readonly entries: Entries | null;
}

/** Which block is looked for, newest first. */
export interface BlockAsk {
  /** Only blocks that begin before this id. */
  readonly before: number;
  /** Only blocks that begin at or after this id. */
  readonly from: number;
  /** Of each list one must be in the JSON of {@link Asked}. */
  readonly having: readonly (readonly string[])[];
}

/** Pages of the file, in bytes. */
export interface Room {
  readonly all: number;
  /** Those that hold nothing. */
  readonly free: number;
}

/**
 * What was asked, in blocks, in a file of its own. A file that is broken is put aside and begun anew:
 * a log is worth less than the service that writes it.
 */
export class LogTable {
  readonly path: string;
  readonly #client: Client;

  private constructor(path: string, client: Client) {
    this.path = path;
    this.#client = client;
  }

  static async open(path: string): Promise<LogTable> {
    try {
      return await LogTable.#open(path);
    } catch (error) {
      if (!isBroken(error)) throw error;
      await LogTable.putAside(path);
      return await LogTable.#open(path);
    }
  }

  /** Puts the file of a table that is not open out of the way. */
  static async putAside(path: string): Promise<void> {
    for (const end of ["-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
    await Deno.rename(path, asideOf(path));
  }

  static async #open(path: string): Promise<LogTable> {
    (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
    const client = recovering(
      createClient({ url: `file:${path}`, concurrency: 1, timeout: PATIENCE }),
      CONNECTION,
    );
    try {
      for (const statement of TABLES) await client.execute(statement);
      // Apart, since both at once would look through everything.
      await client.execute("SELECT min(id) FROM block");
      await client.execute("SELECT max(id) FROM block");
      return new LogTable(path, client);
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** The highest id of all; 0 for none. */
  async last(): Promise<number> {
    const [row] = await this.rows("SELECT last FROM block ORDER BY id DESC LIMIT 1");
    return Number(row?.["last"] ?? 0);
  }

  /**
   * Writes entries down in one transaction with other `deletions`; answers their bytes in the file.
   * `loose`: they are few, and more is to be put into their block.
   */
  async write(
    entries: Entries,
    { loose, deletions = [] }: {
      readonly loose: boolean;
      readonly deletions?: readonly InStatement[];
    },
  ): Promise<number> {
    const { form, bytes } = pack(entries);
    const asked = JSON.stringify(entries.asked());
    await this.batch([
      ...deletions,
      {
        sql: "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?)",
        args: [
          entries.id(0),
          entries.id(entries.size - 1),
          entries.size,
          loose ? 1 : 0,
          form,
          asked,
          bytes,
        ],
      },
    ]);
    return bytes.length + asked.length;
  }

  /** Puts what is left of a block into its place; null for nothing. */
  async replace(id: number, left: Entries | null): Promise<void> {
    if (left === null) {
      await this.batch([deletion(id)]);
      return;
    }
    const { form, bytes } = pack(left);
    const asked = JSON.stringify(left.asked());
    await this.batch([{
      sql: "UPDATE block SET last = ?, size = ?, form = ?, asked = ?, bytes = ? WHERE id = ?",
      args: [left.id(left.size - 1), left.size, form, asked, bytes, id],
    }]);
  }

  /** The newest block that fits. */
  async newest({ before, from, having }: BlockAsk): Promise<StoredBlock | null> {
    const fits = having.map((words) =>
      ` AND (${words.map(() => "instr(asked, ?) > 0").join(" OR ")})`
    );
    const [row] = await this.rows(
      `SELECT id, last, form, bytes FROM block WHERE id < ? AND id >= ?${fits.join("")}
        ORDER BY id DESC LIMIT 1`,
      [before, from, ...having.flat().map((word) => JSON.stringify(word))],
    );
    return row === undefined ? null : stored(row);
  }

  /** Blocks that more is to be put into, the oldest first. */
  async loose(): Promise<readonly StoredBlock[]> {
    // They are the newest: the others need not be looked through.
    const [whole] = await this.rows(
      "SELECT id FROM block WHERE loose = 0 ORDER BY id DESC LIMIT 1",
    );
    const rows = await this.rows(
      "SELECT id, last, form, bytes FROM block WHERE id > ? ORDER BY id",
      [Number(whole?.["id"] ?? 0)],
    );
    return rows.map(stored);
  }

  /** Where the `count`th block before an id begins; 0 when there are not so many. */
  async countBack(before: number, count: number): Promise<number> {
    const [row] = await this.rows(
      "SELECT id FROM block WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?",
      [before, count - 1],
    );
    return Number(row?.["id"] ?? 0);
  }

  /** Who asked what is in blocks from an id on, the oldest first and some at a time. */
  async *asked(
    from: number,
  ): AsyncGenerator<
    { readonly id: number; readonly last: number; readonly asked: readonly Asked[] }
  > {
    for (let next = from;;) {
      const rows = await this.rows(
        "SELECT id, last, asked FROM block WHERE id >= ? ORDER BY id LIMIT 500",
        [next],
      );
      for (const row of rows) {
        const asked = JSON.parse(String(row["asked"])) as readonly Asked[];
        yield { id: Number(row["id"]), last: Number(row["last"]), asked };
      }
      if (rows.length < 500) return;
      next = Number(rows.at(-1)!["id"]) + 1;
    }
  }

  /** Where the block begins that an id would lie in; null when all begin after it. */
  async around(id: number): Promise<number | null> {
    const [row] = await this.rows("SELECT max(id) AS id FROM block WHERE id <= ?", [id]);
    const around = row?.["id"];
    return around === null || around === undefined ? null : Number(around);
  }

  /** The lowest id of all; null for none. */
  async first(): Promise<number | null> {
    const [row] = await this.rows("SELECT min(id) AS id FROM block");
    const id = row?.["id"];
    return id === null || id === undefined ? null : Number(id);
  }

  async room(): Promise<Room> {
    const page = await this.#pragma("page_size");
    return {
      all: await this.#pragma("page_count") * page,
      free: await this.#pragma("freelist_count") * page,
    };
  }

  async rows(sql: string, args: readonly (string | number)[] = []): Promise<readonly Row[]> {
    return (await this.#client.execute({ sql, args: [...args] })).rows;
  }

  /** Does several things in one transaction. */
  async batch(statements: InStatement[]): Promise<void> {
    await this.#client.batch(statements, "write");
  }

  /** Does something that may answer rows which nobody asks for, to its end. */
  async run(sql: string): Promise<void> {
    await this.#client.executeMultiple(sql);
  }

  close(): void {
    this.#client.close();
  }

  async #pragma(name: "page_count" | "page_size" | "freelist_count"): Promise<number> {
    const [row] = await this.rows(`PRAGMA ${name}`);
    return Number(Object.values(row ?? {})[0] ?? 0);
  }
}

/** Takes the block away that begins at an id. */
export function deletion(id: number): InStatement {
  return { sql: "DELETE FROM block WHERE id = ?", args: [id] };
}

/** Where a file that was broken is put. */
export function asideOf(path: string): string {
  return `${path}.broken`;
}

/** True for an error that says that the file is no database, or not a whole one. */
export function isBroken(error: unknown): boolean {
  return error instanceof LibsqlError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code);
}

function stored(row: Row): StoredBlock {
  const bytes = new Uint8Array(row["bytes"] as ArrayBuffer);
  return {
    id: Number(row["id"]),
    last: Number(row["last"]),
    entries: unpack({ form: Number(row["form"]) as Form, bytes }),
  };
}

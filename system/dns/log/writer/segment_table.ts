import type { Client, InStatement, Row } from "@libsql/client";
import { removeFile } from "../../../core/config/files.ts";
import type { Asked, Entries } from "../segments/segment.ts";
import { abandon, asideOf, BrokenLog, connect, LEAVE_WAL, putAside } from "./log_file.ts";
import { type Form, pack, unpack } from "../segments/compression.ts";
import type { Belief } from "../retention/retention_clock.ts";

/** A block as it lies in the file. */
export interface StoredBlock {
  /** No entry of it has a lower id. */
  readonly id: number;
  /** The highest id of its entries. */
  readonly last: number;
  /** Null when its bytes cannot be read any more. */
  readonly entries: Entries | null;
}

/** A block that more is to be put into. */
export interface LooseBlock extends StoredBlock {
  /** Unix milliseconds. */
  readonly written: number;
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
  #client: Client;

  private constructor(path: string, client: Client) {
    this.path = path;
    this.#client = client;
  }

  /** Throws {@link BrokenLog} when a broken file was put aside, and another thread is to begin anew. */
  static async open(path: string): Promise<LogTable> {
    const first = await connect(path);
    if (first.client !== null) return new LogTable(path, first.client);
    await putAside(path);
    const second = first.left ? await connect(path) : first;
    if (second.client === null) throw new BrokenLog();
    return new LogTable(path, second.client);
  }

  /** The highest id of all; 0 for none. */
  async last(): Promise<number> {
    const [row] = await this.rows("SELECT last FROM block ORDER BY id DESC LIMIT 1");
    return Number(row?.["last"] ?? 0);
  }

  /**
   * Writes entries down in one transaction with other `deletions`; answers their bytes in the file.
   * `loose`: they are few, and more is to be put into their block. `written`: unix milliseconds.
   */
  async write(
    entries: Entries,
    { loose, written, deletions = [] }: {
      readonly loose: boolean;
      readonly written: number;
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
      { sql: "INSERT OR REPLACE INTO age VALUES (?, ?)", args: [entries.id(0), written] },
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
  async loose(): Promise<readonly LooseBlock[]> {
    // They are the newest: the others need not be looked through.
    const [whole] = await this.rows(
      "SELECT id FROM block WHERE loose = 0 ORDER BY id DESC LIMIT 1",
    );
    const rows = await this.rows(
      `SELECT id, last, form, bytes, (SELECT written FROM age WHERE age.id = block.id) AS written
        FROM block WHERE id > ? ORDER BY id`,
      [Number(whole?.["id"] ?? 0)],
    );
    return rows.map((row) => ({ ...stored(row), written: Number(row["written"]) }));
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

  /** Forgets what was written before a time, in unix milliseconds. */
  async forgetBefore(time: number): Promise<void> {
    const sql = "DELETE FROM block WHERE id IN (SELECT id FROM age WHERE written < ?)";
    await this.batch([{ sql, args: [time] }]);
  }

  /**
   * Blocks that begin before an id and were written at or after a time, in unix milliseconds, by a
   * clock that then told their ids `within` so many milliseconds.
   */
  async across(
    id: number,
    { time, within }: { readonly time: number; readonly within: number },
  ): Promise<readonly number[]> {
    const rows = await this.rows(
      `SELECT block.id AS id FROM block JOIN age ON age.id = block.id
        WHERE block.id < ? AND written >= ? AND abs(last / 1000 - written) < ?`,
      [id, time, within],
    );
    return rows.map((row) => Number(row["id"]));
  }

  /** Counts all that was written from a time on as written so much later, in unix milliseconds. */
  async shift({ from, by }: { readonly from: number; readonly by: number }): Promise<void> {
    const sql = "UPDATE age SET written = written + ? WHERE written >= ?";
    await this.batch([{ sql, args: [by, from] }]);
  }

  /** Counts what was written after a time as written then. */
  async notAfter(time: number): Promise<void> {
    await this.batch([{ sql: "UPDATE age SET written = ? WHERE written > ?", args: [time, time] }]);
  }

  /** What time was believed to be; null for nothing. */
  async belief(): Promise<Belief | null> {
    const [row] = await this.rows("SELECT at, doubted FROM belief");
    if (row === undefined) return null;
    const { doubted } = row;
    return { at: Number(row["at"]), doubtedSince: doubted === null ? null : Number(doubted) };
  }

  async believe({ at, doubtedSince }: Belief): Promise<void> {
    const sql = "INSERT OR REPLACE INTO belief VALUES (1, ?, ?)";
    await this.batch([{ sql, args: [Math.floor(at), doubtedSince] }]);
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

  /** Forgets everything with its files, those that were put aside as well. */
  async clear(): Promise<void> {
    await this.#client.execute(LEAVE_WAL);
    this.#client.close();
    // What closed it may hold the file for a while; its bytes go now.
    await Deno.truncate(this.path);
    for (const path of [this.path, asideOf(this.path)]) await removeFile(path);
    const { client } = await connect(this.path);
    if (client === null) throw new BrokenLog();
    this.#client = client;
  }

  /** Closes a file that is broken, and puts it out of the way. Another thread is to begin anew. */
  async putAside(): Promise<void> {
    await abandon(this.#client);
    await putAside(this.path);
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

function stored(row: Row): StoredBlock {
  const bytes = new Uint8Array(row["bytes"] as ArrayBuffer);
  return {
    id: Number(row["id"]),
    last: Number(row["last"]),
    entries: unpack({ form: Number(row["form"]) as Form, bytes }),
  };
}

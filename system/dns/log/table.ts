import type { Client, InStatement } from "@libsql/client";
import { createClient, LibsqlError } from "@libsql/client";
import { recovering } from "../../core/store/recovering.ts";
import { addressOf } from "./entry.ts";
import type { LogConfig, LogEntry, Verdict } from "./schema.ts";

/** Ids are the unix milliseconds of an entry times this, so that entries are in the order of time. */
export const PER_MILLISECOND = 1000;

/** Rows that one statement takes away, so that no other work waits long. */
const CHUNK = 2000;
/** Rows that one question may look through. */
const MOST_LOOKED = 200_000;
/** Bytes of the write-ahead log beside the file, which count as well. */
const WAL = 4_000_000;
/** Bytes that may be written between two trims; they count as well. */
export const UNTRIMMED = 1_000_000;

/** Which entries are asked for. */
export interface LogQuery {
  /** Address that asked; "" for all. */
  readonly client: string;
  /** Part of the name, in lower case; "" for all. */
  readonly name: string;
  /** Empty for all. */
  readonly verdicts: readonly Verdict[];
  /** Only entries before this id; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** A part of the log, newest first. */
export interface LogPage {
  readonly items: readonly LogEntry[];
  /** `before` of the next part; null at the end. */
  readonly next: number | null;
}

/** How much is kept. */
export interface LogSize {
  readonly bytes: number;
  /** Unix milliseconds of the oldest entry; null for none. */
  readonly oldest: number | null;
}

/** Milliseconds that a statement waits for another program that has the file in its hands. */
const PATIENCE = 500;

/** What each connection is told. */
const CONNECTION = ["PRAGMA synchronous=NORMAL", `PRAGMA journal_size_limit=${WAL}`];

const TABLES = [
  "PRAGMA auto_vacuum=INCREMENTAL",
  "PRAGMA journal_mode=WAL",
  ...CONNECTION,
  `CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY, client TEXT NOT NULL, identity TEXT NOT NULL,
    name TEXT NOT NULL, verdict TEXT NOT NULL, data TEXT NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS entry_client ON entry (client, id)",
];

/**
 * What was asked, in a file of its own. A file that is broken is put aside and begun anew: a log is
 * worth less than the service that writes it.
 */
export class LogTable {
  readonly #client: Client;
  readonly #looks: number;

  private constructor(client: Client, looks: number) {
    this.#client = client;
    this.#looks = looks;
  }

  /** `looks`: rows that one question may look through before it answers with what it has. */
  static async open(path: string, looks: number = MOST_LOOKED): Promise<LogTable> {
    try {
      return await LogTable.#open(path, looks);
    } catch (error) {
      if (!isBroken(error)) throw error;
      for (const end of ["-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
      await Deno.rename(path, `${path}.broken`);
      return await LogTable.#open(path, looks);
    }
  }

  static async #open(path: string, looks: number): Promise<LogTable> {
    (await Deno.open(path, { write: true, create: true, mode: 0o600 })).close();
    const client = recovering(
      createClient({ url: `file:${path}`, concurrency: 1, timeout: PATIENCE }),
      CONNECTION,
    );
    try {
      for (const statement of TABLES) await client.execute(statement);
      await client.execute("SELECT max(id), min(id) FROM entry");
      return new LogTable(client, looks);
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** The highest id of all; 0 for none. */
  async last(): Promise<number> {
    const { rows } = await this.#client.execute("SELECT max(id) AS id FROM entry");
    return Number(rows[0]?.["id"] ?? 0);
  }

  /** Writes entries down in one transaction; answers their bytes. */
  async add(entries: readonly LogEntry[]): Promise<number> {
    let bytes = 0;
    const json = (entry: LogEntry): string => {
      const text = JSON.stringify(entry);
      bytes += text.length;
      return text;
    };
    const rows: InStatement[] = entries.map((entry) => ({
      sql: "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)",
      args: [
        entry.id,
        addressOf(entry.Remote),
        entry.identity,
        (entry.Q[0]?.Name ?? "").toLowerCase(),
        entry.verdict,
        json(entry),
      ],
    }));
    await this.#client.batch(rows, "write");
    return bytes;
  }

  /** Entries that the question fits, newest first; looks through a bounded number of them. */
  async page(query: LogQuery): Promise<LogPage> {
    const where: string[] = [];
    const args: (string | number)[] = [query.before ?? Number.MAX_SAFE_INTEGER];
    if (query.client !== "") {
      where.push("client = ?");
      args.push(query.client);
    }
    args.push(this.#looks);
    const fits: string[] = [];
    if (query.name !== "") {
      fits.push("instr(name, ?) > 0");
      args.push(query.name);
    }
    if (query.verdicts.length > 0) {
      fits.push(`verdict IN (${query.verdicts.map(() => "?").join(", ")})`);
      args.push(...query.verdicts);
    }
    args.push(query.limit);
    const looked = `FROM entry WHERE ${
      ["id < ?", ...where].join(" AND ")
    } ORDER BY id DESC LIMIT ?`;
    const filter = fits.length === 0 ? "" : `WHERE ${fits.join(" AND ")}`;
    const { rows } = await this.#client.execute({
      sql: `SELECT id, data FROM (SELECT id, name, verdict, data ${looked}) ${filter} LIMIT ?`,
      args,
    });
    const items = rows.map((row) => JSON.parse(String(row["data"])) as LogEntry);
    if (items.length === query.limit) return { items, next: items.at(-1)!.id };
    return { items, next: await this.#lookedTo(query, where) };
  }

  /** Where a question stopped that had to look through too much; null when it saw everything. */
  async #lookedTo(query: LogQuery, where: readonly string[]): Promise<number | null> {
    const { rows } = await this.#client.execute({
      sql: `SELECT id FROM entry WHERE ${["id < ?", ...where].join(" AND ")}
        ORDER BY id DESC LIMIT 1 OFFSET ?`,
      args: [
        query.before ?? Number.MAX_SAFE_INTEGER,
        ...(query.client === "" ? [] : [query.client]),
        this.#looks - 1,
      ],
    });
    const id = rows[0]?.["id"];
    return id === undefined ? null : Number(id);
  }

  /** Queries since a time, by what became of them. */
  async counts(client: string, since: number): Promise<Readonly<Record<string, number>>> {
    const one = client === "" ? "" : "AND client = ?";
    const { rows } = await this.#client.execute({
      sql: `SELECT verdict, count(*) AS n FROM entry WHERE id >= ? ${one} GROUP BY verdict`,
      args: [since * PER_MILLISECOND, ...(client === "" ? [] : [client])],
    });
    return Object.fromEntries(rows.map((row) => [String(row["verdict"]), Number(row["n"])]));
  }

  /** Forgets everything of an address; "" for everything of all. */
  async forget(client: string): Promise<void> {
    await this.#remove(client === "" ? "id >= ?" : "client = ?", client === "" ? 0 : client);
  }

  /** Forgets what devices asked that are not among these any more. */
  async keepOnly(identities: ReadonlySet<string>): Promise<void> {
    const { rows } = await this.#client.execute(
      "SELECT DISTINCT identity FROM entry WHERE identity <> ''",
    );
    for (const row of rows) {
      const identity = String(row["identity"]);
      if (!identities.has(identity)) await this.#remove("identity = ?", identity);
    }
  }

  /** Forgets what is too old, then the oldest of what takes too much room. */
  async trim(config: LogConfig, now: number): Promise<void> {
    const from = (now - config.RetentionDays * 86_400_000) * PER_MILLISECOND;
    await this.#remove("id < ?", from);
    const room = config.RetentionMegabytes * 1_000_000 - WAL - UNTRIMMED;
    while (await this.#used() > room) {
      const { rowsAffected } = await this.#client.execute(
        `DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY id LIMIT ${CHUNK})`,
      );
      if (rowsAffected === 0) break;
    }
    // Read to its end: a statement that is still under way would keep the next write from its commit.
    await this.#client.executeMultiple(
      "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)",
    );
  }

  async size(): Promise<LogSize> {
    const { rows } = await this.#client.execute("SELECT min(id) AS id FROM entry");
    const id = rows[0]?.["id"];
    return {
      bytes: await this.#pragma("page_count") * await this.#pragma("page_size"),
      oldest: id === null || id === undefined ? null : Math.floor(Number(id) / PER_MILLISECOND),
    };
  }

  close(): void {
    this.#client.close();
  }

  async #remove(where: string, value: string | number): Promise<void> {
    for (;;) {
      const { rowsAffected } = await this.#client.execute({
        sql: `DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE ${where} LIMIT ${CHUNK})`,
        args: [value],
      });
      if (rowsAffected < CHUNK) return;
    }
  }

  async #used(): Promise<number> {
    const pages = await this.#pragma("page_count") - await this.#pragma("freelist_count");
    return pages * await this.#pragma("page_size");
  }

  async #pragma(name: "page_count" | "page_size" | "freelist_count"): Promise<number> {
    const { rows } = await this.#client.execute(`PRAGMA ${name}`);
    return Number(Object.values(rows[0] ?? {})[0] ?? 0);
  }
}

/** True for an error that says that the file is no database, or not a whole one. */
function isBroken(error: unknown): boolean {
  return error instanceof LibsqlError && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code);
}

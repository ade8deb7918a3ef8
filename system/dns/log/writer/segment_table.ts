import type { Client, InStatement, Row } from "@libsql/client";
import { removeFile } from "../../../core/config/files.ts";
import type { ClientCounts, Segment } from "../segments/segment.ts";
import {
  closeWithoutWal,
  corruptFilePath,
  CorruptLogError,
  DISABLE_WAL,
  moveCorruptFile,
  openLogFile,
} from "./log_file.ts";
import { compressSegment, decompressSegment, type Encoding } from "../segments/compression.ts";
import type { ClockState } from "../retention/retention_clock.ts";

/** A segment in the file. */
export interface StoredSegment {
  /** Lower bound of its ids. */
  readonly id: number;
  /** Its highest id. */
  readonly last: number;
  /** Null when its bytes are corrupt. */
  readonly segment: Segment | null;
}

/** A segment that is not full. */
export interface PartialSegment extends StoredSegment {
  /** When it was written, in unix milliseconds. */
  readonly written: number;
}

/** A search for a segment. */
export interface SegmentQuery {
  /** Only segments that begin before this id. */
  readonly before: number;
  /** Only segments that begin at or after this id. */
  readonly from: number;
  /** The JSON of {@link ClientCounts} must contain one word of each list. */
  readonly containing: readonly (readonly string[])[];
}

/** Size of the file. */
export interface DiskUsage {
  readonly totalBytes: number;
  /** Size of its free pages. */
  readonly freeBytes: number;
}

/**
 * The segments of the query log in a database file of their own. A corrupt file is moved away and
 * replaced: the service matters more than its log.
 */
export class SegmentTable {
  readonly path: string;
  #client: Client;

  private constructor(path: string, client: Client) {
    this.path = path;
    this.#client = client;
  }

  /** Throws {@link CorruptLogError} when a corrupt file was moved away that only another thread can replace. */
  static async open(path: string): Promise<SegmentTable> {
    const first = await openLogFile(path);
    if (first.client !== null) return new SegmentTable(path, first.client);
    await moveCorruptFile(path);
    const second = first.isReleased ? await openLogFile(path) : first;
    if (second.client === null) throw new CorruptLogError();
    return new SegmentTable(path, second.client);
  }

  /** The highest id in the log; 0 for none. */
  async lastId(): Promise<number> {
    const [row] = await this.rows("SELECT last FROM block ORDER BY id DESC LIMIT 1");
    return Number(row?.["last"] ?? 0);
  }

  /**
   * Writes a segment in one transaction with `deletions` of others; returns its size in the file.
   * `isPartial`: it will be merged with later ones. `written`: unix milliseconds.
   */
  async write(
    segment: Segment,
    { isPartial, written, deletions = [] }: {
      readonly isPartial: boolean;
      readonly written: number;
      readonly deletions?: readonly InStatement[];
    },
  ): Promise<number> {
    const { encoding, bytes } = compressSegment(segment);
    const clientCounts = JSON.stringify(segment.clientCounts());
    await this.batch([
      ...deletions,
      {
        sql: "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?, ?)",
        args: [
          segment.id(0),
          segment.id(segment.size - 1),
          segment.size,
          isPartial ? 1 : 0,
          encoding,
          clientCounts,
          bytes,
        ],
      },
      { sql: "INSERT OR REPLACE INTO age VALUES (?, ?)", args: [segment.id(0), written] },
    ]);
    return bytes.length + clientCounts.length;
  }

  /** Replaces a segment by what is left of it; null deletes it. */
  async replace(id: number, left: Segment | null): Promise<void> {
    if (left === null) {
      await this.batch([deleteStatement(id)]);
      return;
    }
    const { encoding, bytes } = compressSegment(left);
    const clientCounts = JSON.stringify(left.clientCounts());
    await this.batch([{
      sql:
        "UPDATE block SET last = ?, size = ?, encoding = ?, client_counts = ?, bytes = ? WHERE id = ?",
      args: [left.id(left.size - 1), left.size, encoding, clientCounts, bytes, id],
    }]);
  }

  /** The newest segment that matches. */
  async newest({ before, from, containing }: SegmentQuery): Promise<StoredSegment | null> {
    const conditions = containing.map((words) =>
      ` AND (${words.map(() => "instr(client_counts, ?) > 0").join(" OR ")})`
    );
    const [row] = await this.rows(
      `SELECT id, last, encoding, bytes FROM block WHERE id < ? AND id >= ?${conditions.join("")}
        ORDER BY id DESC LIMIT 1`,
      [before, from, ...containing.flat().map((word) => JSON.stringify(word))],
    );
    return row === undefined ? null : stored(row);
  }

  /** The partial segments, oldest first. */
  async partialSegments(): Promise<readonly PartialSegment[]> {
    // They are the newest, so the others need not be scanned.
    const [full] = await this.rows(
      "SELECT id FROM block WHERE is_partial = 0 ORDER BY id DESC LIMIT 1",
    );
    const rows = await this.rows(
      `SELECT id, last, encoding, bytes, (SELECT written FROM age WHERE age.id = block.id) AS written
        FROM block WHERE id > ? ORDER BY id`,
      [Number(full?.["id"] ?? 0)],
    );
    return rows.map((row) => ({ ...stored(row), written: Number(row["written"]) }));
  }

  /** Id of the `count`th segment before an id; 0 when there are fewer. */
  async countBack(before: number, count: number): Promise<number> {
    const [row] = await this.rows(
      "SELECT id FROM block WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?",
      [before, count - 1],
    );
    return Number(row?.["id"] ?? 0);
  }

  /** The client counts of the segments from an id on, oldest first, read in batches. */
  async *clientCounts(
    from: number,
  ): AsyncGenerator<
    { readonly id: number; readonly last: number; readonly counts: readonly ClientCounts[] }
  > {
    for (let next = from;;) {
      const rows = await this.rows(
        // As bytes: libSQL ends the process at a text that is damaged.
        `SELECT id, last, CAST(client_counts AS BLOB) AS client_counts FROM block WHERE id >= ?
          ORDER BY id LIMIT 500`,
        [next],
      );
      for (const row of rows) {
        const counts = clientCountsOf(row["client_counts"]!);
        yield { id: Number(row["id"]), last: Number(row["last"]), counts };
      }
      if (rows.length < 500) return;
      next = Number(rows.at(-1)!["id"]) + 1;
    }
  }

  /** Id of the segment that an id would be in; null when all begin after it. */
  async segmentAt(id: number): Promise<number | null> {
    const [row] = await this.rows("SELECT max(id) AS id FROM block WHERE id <= ?", [id]);
    const found = row?.["id"];
    return found === null || found === undefined ? null : Number(found);
  }

  /** Deletes segments that were written before a time, in unix milliseconds. */
  async deleteWrittenBefore(time: number): Promise<void> {
    const sql = "DELETE FROM block WHERE id IN (SELECT id FROM age WHERE written < ?)";
    await this.batch([{ sql, args: [time] }]);
  }

  /**
   * Segments that begin before an id and were written at or after a time (unix milliseconds), while
   * ids and trusted clock differed by less than `within` milliseconds.
   */
  async segmentsAcross(
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

  /** Moves the write times from a time on by so many milliseconds. */
  async shiftWritten({ from, by }: { readonly from: number; readonly by: number }): Promise<void> {
    const sql = "UPDATE age SET written = written + ? WHERE written >= ?";
    await this.batch([{ sql, args: [by, from] }]);
  }

  /** Limits write times to a time. */
  async capWrittenAt(time: number): Promise<void> {
    await this.batch([{ sql: "UPDATE age SET written = ? WHERE written > ?", args: [time, time] }]);
  }

  /** The saved state of the retention clock; null for none. */
  async clockState(): Promise<ClockState | null> {
    const [row] = await this.rows("SELECT at, suspect_since AS since FROM retention_clock");
    if (row === undefined) return null;
    const { since } = row;
    return { at: Number(row["at"]), suspectSince: since === null ? null : Number(since) };
  }

  async saveClockState({ at, suspectSince }: ClockState): Promise<void> {
    const sql = "INSERT OR REPLACE INTO retention_clock VALUES (1, ?, ?)";
    await this.batch([{ sql, args: [Math.floor(at), suspectSince] }]);
  }

  /** The lowest id in the log; null for none. */
  async firstId(): Promise<number | null> {
    const [row] = await this.rows("SELECT min(id) AS id FROM block");
    const id = row?.["id"];
    return id === null || id === undefined ? null : Number(id);
  }

  async diskUsage(): Promise<DiskUsage> {
    const page = await this.#pragma("page_size");
    return {
      totalBytes: await this.#pragma("page_count") * page,
      freeBytes: await this.#pragma("freelist_count") * page,
    };
  }

  async rows(sql: string, args: readonly (string | number)[] = []): Promise<readonly Row[]> {
    return (await this.#client.execute({ sql, args: [...args] })).rows;
  }

  /** Runs several statements in one transaction. */
  async batch(statements: InStatement[]): Promise<void> {
    await this.#client.batch(statements, "write");
  }

  /** Runs a statement to its end and ignores its rows. */
  async run(sql: string): Promise<void> {
    await this.#client.executeMultiple(sql);
  }

  /** Deletes everything together with its files, including a corrupt file that was moved away. */
  async clear(): Promise<void> {
    await this.#client.execute(DISABLE_WAL);
    this.#client.close();
    // libSQL may hold the closed file for a while, so its bytes are deleted now.
    await Deno.truncate(this.path);
    for (const path of [this.path, corruptFilePath(this.path)]) await removeFile(path);
    const { client } = await openLogFile(this.path);
    if (client === null) throw new CorruptLogError();
    this.#client = client;
  }

  /** Closes a corrupt file and moves it away. Only another thread can replace it. */
  async moveCorruptFile(): Promise<void> {
    await closeWithoutWal(this.#client);
    await moveCorruptFile(this.path);
  }

  close(): void {
    this.#client.close();
  }

  async #pragma(name: "page_count" | "page_size" | "freelist_count"): Promise<number> {
    const [row] = await this.rows(`PRAGMA ${name}`);
    return Number(Object.values(row ?? {})[0] ?? 0);
  }
}

/** The statement that deletes a segment. */
export function deleteStatement(id: number): InStatement {
  return { sql: "DELETE FROM block WHERE id = ?", args: [id] };
}

/** A text that was selected as bytes; U+FFFD stands for what is damaged. */
export function textOf(value: Row[string]): string {
  return new TextDecoder().decode(value as ArrayBuffer);
}

/** None where the text is damaged. */
function clientCountsOf(value: Row[string]): readonly ClientCounts[] {
  try {
    return JSON.parse(textOf(value));
  } catch {
    return [];
  }
}

function stored(row: Row): StoredSegment {
  const bytes = new Uint8Array(row["bytes"] as ArrayBuffer);
  return {
    id: Number(row["id"]),
    last: Number(row["last"]),
    segment: decompressSegment({ encoding: Number(row["encoding"]) as Encoding, bytes }),
  };
}

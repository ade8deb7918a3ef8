import type { InArgs } from "@libsql/client";
import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, lte, sql } from "drizzle-orm";
import type { PatchEntry } from "../change.ts";
import { jsonSteps } from "../../config/json.ts";
import { largeJson } from "../../config/large_json.ts";
import { inSlices, inTurns } from "../../time/slices.ts";
import type { ChangeState } from "../../store/schema/journal.ts";
import { changes, documents, windows } from "../../store/schema/journal.ts";
import type { Database } from "../../store/open.ts";

/** A change as the journal holds it, secrets included. */
export type ChangeRow = typeof changes.$inferSelect;

/** A change without what it did in detail. */
export type ChangeHead = Omit<ChangeRow, "patch" | "system" | "digests">;

const { patch: _patch, system: _system, digests: _digests, ...HEAD } = getTableColumns(changes);

/** One element of a document, by the first part of its path. */
export interface ElementOf {
  readonly document: string;
  readonly element: string;
}

/** Which changes of the history are wanted. */
export interface HistoryFilter {
  /** Those from before the change with this id. */
  readonly after?: string | undefined;
  /** Those of this author. */
  readonly by?: string | undefined;
  /** Those whose summary contains this text, in any case of ASCII letters. */
  readonly what?: string | undefined;
  /** Those of one element of a document. */
  readonly about?: ElementOf | undefined;
}

/** The last good image of a document. */
export type DocumentRow = typeof documents.$inferSelect;

/** The open confirm window as it is written down. */
export type WindowRow = typeof windows.$inferSelect;

/** What is written with the commit of changes, so that it holds exactly when they do. */
export interface CommitExtras {
  readonly window?: WindowRow | undefined;
  /** Change whose window ends with this commit. */
  readonly endsWindow?: string | undefined;
  readonly images?: readonly DocumentRow[];
}

/** Revisions are kept this long, in milliseconds (90 days). */
export const RETENTION_MS = 90 * 24 * 3600 * 1000;

/** Rows that are read at a time, and characters of their patches unless a single one has more. */
const PAGE_SIZE = 200, PAGE_CHARACTERS = 256 << 10;

/** Revisions kept at most. */
const MAX_ROWS = 10_000;

/** The durable record of changes. Each method is one atomic write; but for {@link begin} it is then on disk. */
export class Journal {
  readonly #db: Database;
  #last = 0;
  readonly #inDoubt: { readonly rows: readonly ChangeRow[]; readonly broken: boolean }[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  /** Number of the newest row. */
  get last(): number {
    return this.#last;
  }

  /** Reads everything that the start needs. */
  async load(): Promise<{
    readonly documents: readonly DocumentRow[];
    readonly unfinished: readonly ChangeRow[];
    readonly window: WindowRow | undefined;
  }> {
    const [newest, images, unfinished, open] = await this.#db.batch([
      this.#db.select({ seq: sql<number>`coalesce(max(${changes.seq}), 0)` }).from(changes),
      this.#db.select().from(documents),
      this.#db.select().from(changes)
        .where(inArray(changes.state, ["pending", "committed", "broken"])).orderBy(
          asc(changes.seq),
        ),
      this.#db.select().from(windows),
    ]);
    const held = Math.max(0, ...images.map((image) => image.seq));
    this.#last = Math.max(newest[0]?.seq ?? 0, held);
    return { documents: images, unfinished, window: open[0] };
  }

  /** Rows active after a number, oldest first: what carries an image on to today. */
  async since(seq: number): Promise<readonly ChangeRow[]> {
    return await this.#db.select().from(changes)
      .where(and(gt(changes.seq, seq), inArray(changes.state, ["committed", "written"])))
      .orderBy(asc(changes.seq));
  }

  /**
   * Notes changes as decided, before anything moves. Not synced by itself: what a power cut takes of it
   * has not happened, since the kernel's rules and what is staged are gone or swept with it. The sync of
   * the commit covers it.
   */
  async begin(rows: readonly Omit<ChangeRow, "seq" | "state">[]): Promise<readonly ChangeRow[]> {
    const numbered = rows.map((row, index): ChangeRow => ({
      ...row,
      seq: this.#last + 1 + index,
      state: "pending",
    }));
    const patches: string[] = [];
    for (const { patch } of numbered) patches.push(await inTurns(jsonSteps(patch)));
    const { sql: text, params } = this.#db.insert(changes).values(
      numbered.map((row, at) => ({ ...row, patch: sql`${patches[at]}` })),
    ).toSQL();
    const client = this.#db.$client;
    // Called in one turn, so that nothing else gets between them on the one connection.
    await Promise.all([
      client.execute("PRAGMA synchronous=NORMAL"),
      client.execute({ sql: text, args: params as InArgs }),
      client.execute("PRAGMA synchronous=FULL"),
    ]);
    this.#last += rows.length;
    return numbered;
  }

  /** The commit point. */
  async commit(rows: readonly ChangeRow[], extras: CommitExtras = {}): Promise<void> {
    await this.#db.batch([
      this.#db.update(changes).set({ state: "committed" }).where(these(rows)),
      ...(extras.window === undefined ? [] : [this.#db.insert(windows).values(extras.window)]),
      ...(extras.endsWindow === undefined
        ? []
        : [this.#db.delete(windows).where(eq(windows.change, extras.endsWindow))]),
      ...(extras.images ?? []).map((image) => this.#image(image)),
    ]);
  }

  /** Marks changes as complete; `digests` are the files that now lie in place. */
  async written(
    rows: readonly ChangeRow[],
    digests: Readonly<Record<string, string>>,
    images: readonly DocumentRow[] = [],
  ): Promise<void> {
    await this.#db.batch([
      this.#db.update(changes).set({ state: "written", digests: null }).where(these(rows)),
      ...Object.entries(digests).map(([name, written]) =>
        this.#db.update(documents).set({ written }).where(eq(documents.name, name))
      ),
      ...images.map((image) => this.#image(image)),
    ]);
  }

  async mark(rows: readonly ChangeRow[], state: ChangeState): Promise<void> {
    if (rows.length > 0) await this.#db.update(changes).set({ state }).where(these(rows));
  }

  /** The old state stands again: what could not be taken back has been. */
  async settleBroken(): Promise<void> {
    await this.#db.update(changes).set({ state: "failed" }).where(eq(changes.state, "broken"));
  }

  /** Forgets changes that never took force. */
  async drop(rows: readonly ChangeRow[]): Promise<void> {
    if (rows.length > 0) await this.#db.delete(changes).where(these(rows));
  }

  /**
   * Takes refused changes out, or keeps them as `broken`. Where the disk does not take that either, it
   * may hold more of them than anyone knows: they stay in doubt until {@link settleDoubt}.
   */
  async takeBack(rows: readonly ChangeRow[], broken: boolean): Promise<void> {
    try {
      await (broken ? this.mark(rows, "broken") : this.drop(rows));
    } catch (error) {
      this.#inDoubt.push({ rows, broken });
      throw error;
    }
  }

  /** Tries again to take back what is in doubt. True when something was, and nothing is any more. */
  async settleDoubt(): Promise<boolean> {
    if (this.#inDoubt.length === 0) return false;
    for (const { rows, broken } of [...this.#inDoubt]) {
      await (broken ? this.mark(rows, "broken") : this.drop(rows));
      this.#inDoubt.shift();
    }
    return true;
  }

  /** Keeps whole images of documents. */
  async keepImages(images: readonly DocumentRow[]): Promise<void> {
    const [first, ...rest] = images.map((image) => this.#image(image));
    if (first !== undefined) await this.#db.batch([first, ...rest]);
  }

  #image(image: DocumentRow) {
    return this.#db.insert(documents).values(image)
      .onConflictDoUpdate({ target: documents.name, set: image });
  }

  async keepWindow(change: string, left: number): Promise<void> {
    await this.#db.update(windows).set({ left }).where(eq(windows.change, change));
  }

  async endWindow(change: string): Promise<void> {
    await this.#db.delete(windows).where(eq(windows.change, change));
  }

  /** Changes newest first, from before the one with the id `after`. */
  async list(limit: number, filter: HistoryFilter = {}): Promise<readonly ChangeHead[]> {
    const { after, by, what, about } = filter;
    const from = after === undefined ? undefined : (await this.get(after))?.seq ?? 0;
    return await this.#db.select(HEAD).from(changes)
      .where(and(
        from === undefined ? undefined : lt(changes.seq, from),
        about === undefined
          ? undefined
          : sql`exists (select 1 from json_each(${changes.patch}) as entry
          where json_extract(entry.value, '$.document') = ${about.document}
          and json_extract(entry.value, '$.path[0]') = ${about.element})`,
        by === undefined ? undefined : eq(changes.by, by),
        // Not LIKE, to which some characters of the text would mean something.
        what === undefined
          ? undefined
          : sql`instr(lower(${changes.summary}), ${
            what.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
          }) > 0`,
      ))
      .orderBy(desc(changes.seq)).limit(limit);
  }

  /** The patches of all rows, whatever came of them, oldest first and with their secrets. */
  async *patches(): AsyncGenerator<readonly PatchEntry[]> {
    const text = sql<string>`${changes.patch}`;
    for (let from = 0;;) {
      const rows = await this.#db.select({ seq: changes.seq, length: sql<number>`length(${text})` })
        .from(changes).where(gt(changes.seq, from)).orderBy(asc(changes.seq)).limit(PAGE_SIZE);
      const first = rows[0];
      if (first === undefined) return;
      let until = first.seq, length = 0;
      for (const row of rows) {
        length += row.length;
        if (length > PAGE_CHARACTERS && row !== first) break;
        until = row.seq;
      }
      const page = await this.#db.select({ text }).from(changes)
        .where(and(gt(changes.seq, from), lte(changes.seq, until))).orderBy(asc(changes.seq));
      for (const { text } of page) yield await inSlices(largeJson(text)) as readonly PatchEntry[];
      from = until;
    }
  }

  async get(id: string): Promise<ChangeRow | undefined> {
    return (await this.#db.select().from(changes).where(eq(changes.id, id)))[0];
  }

  /** Of these changes, those that are undone today: id → id of the undo that stands. */
  async undone(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db.select({ id: changes.id, undoes: changes.undoes }).from(changes)
      .where(and(
        inArray(changes.undoes, [...ids]),
        inArray(changes.state, ["committed", "written"]),
        sql`not exists (select 1 from changes as later where later.undoes = ${changes.id}
          and later.state in ('committed', 'written'))`,
      )).orderBy(asc(changes.seq));
    return new Map(rows.map((row) => [row.undoes!, row.id]));
  }

  /**
   * Removes revisions from before a time, unix milliseconds, and those beyond {@link MAX_ROWS}: always
   * the oldest ones, so that what is kept has no gap, whatever the wall clock once said.
   */
  async prune(before: number): Promise<void> {
    const kept = sql`(select min(seq) from changes
      where at >= ${before} or state not in ('written', 'failed'))`;
    const surplus = sql`(select seq from changes order by seq desc limit 1 offset ${MAX_ROWS})`;
    const open = sql`(select min(seq) from changes where state not in ('written', 'failed'))`;
    await this.#db.batch([
      this.#db.delete(changes).where(sql`${changes.seq} < coalesce(${kept}, 9e18)`),
      this.#db.delete(changes).where(
        sql`${changes.seq} <= ${surplus} and ${changes.seq} < coalesce(${open}, 9e18)`,
      ),
    ]);
  }
}

function these(rows: readonly ChangeRow[]) {
  return inArray(changes.seq, rows.map((row) => row.seq));
}

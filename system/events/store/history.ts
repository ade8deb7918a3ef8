import { fileURLToPath } from "node:url";
import { and, asc, count, desc, eq, gt, isNull, lt, lte, sql } from "drizzle-orm";
import { openStoreOf, type Store, type StoreShape } from "../../core/store/open.ts";
import {
  itemOf,
  latestEntries,
  latestEvents,
  type LatestQuery,
  searchItems,
} from "./item_search.ts";
import type { ItemTime } from "./item_time.ts";
import type {
  EntryLimits,
  FoundItems,
  Item,
  ItemKey,
  ItemQuery,
  LatestEvents,
  Retention,
  StoredEvent,
} from "./messages.ts";
import { GONE, markOf, ServerBacklog } from "./server_backlog.ts";
import * as tables from "./tables.ts";

const { buckets, events, marks } = tables;

const SHAPE: StoreShape<typeof tables> = {
  schema: tables,
  migrations: fileURLToPath(new URL("./migrations", import.meta.url)),
  // A power cut may lose the last moments; a process that is killed loses nothing that was written.
  synchronous: "NORMAL",
  first: ["PRAGMA auto_vacuum=INCREMENTAL"],
};

type Row = typeof events.$inferSelect;

/** Rows of one statement. */
const ROWS_PER_INSERT = 500;
/** Rows that one step of retention deletes, so that writes come between. */
const ROWS_PER_TRIM = 2000;
const DAY_MS = 86_400_000;

/** The event store in `history.db`. It blocks its thread while it reads or writes. */
export class History {
  readonly #store: Store<typeof tables>;
  readonly #known = new Set<string>();
  /** What a server does not have yet. */
  readonly toServer: ServerBacklog;

  private constructor(store: Store<typeof tables>) {
    this.#store = store;
    this.toServer = new ServerBacklog(store.db);
  }

  static async open(path: string): Promise<History> {
    const history = new History(await openStoreOf(path, SHAPE));
    for (const { name } of await history.#db.select().from(buckets)) history.#known.add(name);
    return history;
  }

  get #db(): Store<typeof tables>["db"] {
    return this.#store.db;
  }

  /** What was lost where the file could not be used. */
  get loss(): Store["loss"] {
    return this.#store.loss;
  }

  /** Highest id that was ever stored; 0 for none. */
  async last(): Promise<number> {
    const [row] = await this.#db.select({ id: sql<number | null>`max(${events.id})` }).from(events);
    return Math.max(row?.id ?? 0, await markOf(this.#db, GONE));
  }

  /** Stores events. What is stored already stays as it is. */
  async append(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const fresh = [...new Set(rows.map(({ topic }) => topic))].filter((one) =>
      !this.#known.has(one)
    );
    const inserts = [];
    for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
      inserts.push(
        this.#db.insert(events).values(rows.slice(at, at + ROWS_PER_INSERT)).onConflictDoNothing(),
      );
    }
    const named = fresh.map((name) =>
      this.#db.insert(buckets).values({ name }).onConflictDoNothing()
    );
    const [first, ...others] = [...inserts, ...named];
    await this.#db.batch([first!, ...others]);
    for (const name of fresh) this.#known.add(name);
  }

  /** Published events after `after`, oldest first; null where some of them were deleted. */
  async since(after: number, limit: number): Promise<readonly StoredEvent[] | null> {
    if (after < await markOf(this.#db, GONE)) return null;
    const rows = await this.#db.select().from(events)
      .where(and(gt(events.id, after), eq(events.published, true)))
      .orderBy(asc(events.id)).limit(limit);
    return rows.map(({ id, topic, at, data }) => ({ id, topic, at, data }));
  }

  /** Published events of topics that begin so, by {@link latestEvents}. */
  async latest(
    { prefix, ...limits }: LatestQuery & { readonly prefix: string },
  ): Promise<LatestEvents> {
    const names = [...this.#known].filter((name) => name.startsWith(prefix));
    return await latestEvents(this.#db, names, limits);
  }

  /** Names of the buckets, in their order. */
  async buckets(): Promise<readonly string[]> {
    const rows = await this.#db.select().from(buckets).orderBy(asc(buckets.name));
    return rows.map(({ name }) => name);
  }

  /** Adds a bucket; false where it is there. */
  async addBucket(name: string): Promise<boolean> {
    if (this.#known.has(name)) return false;
    await this.#db.insert(buckets).values({ name }).onConflictDoNothing();
    this.#known.add(name);
    return true;
  }

  /** Deletes a bucket with its items; false where there is none. */
  async deleteBucket(name: string): Promise<boolean> {
    if (!this.#known.has(name)) return false;
    await this.toServer.correct(name, { event: await this.last(), kind: "emptied" });
    await this.#db.batch([
      this.#db.delete(events).where(eq(events.topic, name)),
      this.#db.delete(buckets).where(eq(buckets.name, name)),
    ]);
    this.#known.delete(name);
    return true;
  }

  /** Number of items of a bucket; null where there is none. */
  async countItems(bucket: string): Promise<number | null> {
    if (!this.#known.has(bucket)) return null;
    const [row] = await this.#db.select({ items: count() }).from(events)
      .where(eq(events.topic, bucket));
    return row?.items ?? 0;
  }

  /** Bytes that are in use. */
  async size(): Promise<number> {
    const read = async (name: string): Promise<number> => {
      const row = await this.#db.get<Record<string, number>>(sql.raw(`PRAGMA ${name}`));
      return Number(Object.values(row)[0]);
    };
    return (await read("page_count") - await read("freelist_count")) * await read("page_size");
  }

  /** Items of a bucket, by {@link searchItems}; null where there is no such bucket. */
  async items(bucket: string, query: ItemQuery): Promise<FoundItems | null> {
    return this.#known.has(bucket) ? await searchItems(this.#db, bucket, query) : null;
  }

  /** The latest items of a bucket, by {@link latestEntries}; null where there is no such bucket. */
  async entries(bucket: string, limits: EntryLimits): Promise<readonly Item[] | null> {
    return this.#known.has(bucket) ? await latestEntries(this.#db, bucket, limits) : null;
  }

  /** One item; undefined where there is none. */
  async get(bucket: string, key: ItemKey): Promise<unknown> {
    const row = await this.#find(bucket, key);
    return row === undefined ? undefined : row.key === null ? itemOf(row) : JSON.parse(row.data);
  }

  /** Writes an item in the place of the one of its key, or beside the others. */
  async put(
    bucket: string,
    key: ItemKey,
    item: { readonly id: number; readonly data: string; readonly at: ItemTime },
  ): Promise<void> {
    const known = await this.#find(bucket, key);
    if (known !== undefined) {
      await this.#db.update(events).set({ data: item.data }).where(eq(events.id, known.id));
      await this.toServer.correct(bucket, { event: known.id, kind: "changed" });
      return;
    }
    const time = "time" in key ? key.time : item.at;
    await this.append([{
      ...{ id: item.id, topic: bucket, data: item.data, published: false, ...time },
      key: "name" in key ? key.name : null,
    }]);
  }

  /** Deletes an item, if it is there. */
  async remove(bucket: string, key: ItemKey): Promise<void> {
    const row = await this.#find(bucket, key);
    if (row === undefined) return;
    await this.toServer.correct(bucket, { event: row.id, kind: "deleted" });
    await this.#db.delete(events).where(eq(events.id, row.id));
  }

  async #find(bucket: string, key: ItemKey): Promise<Row | undefined> {
    const [row] = await this.#db.select().from(events).where(and(
      eq(events.topic, bucket),
      ...("name" in key
        ? [eq(events.key, key.name)]
        : [isNull(events.key), eq(events.at, key.time.at), eq(events.nanos, key.time.nanos)]),
    )).orderBy(desc(events.id)).limit(1);
    return row;
  }

  /** One step of retention; true where more is to be deleted. */
  async trim(
    { days, bytes, now }: Omit<Retention, "topics"> & { readonly now: number },
  ): Promise<boolean> {
    const isFull = await this.size() > bytes;
    const old = lt(events.at, now - days * DAY_MS);
    const rows = await this.#db.select({ id: events.id }).from(events)
      .where(isFull ? undefined : old).orderBy(asc(events.id)).limit(ROWS_PER_TRIM);
    const last = rows.at(-1)?.id;
    if (last === undefined) return false;
    const gone = { name: GONE, value: last };
    await this.#db.batch([
      this.#db.delete(events).where(and(lte(events.id, last), isFull ? undefined : old)),
      this.#db.insert(marks).values(gone)
        .onConflictDoUpdate({ target: marks.name, set: { value: sql`max(value, ${last})` } }),
    ]);
    // To its end: a single statement stops after a page, and would hold up the next transaction.
    await this.#db.$client.executeMultiple("PRAGMA incremental_vacuum");
    return rows.length === ROWS_PER_TRIM || isFull;
  }

  /** Deletes the oldest items of a topic until the rest fits into so many bytes. */
  async trimTopic(
    { name, bytes }: { readonly name: string; readonly bytes: number },
  ): Promise<void> {
    const size = sql<number>`length(${events.data})`;
    const kept = this.#db.select({
      id: events.id,
      sum: sql<number>`sum(${size}) OVER (ORDER BY ${events.id} DESC)`.as("sum"),
    }).from(events).where(eq(events.topic, name)).as("kept");
    const [last] = await this.#db.select({ id: sql<number | null>`max(${kept.id})` }).from(kept)
      .where(gt(kept.sum, bytes));
    if (last === undefined || last.id === null) return;
    await this.#db.delete(events).where(and(eq(events.topic, name), lte(events.id, last.id)));
  }

  close(): void {
    this.#store.close();
  }
}

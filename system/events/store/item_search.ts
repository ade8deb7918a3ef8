import { and, eq } from "drizzle-orm";
import { isRecord } from "../../core/config/json.ts";
import type { Store } from "../../core/store/open.ts";
import { compileCondition, isMatch } from "../jpath/condition.ts";
import { requirementsOf } from "../jpath/requirements.ts";
import { formatItemTime, type ItemTime } from "./item_time.ts";
import {
  type EntryLimits,
  type FoundItems,
  type Item,
  type ItemQuery,
  type LatestEvents,
  SEARCH_MS,
} from "./messages.ts";
import { requirementSql } from "./requirement_sql.ts";
import {
  inOrder,
  notBefore,
  type Part,
  type Place,
  type RowQuery,
  upTo,
  within,
} from "./row_order.ts";
import * as tables from "./tables.ts";

const { events } = tables;

type Database = Store<typeof tables>["db"];
type Row = typeof events.$inferSelect;

/** Rows that are read at a time, each of up to 256 KiB. */
const ROWS_PER_PAGE = 200;
/** Rows that the database looks at by itself at a time. */
const ROWS_PER_SCAN = 4000;
/** Characters of the items of one answer. */
const MAX_CHARACTERS = 8 << 20;

const LATEST_FIRST: RowQuery = { min: null, max: null, order: "desc", strict: false };

/**
 * Items of a bucket that fit, in the order of the query, of so many characters that one more would be
 * too many. Lets others have their turn after each page, and stops when it takes too long.
 */
export async function searchItems(
  db: Database,
  bucket: string,
  query: ItemQuery,
): Promise<FoundItems> {
  if (query.strict && query.order === "desc" && query.max !== null) {
    const [later] = await db.select({ id: events.id }).from(events)
      .where(and(eq(events.topic, bucket), notBefore(query.max))).limit(1);
    if (later === undefined) return { items: [], stoppedAt: null };
  }
  const filter = query.filter === null ? null : compileCondition(query.filter);
  const found: unknown[] = [];
  let characters = 0;
  let stoppedAt: ItemTime | null = null;
  const stop: Stop = {
    after: performance.now() + (query.milliseconds ?? SEARCH_MS),
    at: ({ at, nanos }) => stoppedAt = { at, nanos },
  };
  for await (const row of candidates(db, bucket, query, filter === null ? null : stop)) {
    const item = itemOf(row);
    if (filter !== null && !isMatch(filter.value(item))) continue;
    characters += row.data.length;
    if (characters > MAX_CHARACTERS) break;
    found.push(item);
    if (found.length === query.num) break;
  }
  return { items: found, stoppedAt };
}

/**
 * The latest items of a bucket with their keys, oldest first, of up to so many characters. Lets others
 * have their turn after each page.
 */
export async function latestEntries(
  db: Database,
  bucket: string,
  { limit, characters = MAX_CHARACTERS }: EntryLimits,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let left = characters;
  for await (const row of candidates(db, bucket, { ...LATEST_FIRST, filter: null })) {
    left -= row.data.length;
    if (left < 0) break;
    items.push({ Key: row.key ?? formatItemTime(row), Value: JSON.parse(row.data) });
    if (items.length === limit) break;
  }
  return items.reverse();
}

/** Which of the latest events: since a time (unix milliseconds), and so many. */
export interface LatestQuery {
  readonly since: number;
  readonly limit: number;
}

/**
 * The latest published events of some buckets, latest first, of up to so many characters. Reads each
 * bucket by its index, page by page, and lets others have their turn after each page.
 */
export async function latestEvents(
  db: Database,
  names: readonly string[],
  { since, limit }: LatestQuery,
): Promise<LatestEvents> {
  const query = { ...LATEST_FIRST, min: { at: since, nanos: 0 }, filter: null };
  let found: Row[] = [], characters = 0, isCut = false;
  for (const name of names) {
    let taken = 0;
    for await (const row of candidates(db, name, query)) {
      if (!row.published) continue;
      isCut ||= taken === limit || characters + row.data.length > MAX_CHARACTERS;
      if (taken === limit || characters + row.data.length > MAX_CHARACTERS) break;
      found.push(row);
      taken++;
      characters += row.data.length;
    }
    if (found.length <= limit) continue;
    isCut = true;
    found = found.toSorted((one, other) => other.at - one.at || other.id - one.id).slice(0, limit);
    characters = found.reduce((sum, { data }) => sum + data.length, 0);
  }
  const events = found.toSorted((one, other) => other.at - one.at || other.id - one.id)
    .map(({ id, topic, at, data }) => ({ id, topic, at, data }));
  return { events, isCut };
}

/** A row as an item: its value with the time of its key, where it has none of its own. */
export function itemOf(row: Row): unknown {
  const value: unknown = JSON.parse(row.data);
  if (!isRecord(value)) return value;
  if (typeof value["time"] === "string" && value["time"] !== "") return value;
  return { ...value, time: formatItemTime(row) };
}

/** When a search has to end, and what is called with the row that it has not looked at. */
interface Stop {
  /** Milliseconds of `performance.now()`. */
  readonly after: number;
  readonly at: (place: Place) => void;
}

/**
 * Rows of a bucket, page by page. Those that lack what the condition requires are passed over by the
 * database, a limited number at a time. With `stop` they end early, after a page at least.
 */
async function* candidates(
  db: Database,
  bucket: string,
  query: RowQuery & Pick<ItemQuery, "filter">,
  stop: Stop | null = null,
): AsyncGenerator<Row> {
  const fits = query.filter === null
    ? undefined
    : requirementSql(events.data, requirementsOf(query.filter));
  for (let from: Place | null = null;;) {
    const end: Place | null = fits === undefined
      ? null
      : await placeAfter(db, bucket, { part: { query, from }, rows: ROWS_PER_SCAN });
    const rows: Row[] = await db.select().from(events)
      .where(
        and(within(bucket, { query, from }), end === null ? undefined : upTo(end, query), fits),
      )
      .orderBy(...inOrder(query)).limit(ROWS_PER_PAGE);
    yield* rows;
    const isWhole = rows.length < ROWS_PER_PAGE;
    if (isWhole && end === null) return;
    from = isWhole ? end : rows.at(-1)!;
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (stop === null || performance.now() < stop.after) continue;
    const next = await placeAfter(db, bucket, { part: { query, from }, rows: 1 });
    if (next !== null) stop.at(next);
    return;
  }
}

/** The place of the last of so many rows; null where there are not as many. Reads nothing but the index. */
async function placeAfter(
  db: Database,
  bucket: string,
  { part, rows }: { readonly part: Part; readonly rows: number },
): Promise<Place | null> {
  const { at, nanos, id } = events;
  const [last] = await db.select({ at, nanos, id }).from(events)
    .where(within(bucket, part)).orderBy(...inOrder(part.query)).limit(1).offset(rows - 1);
  return last ?? null;
}

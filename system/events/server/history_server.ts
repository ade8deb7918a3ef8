import { type Client, createClient } from "@libsql/client";
import { and, asc, desc, eq, gte, lte } from "drizzle-orm";
import { drizzle, type LibSQLDatabase } from "drizzle-orm/libsql";
import { isRecord } from "../../core/config/json.ts";
import { inSlices } from "../../core/time/slices.ts";
import { compileCondition, type Condition, isMatch } from "../jpath/condition.ts";
import { requirementsOf } from "../jpath/requirements.ts";
import { formatItemTime } from "../store/item_time.ts";
import type { Correction, EventRow, FoundItems, ItemQuery } from "../store/messages.ts";
import { requirementSql } from "../store/requirement_sql.ts";
import { routerEvents, SERVER_SCHEMA } from "./server_tables.ts";

/** Where the history goes. */
export interface ServerAddress {
  /** `libsql:`, `https:` or `http:`. */
  readonly url: string;
  /** Null where the server asks for none. */
  readonly token: string | null;
  /** Id of this router among those of the server. */
  readonly router: string;
}

/** Milliseconds that a request to the server may take. */
const REQUEST_TIMEOUT_MS = 20_000;
/** Items that a search with a condition reads of those that have what it requires. */
const MAX_SEARCHED = 10_000;

/** A request with its whole answer. A redirect is an error: it could lead to any host, with the token. */
async function fetchInTime(request: Request): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), REQUEST_TIMEOUT_MS);
  try {
    const answer = await fetch(request, { redirect: "error", signal: late.signal });
    const body = await answer.arrayBuffer();
    const { status, headers } = answer;
    return new Response(body.byteLength === 0 ? null : body, { status, headers });
  } finally {
    clearTimeout(timer);
  }
}

/** The history of this router on a libSQL server. Its methods reject where the server is away. */
export class HistoryServer {
  readonly #client: Client;
  readonly #db: LibSQLDatabase;
  readonly #router: string;
  #prepared: Promise<unknown> | null = null;

  constructor({ url, token, router }: ServerAddress) {
    this.#client = createClient({
      url,
      ...(token === null ? {} : { authToken: token }),
      fetch: fetchInTime,
    });
    this.#db = drizzle({ client: this.#client });
    this.#router = router;
  }

  /** Stores events. What is there already stays as it is, so that nothing is stored twice. */
  async append(rows: readonly EventRow[]): Promise<void> {
    await this.#prepare();
    await this.#db.insert(routerEvents)
      .values(rows.map((row) => ({ ...row, router: this.#router }))).onConflictDoNothing();
  }

  /** Changes and deletes events that are there, in this order. What is repeated does no harm. */
  async correct(corrections: readonly Correction[]): Promise<void> {
    await this.#prepare();
    const statements = corrections.flatMap(({ kind, topic, event, data }) => {
      const mine = eq(routerEvents.router, this.#router);
      if (kind === "emptied") {
        return this.#db.delete(routerEvents)
          .where(and(mine, eq(routerEvents.topic, topic), lte(routerEvents.id, event)));
      }
      const one = and(mine, eq(routerEvents.id, event));
      if (kind === "deleted") return this.#db.delete(routerEvents).where(one);
      // Retention took the changed event meanwhile.
      return data === null ? [] : this.#db.update(routerEvents).set({ data }).where(one);
    });
    const [first, ...others] = statements;
    if (first !== undefined) await this.#db.batch([first, ...others]);
  }

  /** Items of a topic that fit, in the order of the query. */
  async items(topic: string, query: ItemQuery): Promise<FoundItems> {
    await this.#prepare();
    const { min, max, order, num } = query;
    const filter = query.filter === null ? null : compileCondition(query.filter);
    const columns = [routerEvents.at, routerEvents.nanos, routerEvents.id];
    const rows = await this.#db.select().from(routerEvents).where(and(
      eq(routerEvents.router, this.#router),
      eq(routerEvents.topic, topic),
      min === null ? undefined : gte(routerEvents.at, min.at),
      max === null ? undefined : lte(routerEvents.at, max.at),
      query.filter === null
        ? undefined
        : requirementSql(routerEvents.data, requirementsOf(query.filter)),
    )).orderBy(...columns.map((one) => order === "desc" ? desc(one) : asc(one)))
      .limit(filter === null ? num : MAX_SEARCHED);
    const items = rows.map((row): unknown => {
      const value: unknown = JSON.parse(row.data);
      return isRecord(value) ? { time: formatItemTime(row), ...value } : value;
    });
    if (filter === null) return { items, stoppedAt: null };
    const found = await inSlices(matching(items, { num, filter }));
    const last = rows.at(-1);
    const isCut = rows.length === MAX_SEARCHED && found.length < num && last !== undefined;
    return { items: found, stoppedAt: isCut ? { at: last.at, nanos: last.nanos } : null };
  }

  close(): void {
    this.#client.close();
  }

  #prepare(): Promise<unknown> {
    return this.#prepared ??= this.#client.batch([...SERVER_SCHEMA], "write").catch((error) => {
      this.#prepared = null;
      throw error;
    });
  }
}

/** The first items that match. Yields after each small step. */
function* matching(
  items: readonly unknown[],
  { num, filter }: { readonly num: number; readonly filter: Condition },
): Generator<void, readonly unknown[]> {
  const found: unknown[] = [];
  for (const item of items) {
    if (found.length === num) break;
    if (isMatch(filter.value(item))) found.push(item);
    yield;
  }
  return found;
}

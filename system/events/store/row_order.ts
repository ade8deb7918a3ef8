import { and, asc, desc, eq, gt, gte, lt, lte, or, type SQL } from "drizzle-orm";
import type { ItemTime } from "./item_time.ts";
import type { ItemQuery } from "./messages.ts";
import { events } from "./tables.ts";

/* Where rows of a bucket stand: by their time, and by their ids where that is the same. */

/** What of a query says which rows it is about, and in which order. */
export type RowQuery = Pick<ItemQuery, "min" | "max" | "order" | "strict">;

/** Where a row stands among those of its bucket. */
export type Place = ItemTime & { readonly id: number };

/** Rows that a query is about, behind those that were read. */
export interface Part {
  readonly query: RowQuery;
  readonly from: Place | null;
}

/** The rows of a bucket that a query is about, behind those that were read. */
export function within(bucket: string, { query, from }: Part): SQL | undefined {
  const { min, max, order, strict } = query;
  const isDown = order === "desc";
  return and(
    eq(events.topic, bucket),
    min === null ? undefined : notBefore(min),
    max === null ? undefined : strict && isDown ? before(max) : notAfter(max),
    from === null ? undefined : isDown ? before(from, from.id) : after(from, from.id),
  );
}

/** The order of a query. */
export function inOrder({ order }: RowQuery): readonly SQL[] {
  const direction = order === "desc" ? desc : asc;
  return [events.at, events.nanos, events.id].map((column) => direction(column));
}

/** At this moment or later; with an id, neither before this row of that moment. */
export function notBefore({ at, nanos }: ItemTime, id = 0): SQL | undefined {
  const same = and(eq(events.at, at), eq(events.nanos, nanos));
  return and(
    gte(events.at, at),
    or(gt(events.at, at), gt(events.nanos, nanos), and(same, gte(events.id, id))),
  );
}

/** Up to this row, itself included, in the order of a query. */
export function upTo(place: Place, { order }: RowQuery): SQL | undefined {
  return (order === "desc" ? notBefore : notAfter)(place, place.id);
}

/** At this moment or earlier; with an id, neither after this row of that moment. */
function notAfter({ at, nanos }: ItemTime, id = Number.MAX_SAFE_INTEGER): SQL | undefined {
  const same = and(eq(events.at, at), eq(events.nanos, nanos));
  return and(
    lte(events.at, at),
    or(lt(events.at, at), lt(events.nanos, nanos), and(same, lte(events.id, id))),
  );
}

function before({ at, nanos }: ItemTime, id?: number): SQL | undefined {
  const same = and(eq(events.at, at), eq(events.nanos, nanos));
  return and(
    lte(events.at, at),
    or(
      lt(events.at, at),
      and(eq(events.at, at), lt(events.nanos, nanos)),
      id === undefined ? undefined : and(same, lt(events.id, id)),
    ),
  );
}

function after({ at, nanos }: ItemTime, id: number): SQL | undefined {
  const same = and(eq(events.at, at), eq(events.nanos, nanos));
  return and(
    gte(events.at, at),
    or(
      gt(events.at, at),
      and(eq(events.at, at), gt(events.nanos, nanos)),
      and(same, gt(events.id, id)),
    ),
  );
}

import type { TrafficAnswers, TrafficRequest } from "../../traffic/store/messages.ts";
import type { ItemTime } from "./item_time.ts";

/** A row of the event store. */
export interface EventRow extends ItemTime {
  readonly id: number;
  readonly topic: string;
  readonly key: string | null;
  /** JSON. */
  readonly data: string;
  readonly published: boolean;
}

/** A stored event for a stream; `data` is JSON. */
export interface StoredEvent {
  readonly id: number;
  readonly topic: string;
  readonly at: number;
  readonly data: string;
}

/** The latest events of some topics. */
export interface LatestEvents {
  /** Latest first. */
  readonly events: readonly StoredEvent[];
  /** There are more than were asked for, or than one answer holds. */
  readonly isCut: boolean;
}

/** How long events are kept, and in how many bytes. */
export interface Retention {
  readonly days: number;
  readonly bytes: number;
  /** Bytes of single topics. */
  readonly topics: readonly { readonly name: string; readonly bytes: number }[];
}

/** How an item of a bucket is addressed. */
export type ItemKey = { readonly name: string } | { readonly time: ItemTime };

/** An item with its key, as existing clients read it. */
export interface Item {
  readonly Key: string;
  readonly Value: unknown;
}

/** A search in a bucket. */
export interface ItemQuery {
  readonly min: ItemTime | null;
  readonly max: ItemTime | null;
  readonly num: number;
  readonly order: "asc" | "desc";
  /** The latest of a descending search lies below `max`. */
  readonly strict: boolean;
  /** A condition (JSONPath) that each item must match; null: all. */
  readonly filter: string | null;
  /** Milliseconds after which a search stops; default {@link SEARCH_MS}. */
  readonly milliseconds?: number;
}

/** Milliseconds that a search may take: others wait for its turns. */
export const SEARCH_MS = 4000;

/** What a search found. */
export interface FoundItems {
  readonly items: readonly unknown[];
  /** Where it stopped before it had looked at everything: the same query goes on from there. */
  readonly stoppedAt: ItemTime | null;
}

/** How much of a bucket is listed: items, and characters of them. */
export interface EntryLimits {
  readonly limit: number;
  readonly characters?: number;
}

/** What a server does not have yet, oldest first. */
export interface Unsent {
  readonly rows: readonly EventRow[];
  /** Some were deleted before they were sent. */
  readonly missed: boolean;
}

/** What a client changed or deleted after a server may have got it. */
export interface Correction {
  /** Increases with each. */
  readonly id: number;
  readonly topic: string;
  /** Id of the event; of a bucket that was emptied, up to which one. */
  readonly event: number;
  readonly kind: "changed" | "deleted" | "emptied";
  /** What a changed event holds now, as JSON; null where it is not there any more. */
  readonly data: string | null;
}

/** How much a server does not have yet. */
export interface Backlog {
  /** Events and corrections; no more than {@link MAX_COUNTED} are counted. */
  readonly waiting: number;
  /** Unix milliseconds of the oldest event that waits; 0 for none. */
  readonly oldestAt: number;
}

/** What a {@link Backlog} counts at most: more would be read for the number alone. */
export const MAX_COUNTED = 100_000;

/** What the thread of the event store does. Each answers with what {@link Answers} says. */
export type Request =
  | { readonly type: "open"; readonly path: string; readonly retention: Retention }
  | { readonly type: "configure"; readonly retention: Retention }
  | { readonly type: "append"; readonly rows: readonly EventRow[] }
  | { readonly type: "since"; readonly after: number; readonly limit: number }
  | {
    readonly type: "latest";
    readonly prefix: string;
    readonly since: number;
    readonly limit: number;
  }
  | { readonly type: "buckets" }
  | { readonly type: "addBucket"; readonly name: string }
  | { readonly type: "deleteBucket"; readonly name: string }
  | { readonly type: "countItems"; readonly bucket: string }
  | { readonly type: "size" }
  | { readonly type: "items"; readonly bucket: string; readonly query: ItemQuery }
  | ({ readonly type: "entries"; readonly bucket: string } & EntryLimits)
  | { readonly type: "get"; readonly bucket: string; readonly key: ItemKey }
  | {
    readonly type: "put";
    readonly bucket: string;
    readonly key: ItemKey;
    readonly item: { readonly id: number; readonly data: string; readonly at: ItemTime };
  }
  | {
    readonly type: "unsent";
    readonly server: string;
    readonly rows: number;
    readonly characters: number;
  }
  | { readonly type: "sent"; readonly server: string; readonly id: number }
  | { readonly type: "corrections"; readonly rows: number }
  /** Forgets those up to this one, which the server has. */
  | { readonly type: "corrected"; readonly id: number }
  | { readonly type: "backlog"; readonly server: string }
  | { readonly type: "remove"; readonly bucket: string; readonly key: ItemKey }
  /** For the traffic store, which shares the thread. */
  | { readonly type: "traffic"; readonly path: string; readonly request: TrafficRequest }
  | { readonly type: "close" };

/** What a request answers, by its type. */
export interface Answers {
  readonly open: { readonly last: number; readonly loss: string | null };
  readonly configure: null;
  readonly append: null;
  readonly since: readonly StoredEvent[] | null;
  readonly latest: LatestEvents;
  readonly buckets: readonly string[];
  readonly addBucket: boolean;
  readonly deleteBucket: boolean;
  readonly countItems: number | null;
  readonly size: number;
  readonly items: FoundItems | null;
  readonly entries: readonly Item[] | null;
  readonly get: unknown;
  readonly put: null;
  readonly remove: null;
  readonly unsent: Unsent;
  readonly sent: null;
  readonly corrections: readonly Correction[];
  readonly corrected: null;
  readonly backlog: Backlog;
  readonly traffic: TrafficAnswers[TrafficRequest["do"]];
  readonly close: null;
}

/**
 * An answer as it goes from the thread of the event store to the main one: long lists of items as the
 * JSON text of each, since a message of objects is read in one piece, which takes 100 ms for 5 MB.
 */
export type PackedAnswer =
  | { readonly kind: "plain"; readonly value: unknown }
  /** The items of `entries`. */
  | { readonly kind: "entries"; readonly texts: readonly string[] }
  /** Those of `items`, with the rest of the answer. */
  | { readonly kind: "items"; readonly texts: readonly string[]; readonly rest: object };

/** To the thread, and from it. */
export interface Ask {
  readonly id: number;
  readonly request: Request;
}
export type Reply =
  | { readonly id: number; readonly answer: PackedAnswer }
  | { readonly id: number; readonly error: string };

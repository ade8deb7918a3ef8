import type { RecordSegment } from "../segments/record_segment.ts";
import { eventsOf, type LogEvent } from "../segments/entry.ts";

/** Queries that are kept for readers of the events. */
const MIN_RECENT_QUERIES = 2000;
/** Ends of removed segments that skipped queries are counted by. */
const MAX_MARKS = 4096;

/** Events after a query. */
export interface RecentEvents {
  readonly items: readonly LogEvent[];
  /** Queries left out because there were too many. */
  readonly skipped: number;
}

/** The latest queries for live readers, decoded only when they are read. */
export class RecentQueries {
  #segments: RecordSegment[] = [];
  /** Number of queries dropped so far, at the end of each dropped segment. */
  readonly #marks: { readonly last: number; readonly total: number }[] = [];
  #size = 0;
  #dropped = 0;

  add(segment: RecordSegment): void {
    this.#segments.push(segment);
    this.#size += segment.size;
    while (this.#size - this.#segments[0]!.size >= MIN_RECENT_QUERIES) {
      const { size, last } = this.#segments.shift()!;
      this.#size -= size;
      this.#dropped += size;
      this.#marks.push({ last, total: this.#dropped });
    }
    if (this.#marks.length > 2 * MAX_MARKS) this.#marks.splice(0, MAX_MARKS);
  }

  /** Events of the latest `max` queries after an id. */
  after(id: number, max: number): RecentEvents {
    const events: (readonly LogEvent[])[] = [];
    let count = 0;
    for (const segment of this.#segments.toReversed()) {
      let index = segment.size;
      while (index > 0 && segment.id(index - 1) > id) {
        index--;
        if (events.length < max) {
          events.push(eventsOf(segment.entry(index), segment.rebindAddress(index)));
        }
      }
      count += segment.size - index;
      if (index > 0) return recentEvents(events, count);
    }
    const before = this.#marks.findLast(({ last }) => last <= id)?.total ?? 0;
    return recentEvents(events, count + this.#dropped - before);
  }

  remove(matches: (segment: RecordSegment, index: number) => boolean): void {
    this.#segments = this.#segments.flatMap((segment) =>
      segment.without((index) => matches(segment, index)) ?? []
    );
    this.#size = this.#segments.reduce((sum, { size }) => sum + size, 0);
  }
}

function recentEvents(events: (readonly LogEvent[])[], total: number): RecentEvents {
  return { items: events.reverse().flat(), skipped: total - events.length };
}

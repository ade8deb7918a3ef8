import type { RecordBlock } from "../segments/record_segment.ts";
import { eventsOf, type LogEvent } from "../segments/entry.ts";

/** Queries that late readers of the events may still be told of. */
const REMEMBERED = 2000;
/** Ends of blocks that are remembered to count by. */
const MARKS = 4096;

/** What happened after a certain query. */
export interface News {
  readonly items: readonly LogEvent[];
  /** Queries that were not told because they came too fast. */
  readonly skipped: number;
}

/** The latest queries, for those who follow along: they are read when someone asks for them. */
export class RecentQueries {
  #blocks: RecordBlock[] = [];
  /** How many are remembered no more, with the last of each block. */
  readonly #marks: { readonly last: number; readonly total: number }[] = [];
  #remembered = 0;
  #gone = 0;

  add(block: RecordBlock): void {
    this.#blocks.push(block);
    this.#remembered += block.size;
    while (this.#remembered - this.#blocks[0]!.size >= REMEMBERED) {
      const { size, last } = this.#blocks.shift()!;
      this.#remembered -= size;
      this.#gone += size;
      this.#marks.push({ last, total: this.#gone });
    }
    if (this.#marks.length > 2 * MARKS) this.#marks.splice(0, MARKS);
  }

  /** What happened after the query with an id: the latest of it, at most `most`. */
  after(id: number, most: number): News {
    const told: (readonly LogEvent[])[] = [];
    let inBlocks = 0;
    for (const block of this.#blocks.toReversed()) {
      let place = block.size;
      while (place > 0 && block.id(place - 1) > id) {
        place--;
        if (told.length < most) told.push(eventsOf(block.entry(place), block.rebound(place)));
      }
      inBlocks += block.size - place;
      if (place > 0) return news(told, inBlocks);
    }
    const before = this.#marks.findLast(({ last }) => last <= id)?.total ?? 0;
    return news(told, inBlocks + this.#gone - before);
  }

  forget(gone: (block: RecordBlock, place: number) => boolean): void {
    this.#blocks = this.#blocks.flatMap((block) =>
      block.without((place) => gone(block, place)) ?? []
    );
    this.#remembered = this.#blocks.reduce((sum, { size }) => sum + size, 0);
  }
}

function news(told: (readonly LogEvent[])[], all: number): News {
  return { items: told.reverse().flat(), skipped: all - told.length };
}

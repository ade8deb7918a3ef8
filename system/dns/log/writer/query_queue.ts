import { RecordBlock } from "../segments/record_segment.ts";
import { BlockWriter } from "../segments/segment_writer.ts";
import type { QueryRecord } from "./sink.ts";

/** Queries on their way to the thread of the log: full blocks, and the one that is being written. */
export class WaitingQueries {
  readonly #writer = new BlockWriter(0);
  readonly #most: number;
  #full: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  /** `most`: bytes of full blocks that may wait. */
  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#writer.size === 0;
  }

  /** True when a block is full. */
  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Ids go on above this one. */
  goOn(last: number): void {
    this.#writer.goOn(last);
  }

  /** Takes a query in; false when there is no room any more. */
  add(query: QueryRecord): boolean {
    if (this.#writer.add(query)) return true;
    if (this.#bytes >= this.#most) return false;
    this.#close();
    return this.#writer.add(query);
  }

  /** Takes out what waits longest; null for nothing. */
  take(): Uint8Array<ArrayBuffer> | null {
    const block = this.#full.shift();
    if (block === undefined) return this.#writer.take();
    this.#bytes -= block.length;
    return block;
  }

  /** Leaves out the queries that are not to be kept. */
  drop(gone: (block: RecordBlock, place: number) => boolean): void {
    this.#close();
    this.#full = this.#full.flatMap((bytes) => {
      const block = RecordBlock.read(bytes)!;
      return block.without((place) => gone(block, place))?.bytes ?? [];
    });
    this.#bytes = this.#full.reduce((sum, { length }) => sum + length, 0);
  }

  #close(): void {
    const block = this.#writer.take();
    if (block === null) return;
    this.#full.push(block);
    this.#bytes += block.length;
  }
}

import { RecordSegment } from "../segments/record_segment.ts";
import { SegmentWriter } from "../segments/segment_writer.ts";
import type { QueryRecord } from "./sink.ts";

/** Queries on their way to the thread of the log: full segments, and the one being filled. */
export class QueryQueue {
  readonly #writer = new SegmentWriter(0);
  readonly #maxBytes: number;
  #full: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  /** `maxBytes`: size of full segments that may be queued. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#full.length === 0 && this.#writer.size === 0;
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  /** Continues with ids above this one. */
  continueAfter(last: number): void {
    this.#writer.continueAfter(last);
  }

  /** Adds a query; false when the queue is full. */
  add(query: QueryRecord): boolean {
    if (this.#writer.add(query)) return true;
    if (this.#bytes >= this.#maxBytes) return false;
    this.#close();
    return this.#writer.add(query);
  }

  /** Removes and returns the oldest segment; null for none. */
  take(): Uint8Array<ArrayBuffer> | null {
    const segment = this.#full.shift();
    if (segment === undefined) return this.#writer.take();
    this.#bytes -= segment.length;
    return segment;
  }

  /** Removes queries. */
  remove(matches: (segment: RecordSegment, index: number) => boolean): void {
    this.#close();
    this.#full = this.#full.flatMap((bytes) => {
      const segment = RecordSegment.read(bytes)!;
      return segment.without((index) => matches(segment, index))?.bytes ?? [];
    });
    this.#bytes = this.#full.reduce((sum, { length }) => sum + length, 0);
  }

  #close(): void {
    const segment = this.#writer.take();
    if (segment === null) return;
    this.#full.push(segment);
    this.#bytes += segment.length;
  }
}

import { RecordSegment } from "../segments/record_segment.ts";
import { canMerge, mergeSegments } from "../segments/segment_copy.ts";
import { IDS_PER_MS } from "../segments/format.ts";
import { deleteStatement, type SegmentTable } from "./segment_table.ts";

/** Size from which a segment counts as full: about six hundred queries. */
const FULL_SEGMENT_BYTES = 64 * 1024;
/** Partial segments that are merged at most. */
const MAX_PARTIAL_SEGMENTS = 256;
/** Ids of an hour: the most a segment spans, so that retention can delete whole segments. */
const MAX_ID_SPAN = 3_600_000 * IDS_PER_MS;

/** Result of writing pending queries. */
export interface FlushResult {
  readonly written: number;
  readonly lost: number;
  /** Why queries were lost; null for none. */
  readonly error: unknown;
}

/**
 * Writes queries to the table. At a high rate they fill whole segments; at a low rate partial
 * segments are written every moment, so that a crash loses little, and merged once they are full.
 */
export class SegmentCompactor {
  readonly #table: SegmentTable;
  readonly #stamp: () => number;
  #pending: RecordSegment[] = [];
  #pendingBytes = 0;
  /** Partial segments that the file already has. */
  #partial: RecordSegment[] = [];
  /** When the latest of them was written, in unix milliseconds. */
  #written = 0;

  private constructor(table: SegmentTable, stamp: () => number) {
    this.#table = table;
    this.#stamp = stamp;
  }

  /** Continues with the partial segments in the file. `stamp`: unix milliseconds of what is written. */
  static async open(table: SegmentTable, stamp: () => number): Promise<SegmentCompactor> {
    const compactor = new SegmentCompactor(table, stamp);
    for (const { id, segment, written } of await table.partialSegments()) {
      if (segment instanceof RecordSegment) compactor.#addPartial(segment, written);
      else await table.replace(id, null);
    }
    return compactor;
  }

  /** Number of queries that are not written yet. */
  get pending(): number {
    return this.#pending.reduce((sum, { size }) => sum + size, 0);
  }

  /** True when isFull queries are pending for a full segment. */
  get isFull(): boolean {
    return this.#pendingBytes >= FULL_SEGMENT_BYTES;
  }

  /** Adds queries for the next {@link flush}. */
  add(segment: RecordSegment): void {
    this.#pending.push(segment);
    this.#pendingBytes += segment.bytes.length;
  }

  /** Removes pending queries. */
  remove(matches: (segment: RecordSegment, index: number) => boolean): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    for (const segment of pending) {
      const left = segment.without((index) => matches(segment, index));
      if (left !== null) this.add(left);
    }
  }

  /** Drops pending queries and the partial segments of a file that is cleared. */
  clear(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#partial = [];
  }

  /** Writes pending queries; `bytes` is their size in the file. Never throws. */
  async flush(): Promise<FlushResult & { readonly bytes: number }> {
    const pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    let written = 0, lost = 0, bytes = 0, error: unknown = null;
    for (const segment of mergeWherePossible(pending)) {
      try {
        bytes += await this.#write(segment);
        written += segment.size;
      } catch (fault) {
        lost += segment.size;
        error = fault;
      }
    }
    return { written, lost, error, bytes };
  }

  /** Merges the partial segments into one. */
  async mergePartial(): Promise<void> {
    const partial = this.#partial;
    if (partial.length === 0) return;
    const segment = partial.length === 1
      ? partial[0]!
      : RecordSegment.read(mergeSegments(partial))!;
    await this.#table.write(segment, {
      isPartial: false,
      written: this.#written,
      deletions: partial.map((one) => deleteStatement(one.id(0))),
    });
    this.#partial = [];
  }

  async #write(segment: RecordSegment): Promise<number> {
    const first = this.#partial[0];
    if (first !== undefined) {
      const span = segment.last - first.id(0);
      if (span > MAX_ID_SPAN || !canMerge([...this.#partial, segment])) await this.mergePartial();
    }
    const parts = [...this.#partial, segment];
    const isFull = parts.length > MAX_PARTIAL_SEGMENTS ||
      parts.reduce((sum, { bytes }) => sum + bytes.length, 0) >= FULL_SEGMENT_BYTES;
    if (!isFull) {
      const written = this.#stamp();
      const bytes = await this.#table.write(segment, { isPartial: true, written });
      this.#addPartial(segment, written);
      return bytes;
    }
    const merged = parts.length === 1 ? segment : RecordSegment.read(mergeSegments(parts))!;
    const bytes = await this.#table.write(merged, {
      isPartial: false,
      written: this.#stamp(),
      deletions: this.#partial.map((one) => deleteStatement(one.id(0))),
    });
    this.#partial = [];
    return bytes;
  }

  #addPartial(segment: RecordSegment, written: number): void {
    this.#written = this.#partial.length === 0 ? written : Math.max(this.#written, written);
    this.#partial.push(segment);
  }
}

/** Merges small segments of one moment where they fit together. */
function mergeWherePossible(segments: readonly RecordSegment[]): readonly RecordSegment[] {
  const span = segments.length < 2 ? 0 : segments.at(-1)!.last - segments[0]!.id(0);
  if (segments.length < 2 || span > MAX_ID_SPAN || !canMerge(segments)) return segments;
  return [RecordSegment.read(mergeSegments(segments))!];
}

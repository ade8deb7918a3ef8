import { HEADER_OFFSETS, messageStart, RECORD_OFFSETS, writeHeader } from "./format.ts";

/** A segment to copy records from. */
export interface CopySource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly size: number;
  readonly texts: readonly string[];
  /** Offset of a record, and of the byte after it. */
  start(index: number): number;
  end(index: number): number;
}

/** Text numbers are u16. */
const MAX_TEXTS = 0xffff;

/** The bytes of a segment without some records and the texts that only they used; null when none is left. */
export function withoutRecords(
  segment: CopySource,
  isRemoved: (index: number) => boolean,
): Uint8Array<ArrayBuffer> | null {
  const copy = new SegmentCopy(segment.bytes.length);
  for (let index = 0; index < segment.size; index++) {
    if (!isRemoved(index)) copy.add(segment, index);
  }
  return copy.size === segment.size ? segment.bytes : copy.take();
}

/** The bytes of several segments as one. They must be in the order of their ids and {@link canMerge}. */
export function mergeSegments(segments: readonly CopySource[]): Uint8Array<ArrayBuffer> {
  const [only] = segments;
  if (segments.length === 1) return only!.bytes;
  const copy = new SegmentCopy(segments.reduce((sum, { bytes }) => sum + bytes.length, 0));
  for (const segment of segments) {
    for (let index = 0; index < segment.size; index++) copy.add(segment, index);
  }
  return copy.take()!;
}

/** True when the texts of these segments fit into one. */
export function canMerge(segments: readonly CopySource[]): boolean {
  return segments.reduce((sum, { texts }) => sum + texts.length, 0) <= MAX_TEXTS;
}

/** Copies records one by one with the texts that they use. */
class SegmentCopy {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView<ArrayBuffer>;
  readonly #texts: string[] = [];
  readonly #textNumbers = new Map<string, number>([["", 0]]);
  /** The segment that was copied from last, and the new numbers of its texts; -1 for none yet. */
  #source: CopySource | null = null;
  #numbers = new Int32Array(0);
  #used: number = HEADER_OFFSETS.bytes;
  #size = 0;
  #first = 0;
  #last = 0;

  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get size(): number {
    return this.#size;
  }

  add(segment: CopySource, index: number): void {
    if (segment !== this.#source) {
      this.#source = segment;
      this.#numbers = new Int32Array(segment.texts.length).fill(-1);
    }
    const view = this.#view;
    const start = segment.start(index), end = segment.end(index), at = this.#used;
    this.#bytes.set(segment.bytes.subarray(start, end), at);
    for (
      let field = at + RECORD_OFFSETS.client;
      field <= at + RECORD_OFFSETS.rebindAddress;
      field += 2
    ) {
      if (field !== at + RECORD_OFFSETS.clientPort) this.#renumber(field);
    }
    const answer = messageStart(view, at);
    for (let field = at + RECORD_OFFSETS.bytes; field < answer; field += 2) this.#renumber(field);
    this.#used = at + end - start;
    this.#last = view.getFloat64(at + RECORD_OFFSETS.id, true);
    if (this.#size++ === 0) this.#first = this.#last;
  }

  take(): Uint8Array<ArrayBuffer> | null {
    if (this.#size === 0) return null;
    const texts = textBytes(this.#texts);
    const segment = new Uint8Array(this.#used + texts.length);
    segment.set(this.#bytes.subarray(0, this.#used));
    segment.set(texts, this.#used);
    writeHeader(segment, {
      size: this.#size,
      texts: this.#used,
      first: this.#first,
      last: this.#last,
    });
    return segment;
  }

  /** Replaces the number of a text in its source by the number here. */
  #renumber(field: number): void {
    const before = this.#view.getUint16(field, true);
    let number = this.#numbers[before]!;
    if (number < 0) number = this.#numbers[before] = this.#textNumber(this.#source!.texts[before]!);
    this.#view.setUint16(field, number, true);
  }

  #textNumber(text: string): number {
    let index = this.#textNumbers.get(text);
    if (index === undefined) this.#textNumbers.set(text, index = this.#texts.push(text));
    return index;
  }
}

function textBytes(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const out = new Uint8Array(texts.reduce((sum, text) => sum + 2 + 3 * text.length, 0));
  let at = 0;
  for (const text of texts) {
    const { written } = encoder.encodeInto(text, out.subarray(at + 2));
    out[at] = written & 0xff;
    out[at + 1] = written >>> 8;
    at += 2 + written;
  }
  return out.slice(0, at);
}

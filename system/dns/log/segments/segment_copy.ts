import { HEAD, messageStart, RECORD, writeHead } from "./format.ts";

/** A segment to copy records from. */
export interface CopySource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly size: number;
  readonly texts: readonly string[];
  /** Offset of a record, and of the byte after it. */
  start(index: number): number;
  end(index: number): number;
}

/** Numbers of texts in one block, as far as a u16 reaches. */
const MOST_TEXTS = 0xffff;

/** A block's bytes without some of its records and without their texts; null when none is left. */
export function withoutRecords(
  block: CopySource,
  gone: (place: number) => boolean,
): Uint8Array<ArrayBuffer> | null {
  const copy = new BlockCopy(block.bytes.length);
  for (let place = 0; place < block.size; place++) {
    if (!gone(place)) copy.add(block, place);
  }
  return copy.size === block.size ? block.bytes : copy.take();
}

/** The bytes of blocks as one; they are in the order of their ids, and {@link mayMerge}. */
export function merged(blocks: readonly CopySource[]): Uint8Array<ArrayBuffer> {
  const [only] = blocks;
  if (blocks.length === 1) return only!.bytes;
  const copy = new BlockCopy(blocks.reduce((sum, { bytes }) => sum + bytes.length, 0));
  for (const block of blocks) {
    for (let place = 0; place < block.size; place++) copy.add(block, place);
  }
  return copy.take()!;
}

/** True when blocks can be {@link merged}. */
export function mayMerge(blocks: readonly CopySource[]): boolean {
  return blocks.reduce((sum, { texts }) => sum + texts.length, 0) <= MOST_TEXTS;
}

/** Copies records one by one, with the texts that they need. */
class BlockCopy {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView<ArrayBuffer>;
  readonly #texts: string[] = [];
  readonly #places = new Map<string, number>([["", 0]]);
  /** The block that was copied from last, and the numbers here of its texts; -1 for not yet. */
  #block: CopySource | null = null;
  #numbers = new Int32Array(0);
  #used: number = HEAD.bytes;
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

  add(block: CopySource, place: number): void {
    if (block !== this.#block) {
      this.#block = block;
      this.#numbers = new Int32Array(block.texts.length).fill(-1);
    }
    const view = this.#view;
    const start = block.start(place), end = block.end(place), at = this.#used;
    this.#bytes.set(block.bytes.subarray(start, end), at);
    for (let field = at + RECORD.client; field <= at + RECORD.rebound; field += 2) {
      if (field !== at + RECORD.clientPort) this.#renumber(field);
    }
    const answer = messageStart(view, at);
    for (let field = at + RECORD.bytes; field < answer; field += 2) this.#renumber(field);
    this.#used = at + end - start;
    this.#last = view.getFloat64(at + RECORD.id, true);
    if (this.#size++ === 0) this.#first = this.#last;
  }

  take(): Uint8Array<ArrayBuffer> | null {
    if (this.#size === 0) return null;
    const texts = textBytes(this.#texts);
    const block = new Uint8Array(this.#used + texts.length);
    block.set(this.#bytes.subarray(0, this.#used));
    block.set(texts, this.#used);
    writeHead(block, { size: this.#size, texts: this.#used, first: this.#first, last: this.#last });
    return block;
  }

  /** Puts the number that a text has here in the place of the one that it had in its block. */
  #renumber(field: number): void {
    const before = this.#view.getUint16(field, true);
    let number = this.#numbers[before]!;
    if (number < 0) number = this.#numbers[before] = this.#place(this.#block!.texts[before]!);
    this.#view.setUint16(field, number, true);
  }

  #place(text: string): number {
    let place = this.#places.get(text);
    if (place === undefined) this.#places.set(text, place = this.#texts.push(text));
    return place;
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

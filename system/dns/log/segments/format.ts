/**
 * How a block of the log lies in memory and on disk, little-endian:
 *
 * - header: {@link HEAD}
 * - records, one behind the other: {@link RECORD}, a u16 for the text of each category, and the answer
 *   without the id before it (RFC 1035 4.1.1), which means nothing any more and packs badly
 * - texts: a u16 of its length and the UTF-8 of each; text 0 is "" and not written, the first is 1
 */
export const HEAD = {
  /** u32: {@link FORMAT}. */
  format: 0,
  /** u32: records. */
  size: 4,
  /** u32: where the texts begin. */
  texts: 8,
  /** f64: ids of the first and of the last record. */
  first: 16,
  last: 24,
  bytes: 32,
} as const;

/** Says that the bytes are a block of this layout. */
export const FORMAT = 0x1b10c001;

/** Where the parts of a record lie; texts by their number. */
export const RECORD = {
  /** f64. */
  id: 0,
  /** f64: unix milliseconds. */
  at: 8,
  /** u32: hundredths of a millisecond until it was answered. */
  took: 16,
  client: 20,
  clientPort: 22,
  identity: 24,
  local: 26,
  by: 28,
  upstream: 30,
  rebound: 32,
  /** u8: place in `VERDICTS`. */
  verdict: 34,
  /** u8: how many categories follow. */
  categories: 35,
  /** u16: bytes of the answer that follow. */
  length: 36,
  bytes: 38,
} as const;

/** Bytes of an answer that are left out. */
export const MESSAGE_ID = 2;
/** Bytes of an answer that are kept: more than is told of any. */
export const MOST_MESSAGE = 16 * 1024;
/** Categories of one query that are kept. */
export const MOST_CATEGORIES = 16;
/** Characters of a text that are kept. */
export const MOST_TEXT = 2048;

/** Ids are the unix milliseconds of an entry times this, so that entries are in the order of time. */
export const PER_MILLISECOND = 1000;

/** How many records a block has. */
export function sizeOf(block: Uint8Array<ArrayBuffer>): number {
  return new DataView(block.buffer, block.byteOffset).getUint32(HEAD.size, true);
}

/** Where the record after the one at `start` begins. */
export function afterRecord(view: DataView, start: number): number {
  return messageStart(view, start) + view.getUint16(start + RECORD.length, true);
}

/** Where the answer of a record begins, without its id. */
export function messageStart(view: DataView, start: number): number {
  return start + RECORD.bytes + 2 * view.getUint8(start + RECORD.categories);
}

/** What the header of a block says. */
export interface Head {
  readonly size: number;
  /** Where the texts begin. */
  readonly texts: number;
  /** Ids. */
  readonly first: number;
  readonly last: number;
}

/** Writes the header of a block. */
export function writeHead(block: Uint8Array<ArrayBuffer>, head: Head): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  view.setUint32(HEAD.format, FORMAT, true);
  view.setUint32(HEAD.size, head.size, true);
  view.setUint32(HEAD.texts, head.texts, true);
  view.setFloat64(HEAD.first, head.first, true);
  view.setFloat64(HEAD.last, head.last, true);
}

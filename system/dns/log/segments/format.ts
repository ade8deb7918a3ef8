/**
 * Binary format of a segment, in memory and on disk, little-endian:
 *
 * - header: {@link HEADER_OFFSETS}
 * - records: {@link RECORD_OFFSETS}, a u16 text number for each category, and the response message
 *   without its id (RFC 1035 4.1.1), which is meaningless here and compresses badly
 * - text table: length as u16 and UTF-8 of each text; text 0 is "" and not stored
 */
export const HEADER_OFFSETS = {
  /** u32: {@link MAGIC}. */
  format: 0,
  /** u32: number of records. */
  size: 4,
  /** u32: offset of the text table. */
  texts: 8,
  /** f64: ids of the first and the last record. */
  first: 16,
  last: 24,
  bytes: 32,
} as const;

/** Identifies a segment and the version of its format. */
export const MAGIC = 0x1b10c001;

/** Offsets in a record; texts are stored by number. */
export const RECORD_OFFSETS = {
  /** f64. */
  id: 0,
  /** f64: unix milliseconds. */
  at: 8,
  /** u32: hundredths of a millisecond until the answer was sent. */
  duration: 16,
  client: 20,
  clientPort: 22,
  identity: 24,
  local: 26,
  by: 28,
  upstream: 30,
  rebindAddress: 32,
  /** u8: index in `VERDICTS`. */
  verdict: 34,
  /** u8: number of categories that follow. */
  categories: 35,
  /** u16: bytes of the response message that follow. */
  length: 36,
  bytes: 38,
} as const;

/** Bytes of the message id, which is not stored. */
export const MESSAGE_ID_BYTES = 2;
/** Bytes stored of a response: more than any reader needs. */
export const MAX_MESSAGE_BYTES = 16 * 1024;
/** Categories stored of one query. */
export const MAX_CATEGORIES = 16;
/** Characters stored of a text. */
export const MAX_TEXT_LENGTH = 2048;

/** An id is the unix time in milliseconds times this, so that ids follow time. */
export const IDS_PER_MS = 1000;

/** Number of records of a segment. */
export function recordCount(segment: Uint8Array<ArrayBuffer>): number {
  return new DataView(segment.buffer, segment.byteOffset).getUint32(HEADER_OFFSETS.size, true);
}

/** Offset after the record that begins at `start`. */
export function afterRecord(view: DataView, start: number): number {
  return messageStart(view, start) + view.getUint16(start + RECORD_OFFSETS.length, true);
}

/** Offset of the response message of a record. */
export function messageStart(view: DataView, start: number): number {
  return start + RECORD_OFFSETS.bytes + 2 * view.getUint8(start + RECORD_OFFSETS.categories);
}

/** Header of a segment. */
export interface SegmentHeader {
  readonly size: number;
  /** Offset of the text table. */
  readonly texts: number;
  /** Ids of the first and the last record. */
  readonly first: number;
  readonly last: number;
}

export function writeHeader(segment: Uint8Array<ArrayBuffer>, header: SegmentHeader): void {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.byteLength);
  view.setUint32(HEADER_OFFSETS.format, MAGIC, true);
  view.setUint32(HEADER_OFFSETS.size, header.size, true);
  view.setUint32(HEADER_OFFSETS.texts, header.texts, true);
  view.setFloat64(HEADER_OFFSETS.first, header.first, true);
  view.setFloat64(HEADER_OFFSETS.last, header.last, true);
}

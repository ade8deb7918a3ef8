import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { RecordSegment } from "./record_segment.ts";
import { JsonSegment } from "./json_segment.ts";
import type { Segment } from "./segment.ts";

/** Encodings of a stored segment, each compressed with zstd. */
const ENCODINGS = { records: 1, json: 2 } as const;
export type Encoding = (typeof ENCODINGS)[keyof typeof ENCODINGS];

/** Fastest level: it still compresses better than slower levels of other algorithms. */
const COMPRESS_OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 1 << 16 };
/** Maximum decompressed size; a segment that claims more is corrupt. */
const DECOMPRESS_OPTIONS = { maxOutputLength: 64 << 20, chunkSize: 1 << 19 };

/** A segment as the file stores it. */
export interface CompressedSegment {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function compressSegment(segment: Segment): CompressedSegment {
  return {
    encoding: segment instanceof RecordSegment ? ENCODINGS.records : ENCODINGS.json,
    bytes: new Uint8Array(zstdCompressSync(segment.bytes, COMPRESS_OPTIONS)),
  };
}

/** Reads what {@link compressSegment} wrote; null for corrupt bytes. */
export function decompressSegment({ encoding: form, bytes }: CompressedSegment): Segment | null {
  try {
    const { buffer, byteOffset, length } = zstdDecompressSync(bytes, DECOMPRESS_OPTIONS);
    const read = new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
    if (form === ENCODINGS.json) return JsonSegment.read(read);
    return form === ENCODINGS.records ? RecordSegment.read(read) : null;
  } catch {
    // A disk may lose bytes; the rest of the log stays usable.
    return null;
  }
}

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { RecordBlock } from "./record_segment.ts";
import { EntryList } from "./json_segment.ts";
import type { Entries } from "./segment.ts";

/** How entries lie in the file: as the block writer wrote them, or as JSON; both as zstd packs them. */
export const FORMS = { records: 1, json: 2 } as const;
export type Form = (typeof FORMS)[keyof typeof FORMS];

/** As little time as there can be: it packs better than what takes longer from other packers. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 1 << 16 };
/** Bytes that a block has at most before it is packed; one that claims more is broken. */
const LARGEST = { maxOutputLength: 64 << 20, chunkSize: 1 << 19 };

/** Entries as they lie in the file. */
export interface Packed {
  readonly form: Form;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Packs entries for the file. */
export function pack(entries: Entries): Packed {
  return {
    form: entries instanceof RecordBlock ? FORMS.records : FORMS.json,
    bytes: new Uint8Array(zstdCompressSync(entries.bytes, FASTEST)),
  };
}

/** Reads what {@link pack} wrote; null for what is broken. */
export function unpack({ form, bytes }: Packed): Entries | null {
  try {
    const { buffer, byteOffset, length } = zstdDecompressSync(bytes, LARGEST);
    const read = new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
    if (form === FORMS.json) return EntryList.read(read);
    return form === FORMS.records ? RecordBlock.read(read) : null;
  } catch {
    // A disk may lose bytes; the rest of the log is worth having.
    return null;
  }
}

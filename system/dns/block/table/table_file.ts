import { createAnew } from "../../../core/config/files.ts";
import { isFileError } from "../../../core/errors/disk_error.ts";
import { createHash } from "node:crypto";
import type { TableImage } from "./name_table.ts";

/** First bytes of the file; the last one is the version of the format. */
const MAGIC = "SLUICEB4";
/** Offset of the header, after {@link MAGIC} and its length as u32. */
const HEADER_START = 12;
const MAX_HEADER_BYTES = 64 << 20;
/** Size of the SHA-256 at the end: a corrupt key or name would block nothing. */
const DIGEST_BYTES = 32;

interface TableHeader {
  readonly key: readonly [number, number];
  readonly lists: readonly string[];
  readonly sets: readonly (readonly number[])[];
  readonly count: number;
  readonly blocked: number;
  readonly words: number;
}

/** Writes a table durably and atomically. */
export async function writeTable(path: string, image: TableImage): Promise<void> {
  const bytes = new Uint8Array(image.words.byteLength);
  // A copy, since shared memory can be neither hashed nor written.
  bytes.set(new Uint8Array(image.words.buffer, image.words.byteOffset, image.words.byteLength));
  const header: TableHeader = {
    key: image.key,
    lists: image.lists,
    sets: image.sets,
    count: image.count,
    blocked: image.blocked,
    words: image.words.length,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const prefix = new Uint8Array(HEADER_START);
  prefix.set(new TextEncoder().encode(MAGIC));
  new DataView(prefix.buffer).setUint32(MAGIC.length, text.length, true);
  const digest = createHash("sha256").update(prefix).update(text).update(bytes).digest();
  const temporary = `${path}.new`;
  {
    using file = await createAnew(temporary);
    for (const part of [prefix, text, bytes, digest]) {
      for (let done = 0; done < part.length;) done += await file.write(part.subarray(done));
    }
    await file.sync();
  }
  await Deno.rename(temporary, path);
}

/** Reads a table into shared memory; null when it is missing or corrupt. */
export async function readTable(path: string): Promise<TableImage | null> {
  try {
    return parseTable(await Deno.readFile(path));
  } catch (error) {
    // Whatever keeps it from being read, it is built again.
    if (isFileError(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseTable(bytes: Uint8Array): TableImage | null {
  if (bytes.length < HEADER_START + DIGEST_BYTES) return null;
  if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) return null;
  const end = bytes.length - DIGEST_BYTES;
  const digest = createHash("sha256").update(bytes.subarray(0, end)).digest();
  if (!digest.equals(bytes.subarray(end))) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
  if (length > MAX_HEADER_BYTES || HEADER_START + length > end) return null;
  const text = new TextDecoder().decode(bytes.subarray(HEADER_START, HEADER_START + length));
  const { key, lists, sets, count, blocked, words }: TableHeader = JSON.parse(text);
  const body = bytes.subarray(HEADER_START + length, end);
  if (body.length !== 4 * words) return null;
  const shared = new SharedArrayBuffer(body.length);
  new Uint8Array(shared).set(body);
  return { key, lists, sets, count, blocked, words: new Uint32Array(shared) };
}

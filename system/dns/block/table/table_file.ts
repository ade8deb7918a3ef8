import { createHash } from "node:crypto";
import type { TableImage } from "./name_table.ts";

/** First bytes of the file; the last one is the version of its form. */
const MAGIC = "SLUICEB3";
/** Length of the head, as a 32-bit number behind {@link MAGIC}. */
const HEAD_AT = 12;
const MOST_HEAD = 64 << 20;
/** Length of the SHA-256 of all that stands before it, at the end: a bent key or name would block nothing. */
const DIGEST = 32;

interface Head {
  readonly key: readonly [number, number];
  readonly lists: readonly string[];
  readonly sets: readonly (readonly number[])[];
  readonly count: number;
  readonly blocked: number;
  readonly words: number;
}

/** Writes a table durably, beside its place first. */
export async function writeTable(path: string, image: TableImage): Promise<void> {
  const bytes = new Uint8Array(image.words.byteLength);
  // A copy: shared memory can be neither hashed nor written.
  bytes.set(new Uint8Array(image.words.buffer, image.words.byteOffset, image.words.byteLength));
  const head: Head = {
    key: image.key,
    lists: image.lists,
    sets: image.sets,
    count: image.count,
    blocked: image.blocked,
    words: image.words.length,
  };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const front = new Uint8Array(HEAD_AT);
  front.set(new TextEncoder().encode(MAGIC));
  new DataView(front.buffer).setUint32(MAGIC.length, text.length, true);
  const digest = createHash("sha256").update(front).update(text).update(bytes).digest();
  const beside = `${path}.new`;
  {
    using file = await Deno.open(beside, {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    for (const part of [front, text, bytes, digest]) {
      for (let done = 0; done < part.length;) done += await file.write(part.subarray(done));
    }
    await file.sync();
  }
  await Deno.rename(beside, path);
}

/** Reads a table into memory that threads can share; null when there is none or it is not whole. */
export async function readTable(path: string): Promise<TableImage | null> {
  try {
    return tableIn(await Deno.readFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return null;
    throw error;
  }
}

function tableIn(bytes: Uint8Array): TableImage | null {
  if (bytes.length < HEAD_AT + DIGEST) return null;
  if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) return null;
  const end = bytes.length - DIGEST;
  const digest = createHash("sha256").update(bytes.subarray(0, end)).digest();
  if (!digest.equals(bytes.subarray(end))) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(MAGIC.length, true);
  if (length > MOST_HEAD || HEAD_AT + length > end) return null;
  const text = new TextDecoder().decode(bytes.subarray(HEAD_AT, HEAD_AT + length));
  const { key, lists, sets, count, blocked, words }: Head = JSON.parse(text);
  const body = bytes.subarray(HEAD_AT + length, end);
  if (body.length !== 4 * words) return null;
  const shared = new SharedArrayBuffer(body.length);
  new Uint8Array(shared).set(body);
  return { key, lists, sets, count, blocked, words: new Uint32Array(shared) };
}

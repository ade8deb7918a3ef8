import { Problem } from "../core/errors/problem.ts";
import { Turns } from "../core/time/slices.ts";

/** Maximum size of a compressed archive, and of its expanded form, in bytes. */
export const GZIP_LIMITS = { packed: 8 * 1024 * 1024, unpacked: 64 * 1024 * 1024 } as const;
/** Maximum expansion ratio; configurations shrink to a tenth. */
const MAX_RATIO = 200;
/** Below this size the ratio says nothing: an archive pads small files with zeros. */
const RATIO_FROM = 1024 * 1024;

/** Bytes that are compressed at a time, in some two milliseconds. */
const PLAIN_PART = 64 * 1024;
/** The same of an archive: gzip expands no byte to more than 1032, so that this gives at most 4 MB. */
const PACKED_PART = 4 * 1024;

/** Compresses bytes; others have their turn meanwhile. */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return await converted(bytes, new CompressionStream("gzip"), {
    part: PLAIN_PART,
    most: Infinity,
  });
}

/** Decompresses an archive within the limits; others have their turn meanwhile. Throws Problem 400, 413. */
export async function gunzip(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (packed.length > GZIP_LIMITS.packed) throw tooLarge();
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) {
    throw new Problem(400, "The archive is refused: it is not compressed by gzip (.tar.gz, .tgz)");
  }
  const most = Math.min(GZIP_LIMITS.unpacked, Math.max(RATIO_FROM, packed.length * MAX_RATIO));
  try {
    return await converted(packed, new DecompressionStream("gzip"), { part: PACKED_PART, most });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(400, "The archive is refused: it is broken or cut short", { cause: error });
  }
}

/** What a stream makes of bytes, of which it gets a part at a time. Throws Problem 413 above `most` bytes. */
async function converted(
  bytes: Uint8Array<ArrayBuffer>,
  { readable, writable }: CompressionStream | DecompressionStream,
  { part, most }: { readonly part: number; readonly most: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const turns = new Turns();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const write = async (): Promise<void> => {
    const writer = writable.getWriter();
    for (let from = 0; from < bytes.length; from += part) {
      await writer.write(bytes.subarray(from, from + part));
      await turns.pause();
    }
    await writer.close();
  };
  const read = async (): Promise<void> => {
    for await (const chunk of readable as ReadableStream<Uint8Array<ArrayBuffer>>) {
      size += chunk.length;
      if (size > most) throw tooLarge();
      chunks.push(chunk);
    }
  };
  // Where one fails, so does the other; only the reader knows why.
  const [reading, writing] = await Promise.allSettled([read(), write()]);
  for (const end of [reading, writing]) if (end.status === "rejected") throw end.reason;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    await turns.pause();
  }
  return whole;
}

function tooLarge(): Problem {
  const { packed, unpacked } = GZIP_LIMITS;
  return new Problem(
    413,
    `The archive is refused: it is larger than ${packed} bytes, or becomes larger than ` +
      `${unpacked} bytes or ${MAX_RATIO} times its size`,
  );
}

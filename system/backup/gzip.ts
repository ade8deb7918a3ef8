import { Problem } from "../core/errors/problem.ts";

/** Maximum size of a compressed archive, and of its expanded form, in bytes. */
export const GZIP_LIMITS = { packed: 8 * 1024 * 1024, unpacked: 64 * 1024 * 1024 } as const;
/** Maximum expansion ratio; configurations shrink to a tenth. */
const MAX_RATIO = 200;
/** Below this size the ratio says nothing: an archive pads small files with zeros. */
const RATIO_FROM = 1024 * 1024;

/** Compresses bytes. */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Decompresses an archive within the limits. Throws Problem 400, 413. */
export async function gunzip(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (packed.length > GZIP_LIMITS.packed) throw tooLarge();
  if (packed[0] !== 0x1f || packed[1] !== 0x8b) {
    throw new Problem(400, "The archive is refused: it is not compressed by gzip (.tar.gz, .tgz)");
  }
  const most = Math.min(GZIP_LIMITS.unpacked, Math.max(RATIO_FROM, packed.length * MAX_RATIO));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > most) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(400, "The archive is refused: it is broken or cut short", { cause: error });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function tooLarge(): Problem {
  const { packed, unpacked } = GZIP_LIMITS;
  return new Problem(
    413,
    `The archive is refused: it is larger than ${packed} bytes, or becomes larger than ` +
      `${unpacked} bytes or ${MAX_RATIO} times its size`,
  );
}

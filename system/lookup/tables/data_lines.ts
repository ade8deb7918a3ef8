import { DataError } from "./data_error.ts";

/** Largest data file, decompressed. */
const MAX_FILE_BYTES = 256 << 20;
const MAX_LINE_LENGTH = 4096;
/** First bytes of a gzip file (RFC 1952 2.3.1). */
const GZIP = [0x1f, 0x8b] as const;

/**
 * The lines of a data file, some at a time, compressed by gzip or not, without comments and empty lines. Throws
 * {@link DataError} for what is no text, such as a web page, and for a file that is cut off within a line.
 */
export async function* dataLines(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<readonly string[]> {
  let rest = "", size = 0, isFirst = true;
  for await (const part of textParts(content)) {
    size += part.length;
    if (size > MAX_FILE_BYTES) throw new DataError("The file is too large");
    if (part.includes("\0")) throw new DataError("The file is not a text file");
    const text = rest + part;
    if (isFirst && text.trimStart() !== "") {
      isFirst = false;
      if (/^\s*(<|\{|PK)/.test(text)) {
        throw new DataError(
          "The file is not a table of ranges; it looks like a web page or archive",
        );
      }
    }
    const lines: string[] = [];
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      const line = text.slice(at, end).trimEnd();
      at = end + 1;
      if (line.length > MAX_LINE_LENGTH) {
        throw new DataError("The file has a line that is too long");
      }
      if (line !== "" && !line.startsWith("#")) lines.push(line);
    }
    yield lines;
    rest = text.slice(at);
    if (rest.length > MAX_LINE_LENGTH) throw new DataError("The file has a line that is too long");
  }
  if (rest.trim() !== "") throw new DataError("The file ends within a line: it is cut off");
}

async function* textParts(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of await plainBytes(content)) {
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/** The content decompressed where it begins as a gzip file does. */
async function plainBytes(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<AsyncIterable<Uint8Array>> {
  const reader = content.getReader();
  const first = await reader.read();
  const whole = async function* (): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let next = first; !next.done; next = await reader.read()) yield next.value;
  };
  const isGzip = !first.done && GZIP.every((byte, at) => first.value[at] === byte);
  if (!isGzip) return whole();
  const plain = ReadableStream.from(whole()).pipeThrough(new DecompressionStream("gzip"));
  return gunzipped(plain);
}

async function* gunzipped(plain: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* plain;
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError("The file cannot be decompressed: it is damaged or cut off");
  }
}

import { createAnew } from "../../../core/config/files.ts";
import type { HttpResponse } from "../../../core/net/http_request.ts";
import { ListError } from "./list_error.ts";

/** Bytes at the beginning that the content type is detected from. */
const SNIFFED_BYTES = 512;

/** Options of {@link saveList}. */
export interface SaveOptions {
  readonly maxBytes: number;
  /** Called when data arrived. */
  readonly onProgress: () => void;
}

/**
 * Replaces the target file by a response, if that is complete and looks like a list. Returns its size in
 * bytes. Throws {@link ListError}, or the error of the connection.
 */
export async function saveList(
  response: HttpResponse,
  target: string,
  options: SaveOptions,
): Promise<number> {
  const problem = invalidResponse(response, options.maxBytes);
  if (problem !== null) throw new ListError(problem);
  const temporary = `${target}.part`;
  try {
    const bytes = await save(response.body, temporary, options);
    await Deno.rename(temporary, target);
    return bytes;
  } catch (error) {
    await Deno.remove(temporary).catch(() => {
      // It was not created.
    });
    throw error;
  }
}

function invalidResponse(response: HttpResponse, maxBytes: number): string | null {
  if (response.status !== 200) return `The server responded with status ${response.status}`;
  return Number(response.headers.get("content-length") ?? "0") > maxBytes
    ? tooLarge(maxBytes)
    : null;
}

function tooLarge(maxBytes: number): string {
  return `The file is larger than ${Math.round(maxBytes / 2 ** 20)} MiB`;
}

async function save(
  body: HttpResponse["body"],
  path: string,
  { maxBytes, onProgress }: SaveOptions,
): Promise<number> {
  using file = await createAnew(path);
  const head = new Uint8Array(SNIFFED_BYTES);
  let size = 0;
  for await (const chunk of body) {
    onProgress();
    if (size < SNIFFED_BYTES) head.set(chunk.subarray(0, SNIFFED_BYTES - size), size);
    size += chunk.length;
    if (size > maxBytes) throw new ListError(tooLarge(maxBytes));
    const problem = invalidContent(head.subarray(0, Math.min(size, SNIFFED_BYTES)), chunk);
    if (problem !== null) throw new ListError(problem);
    for (let done = 0; done < chunk.length;) done += await file.write(chunk.subarray(done));
  }
  if (size === 0) throw new ListError("The file is empty");
  // Its server says later that it is unchanged, also of one that a power cut left empty.
  await file.sync();
  return size;
}

/**
 * Why content is not a list; null when it may be one. The content type of the server says nothing:
 * many serve lists under a wrong one.
 */
export function invalidContent(head: Uint8Array, chunk: Uint8Array): string | null {
  if (chunk.includes(0)) return "The file is not text";
  // Gzip and bzip2: an archive need not contain a zero byte.
  if (head[0] === 0x1f || (head[0] === 0x42 && head[1] === 0x5a && head[2] === 0x68)) {
    return "The file is compressed; use a plain text file";
  }
  const text = new TextDecoder().decode(head).trimStart().toLowerCase();
  if (text.startsWith("<")) {
    return "The file is a web page, not a list";
  }
  if (/^(gif8|\ufffdpng|\ufffd\ufffd\ufffd)/.test(text)) return "The file is an image, not a list";
  if (text.startsWith("%pdf") || text.startsWith("pk\u0003\u0004")) {
    return "The file is not text";
  }
  return null;
}

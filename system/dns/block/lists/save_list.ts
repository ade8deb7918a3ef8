import type { HttpAnswer } from "./http_get.ts";
import { ListFault } from "./list_error.ts";

/** Bytes at the beginning that show what a source sent. */
const HEAD = 512;

/** How a list is saved. */
export interface SaveOptions {
  /** Bytes at most. */
  readonly most: number;
  /** Says that something came. */
  readonly alive: () => void;
}

/**
 * Saves what a source answers in the place of what was there before, when it looks like a list and came
 * whole. Answers its size in bytes. Throws {@link ListFault}, or what broke it off.
 */
export async function saveList(
  answer: HttpAnswer,
  target: string,
  options: SaveOptions,
): Promise<number> {
  const fault = faultOf(answer, options.most);
  if (fault !== null) throw new ListFault(fault);
  const beside = `${target}.part`;
  try {
    const bytes = await save(answer.body, beside, options);
    await Deno.rename(beside, target);
    return bytes;
  } catch (error) {
    await Deno.remove(beside).catch(() => {
      // It could not even be made.
    });
    throw error;
  }
}

function faultOf(answer: HttpAnswer, most: number): string | null {
  if (answer.status !== 200) return `It answers ${answer.status} instead of a list`;
  const type = (answer.headers.get("content-type") ?? "").toLowerCase();
  if (/^(text\/html|application\/xhtml)/.test(type)) return "It sends a web page instead of a list";
  if (/^(image|audio|video|font)\//.test(type)) return `It sends ${type} instead of a list`;
  return Number(answer.headers.get("content-length") ?? "0") > most ? tooLarge(most) : null;
}

function tooLarge(most: number): string {
  return `It sends more than ${Math.round(most / 2 ** 20)} MiB`;
}

async function save(
  body: HttpAnswer["body"],
  path: string,
  { most, alive }: SaveOptions,
): Promise<number> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  const head = new Uint8Array(HEAD);
  let size = 0;
  for await (const chunk of body) {
    alive();
    if (size < HEAD) head.set(chunk.subarray(0, HEAD - size), size);
    size += chunk.length;
    if (size > most) throw new ListFault(tooLarge(most));
    const fault = contentFault(head.subarray(0, Math.min(size, HEAD)), chunk);
    if (fault !== null) throw new ListFault(fault);
    for (let done = 0; done < chunk.length;) done += await file.write(chunk.subarray(done));
  }
  if (size === 0) throw new ListFault("It sent nothing");
  return size;
}

/** What shows that bytes are no list; null when nothing does. */
export function contentFault(head: Uint8Array, chunk: Uint8Array): string | null {
  if (chunk.includes(0)) return "It sends something other than text";
  // Gzip, bzip2, xz, Zip: an archive has no zero byte for certain.
  if (head[0] === 0x1f || (head[0] === 0x42 && head[1] === 0x5a && head[2] === 0x68)) {
    return "It sends a packed file; name one that is plain text";
  }
  const text = new TextDecoder().decode(head).trimStart().toLowerCase();
  if (/^(<!doctype|<html|<\?xml|<head|<body)/.test(text)) {
    return "It sends a web page instead of a list";
  }
  if (text.startsWith("%pdf") || text.startsWith("pk\u0003\u0004")) {
    return "It sends something other than text";
  }
  return null;
}

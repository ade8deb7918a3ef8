import { Problem } from "../../../core/errors/problem.ts";
import { contentFault } from "./save_list.ts";
import type { ListFiles } from "./list_files.ts";
import { parseLine } from "./parse_list.ts";

/** Bytes of an uploaded list at most, as a JSON request carries it. */
export const MOST_UPLOAD = 32 << 20;
/** Lines that are looked at for a first name. */
const LOOKED_AT = 10_000;

/** Throws Problem 400 for a text that is no list of names. */
export function checkUpload(text: string): void {
  const head = new TextEncoder().encode(text.slice(0, 512));
  const fault = contentFault(head, head);
  if (fault !== null || text.includes("\0")) {
    throw new Problem(400, "This is no list of domain names but something else");
  }
  let at = 0;
  for (let line = 0; line < LOOKED_AT && at < text.length; line++) {
    const end = text.indexOf("\n", at);
    if (parseLine(text.slice(at, end < 0 ? text.length : end)).names.length > 0) return;
    if (end < 0) break;
    at = end + 1;
  }
  throw new Problem(400, "It holds no domain names, so it is not taken");
}

/** An upload that waits beside its place. */
export interface StagedUpload {
  /** Puts it in its place. */
  place(): Promise<void>;
  /** Removes it unless it was placed. */
  discard(): Promise<void>;
}

/** Writes an upload beside its place, where the resolver may read it. */
export async function stageUpload(
  files: ListFiles,
  uri: string,
  text: string,
): Promise<StagedUpload> {
  const path = files.upload(uri);
  const beside = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  await Deno.mkdir(files.folder, { recursive: true });
  try {
    await Deno.writeTextFile(beside, text, { mode: 0o640 });
    using file = await Deno.open(beside, { write: true });
    await file.sync();
  } catch (error) {
    await Deno.remove(beside).catch(() => {
      // It could not even be made.
    });
    throw error;
  }
  let placed = false;
  return {
    async place() {
      await Deno.rename(beside, path);
      placed = true;
    },
    async discard() {
      if (!placed) await Deno.remove(beside);
    },
  };
}

import { encodedParts } from "../../../core/data/encoded_parts.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { letOthers } from "../../../core/time/slices.ts";
import { invalidContent } from "./save_list.ts";
import type { ListFiles } from "./list_files.ts";
import { parseLine } from "./parse_list.ts";

/** Maximum size of an uploaded list, as JSON. */
export const MAX_UPLOAD_BYTES = 32 << 20;
/** Lines that are searched for a first domain. */
const MAX_SCANNED_LINES = 10_000;

/** Throws Problem 400 for a text that is not a list of domains. */
export function checkUpload(text: string): void {
  const head = new TextEncoder().encode(text.slice(0, 512));
  if (invalidContent(head, head) !== null || text.includes("\0")) {
    throw new Problem(400, "The file is not a list of domain names");
  }
  let at = 0;
  for (let line = 0; line < MAX_SCANNED_LINES && at < text.length; line++) {
    const end = text.indexOf("\n", at);
    if (parseLine(text.slice(at, end < 0 ? text.length : end)).domains.length > 0) return;
    if (end < 0) break;
    at = end + 1;
  }
  throw new Problem(400, "The list has no domain names");
}

/** An upload in a temporary file. */
export interface StagedUpload {
  /** Moves it to its final path. */
  commit(): Promise<void>;
  /** Removes it unless it was isCommitted. */
  discard(): Promise<void>;
}

/** Writes an upload to a temporary file that the resolver may read. */
export async function stageUpload(
  files: ListFiles,
  uri: string,
  text: string,
): Promise<StagedUpload> {
  const path = files.upload(uri);
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  await Deno.mkdir(files.folder, { recursive: true });
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode: 0o640 });
    for (const bytes of encodedParts(text)) {
      for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
      // Writing to a file may wait for nothing.
      await letOthers();
    }
    await file.sync();
  } catch (error) {
    await Deno.remove(temporary).catch(() => {
      // It was not created.
    });
    throw error;
  }
  let isCommitted = false;
  return {
    async commit() {
      await Deno.rename(temporary, path);
      isCommitted = true;
    },
    async discard() {
      if (!isCommitted) await Deno.remove(temporary);
    },
  };
}

import type { FetchOptions, FetchResult } from "./fetch_list.ts";
import { removeFiles } from "./list_disk.ts";
import { readLines } from "./line_reader.ts";
import { ListError } from "./list_error.ts";
import { parseLine } from "./parse_list.ts";

/** Milliseconds that a trial may take: a person waits for it. */
const TRIAL_TIMEOUT_MS = 45_000;
/** Lines that are searched for a first domain. */
const MAX_SCANNED_LINES = 10_000;

/**
 * Fetches a list that is not configured yet into a temporary file and removes it again. Returns its size
 * in bytes. Throws {@link ListError} where it cannot be fetched or has no domain.
 */
export async function tryList(
  { uri, target, signal }: Omit<FetchOptions, "known">,
  fetch: (options: FetchOptions) => Promise<FetchResult>,
): Promise<{ readonly bytes: number }> {
  const timeout = AbortSignal.timeout(TRIAL_TIMEOUT_MS);
  try {
    const result = await fetch({
      uri,
      target,
      known: null,
      signal: AbortSignal.any([signal, timeout]),
    });
    if (!await hasDomain(target)) throw new ListError("The file has no domain names");
    return { bytes: result.changed ? result.bytes : 0 };
  } catch (error) {
    throw timeout.aborted ? new ListError("The download took too long", error) : error;
  } finally {
    await removeFiles([target]);
  }
}

async function hasDomain(path: string): Promise<boolean> {
  let scanned = 0;
  for await (const lines of readLines(path)) {
    for (const line of lines) {
      if (parseLine(line).domains.length > 0) return true;
      if (++scanned >= MAX_SCANNED_LINES) return false;
    }
  }
  return false;
}

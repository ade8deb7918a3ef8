import * as z from "zod";
import { SkipReasons } from "./skipped_lines.ts";
import { writeDurably } from "../../../core/config/files.ts";
import { MIN_REFRESH_S } from "../schema.ts";

/** Default seconds between checks of a list: a week. */
const DEFAULT_REFRESH_S = 7 * 86_400;
/** Milliseconds before a failed fetch is retried, when an earlier version is active. */
const RETRY_DELAY_MS = 5 * 60_000;
/** The same for a list that was never fetched, for example before the first uplink is up. */
const FIRST_RETRY_DELAY_MS = 30_000, MAX_FIRST_RETRY_DELAY_MS = 3600_000;

/** Saved state of a list. */
export const ListRecord = z.object({
  uri: z.string(),
  etag: z.string().default(""),
  modified: z.string().default(""),
  /** Unix milliseconds; 0 never. */
  fetched: z.int().default(0),
  checked: z.int().default(0),
  bytes: z.int().default(0),
  domains: z.int().default(0),
  exceptions: z.int().default(0),
  skipped: z.int().default(0),
  lines: z.int().default(0),
  reasons: SkipReasons.prefault({}),
  error: z.string().default(""),
  /** Failures in a row. */
  failures: z.int().default(0),
  /** New content is not in the table yet. */
  unbuilt: z.boolean().default(false),
  /** Fingerprint of the upload; "" for none. */
  fingerprint: z.string().default(""),
  /** Unix milliseconds at which the list was removed from the configuration; 0 while it is in it. */
  removedAt: z.int().default(0),
});
export type ListRecord = z.output<typeof ListRecord>;

/** The record of a new list. */
export function newRecord(uri: string): ListRecord {
  return ListRecord.parse({ uri });
}

/** The record of a list whose files are lost, so that it is fetched again at once. */
export function withoutContent(record: ListRecord): ListRecord {
  return {
    ...record,
    ...{ etag: "", modified: "", fetched: 0, checked: 0, fingerprint: "", unbuilt: false },
  };
}

/** Unix milliseconds of the next check of a list. `refresh`: configured seconds; 0 is the default. */
export function nextCheck(record: ListRecord, refresh: number, now: number): number {
  const { checked, failures, fetched } = record;
  if (checked === 0) return now;
  const interval = 1000 * Math.max(MIN_REFRESH_S, refresh === 0 ? DEFAULT_REFRESH_S : refresh);
  // The clock was wrong then or is wrong now.
  if (checked > now + interval) return now;
  if (failures === 0) return checked + interval;
  // Each failure doubles the wait.
  const times = 2 ** Math.min(failures - 1, 20);
  return checked +
    (fetched === 0
      ? Math.min(FIRST_RETRY_DELAY_MS * times, MAX_FIRST_RETRY_DELAY_MS)
      : Math.min(RETRY_DELAY_MS * times, interval));
}

/** Reads the saved records; none when the file is missing or invalid. */
export async function readRecords(path: string): Promise<ListRecord[]> {
  try {
    return z.array(ListRecord).parse(JSON.parse(await Deno.readTextFile(path)));
  } catch {
    return [];
  }
}

/** Saves the records durably. */
export async function writeRecords(path: string, records: readonly ListRecord[]): Promise<void> {
  await writeDurably(path, `${JSON.stringify(records)}\n`, "new");
}

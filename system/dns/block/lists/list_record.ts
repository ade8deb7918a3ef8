import { z } from "zod";
import { writeDurably } from "../../../core/config/files.ts";

/** Seconds between looks at a list where nobody said otherwise: a week. */
const USUAL = 7 * 86_400;
/** Seconds between looks at least, so that nobody's server is pestered. */
const LEAST = 3600;
/** Milliseconds before a failed fetch is tried again, where names of an earlier one are in force. */
const RETRY = 5 * 60_000;
/** The same for a list that was never had, as before the first uplink is there; and its longest. */
const FIRST_RETRY = 30_000, LONGEST_RETRY = 3600_000;

/** What is remembered of a list. */
export const ListRecord = z.object({
  uri: z.string(),
  etag: z.string().default(""),
  modified: z.string().default(""),
  /** Unix milliseconds; 0 never. */
  fetched: z.int().default(0),
  checked: z.int().default(0),
  bytes: z.int().default(0),
  names: z.int().default(0),
  exceptions: z.int().default(0),
  skipped: z.int().default(0),
  error: z.string().default(""),
  /** Tries that failed since one did not. */
  failures: z.int().default(0),
  /** Content came that no table was built of yet. */
  pending: z.boolean().default(false),
  /** Tells one upload from another; "" for none. */
  stamp: z.string().default(""),
  /** Unix milliseconds since when no list of the configuration has this address; 0 while one has. */
  gone: z.int().default(0),
});
export type ListRecord = z.output<typeof ListRecord>;

/** A record of a list of which nothing is known. */
export function newRecord(uri: string): ListRecord {
  return ListRecord.parse({ uri });
}

/** The record of a list of which all content is lost: it must come whole again, and soon. */
export function lostRecord(record: ListRecord): ListRecord {
  return {
    ...record,
    ...{ etag: "", modified: "", fetched: 0, checked: 0, stamp: "", pending: false },
  };
}

/** Unix milliseconds of the next look at a list. `refresh`: seconds as people set them; 0 is the usual. */
export function nextLook(record: ListRecord, refresh: number, now: number): number {
  const { checked, failures, fetched } = record;
  if (checked === 0) return now;
  const usual = 1000 * Math.max(LEAST, refresh === 0 ? USUAL : refresh);
  // The clock was wrong then, or is now.
  if (checked > now + usual) return now;
  if (failures === 0) return checked + usual;
  // Each failure doubles the wait.
  const times = 2 ** Math.min(failures - 1, 20);
  return checked +
    (fetched === 0 ? Math.min(FIRST_RETRY * times, LONGEST_RETRY) : Math.min(RETRY * times, usual));
}

/** Reads what was remembered; a file that is none counts as nothing. */
export async function readRecords(path: string): Promise<ListRecord[]> {
  try {
    return z.array(ListRecord).parse(JSON.parse(await Deno.readTextFile(path)));
  } catch {
    return [];
  }
}

/** Writes what is remembered, durably. */
export async function writeRecords(path: string, records: readonly ListRecord[]): Promise<void> {
  await writeDurably(path, `${JSON.stringify(records)}\n`, "new");
}

import * as z from "zod";

const Count = z.int().min(0).default(0);

/** How many lines, and words of hosts files, are not used, by reason. */
export const SkipReasons = z.object({
  /** Rules that hide a part of a page (`example.com##.ad`). */
  cosmetic: Count,
  /** Rules that depend on the page or the kind of request (`||ads.example^$script`). */
  option: Count,
  /** Rules for a part of a site (`||example.com/ads/`). */
  path: Count,
  /** Rules with a wildcard in the name (`||ad*.example^`). */
  wildcard: Count,
  /** Regular expressions and other kinds of rules. */
  pattern: Count,
  /** What is not the name of a domain. */
  name: Count,
}).meta({ id: "SkipReasons" });
export type SkipReasons = z.output<typeof SkipReasons>;

/** What of a list is not used. */
export interface SkippedLines {
  /** All lines that are no comment; in a line of a hosts file each word counts. */
  readonly lines: number;
  readonly reasons: SkipReasons;
}

export const NOTHING_SKIPPED: SkippedLines = { lines: 0, reasons: SkipReasons.parse({}) };

/** Number of lines that are not used. */
export function totalOf(reasons: SkipReasons): number {
  return Object.values(reasons).reduce((sum, count) => sum + count, 0);
}

import { z } from "zod";

/** A change in a list, newest first. Times are unix milliseconds. */
export const ChangeSummary = z.object({
  id: z.string(),
  at: z.number(),
  /** `admin`, `token:<name>`, `file`, `timer`, `dhcp`, … */
  by: z.string(),
  from: z.string().nullable(),
  kind: z.string(),
  summary: z.string(),
  state: z.enum(["pending", "committed", "written", "failed", "broken"]),
  undoes: z.string().nullable(),
  undoneBy: z.string().nullable(),
});

/** One changed value; absent `before`: added, absent `after`: removed. Secrets read `(hidden)`. */
export const PatchEntry = z.object({
  document: z.string(),
  path: z.array(z.string()),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  index: z.number().optional(),
});

/** A change in full. */
export const ChangeDetail = ChangeSummary.extend({
  patch: z.array(PatchEntry),
  /** What changed in the kernel, in nft and ip words. */
  system: z.array(z.string()),
});

export const ChangeList = z.object({ items: z.array(ChangeSummary), next: z.string().nullable() });

/** The open confirm window; null when none is open. `until` is unix milliseconds. */
export const WindowState = z.object({
  window: z.object({
    id: z.string(),
    until: z.number(),
    secondsLeft: z.number(),
    summary: z.string(),
  }).nullable(),
});

export const ChangeId = z.object({ id: z.string().min(1).max(64) });

/** What of the history is asked for: `after` is the last id of the page before. */
export const ChangeQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  after: z.string().min(1).max(64).optional(),
});

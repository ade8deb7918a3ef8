import { z } from "zod";

/** A difference between the kernel and what was decided, in nft and ip words. */
export const Drift = z.object({
  what: z.string(),
  /** Null where nothing should be. */
  expected: z.string().nullable(),
  /** Null where nothing is. */
  found: z.string().nullable(),
  /** Put right at once, without asking. */
  urgent: z.boolean(),
});

/** A chain of someone else's that can drop, accept or translate our traffic. */
export const ForeignChain = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  type: z.string(),
  hook: z.string(),
  priority: z.string(),
  policy: z.string(),
  rules: z.number(),
});

/** How far the kernel follows the configuration. */
export const NetworkStatus = z.object({
  state: z.enum(["applied", "model", "blocked", "broken", "released"]),
  detail: z.string().nullable(),
  drift: z.array(Drift),
  /** Differences beyond those listed. */
  more: z.number(),
  foreign: z.array(ForeignChain),
});
export type NetworkStatus = z.output<typeof NetworkStatus>;

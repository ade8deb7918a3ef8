import * as z from "zod";

/** A difference between the kernel and the configuration, in nft and ip syntax. */
const Drift = z.object({
  what: z.string(),
  /** Null where nothing is expected. */
  expected: z.string().nullable(),
  /** Null where nothing was found. */
  found: z.string().nullable(),
  /** Repaired at once. */
  urgent: z.boolean(),
}).meta({ id: "Drift" });

/** A chain of other software that can drop, accept or translate our traffic. */
const ForeignChain = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  type: z.string(),
  hook: z.string(),
  priority: z.string(),
  policy: z.string(),
  rules: z.number(),
}).meta({ id: "ForeignChain" });

/** Whether the kernel matches the configuration. */
export const NetworkStatus = z.object({
  state: z.enum(["applied", "model", "blocked", "broken", "released"]),
  detail: z.string().nullable(),
  drift: z.array(Drift),
  /** Differences beyond those listed. */
  more: z.number(),
  foreign: z.array(ForeignChain),
}).meta({ id: "NetworkStatus" });
export type NetworkStatus = z.output<typeof NetworkStatus>;

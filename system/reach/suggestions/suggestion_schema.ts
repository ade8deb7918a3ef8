import * as z from "zod";

/** A change that reverses the answer, verified on the whole configuration before it is suggested. */
export const ReachSuggestion = z.object({
  /** What it does, for people. */
  summary: z.string(),
  method: z.enum(["PUT", "DELETE"]),
  /** With its query; `?dryRun=true` is yet to be added for a preview. */
  path: z.string(),
  body: z.unknown(),
  /** What it changes beside: `nothing else`, or such as `opens 6 more ways, closes 1`. */
  sideEffects: z.string(),
  /** Answers that it turns in all, this one among them; the narrowest comes first. */
  allows: z.number(),
  denies: z.number(),
  /** The address that the question is then to be put to, where it is another: that of a forward. */
  to: z.string().optional(),
}).meta({ id: "ReachSuggestion" });
export type ReachSuggestion = z.output<typeof ReachSuggestion>;

import * as z from "zod";

/** Something that keeps names from being resolved and needs a person. */
export const HealthIssue = z.object({
  /** An address of the router, or a group of resolvers. */
  subject: z.string().max(64),
  /** A sentence for the notice. */
  detail: z.string().max(300),
});
export type HealthIssue = z.output<typeof HealthIssue>;

/** All current health issues. */
export const HealthIssueReport = z.object({ items: z.array(HealthIssue).max(64) });
export type HealthIssueReport = z.output<typeof HealthIssueReport>;

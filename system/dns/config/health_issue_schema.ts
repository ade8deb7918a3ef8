import { z } from "zod";

/** Something that keeps names from being answered, which only a person can change. */
export const Hindrance = z.object({
  /** What it is of: an address of the router, or a group of resolvers. */
  subject: z.string().max(64),
  /** A sentence for people. */
  detail: z.string().max(300),
});
export type Hindrance = z.output<typeof Hindrance>;

/** All that hinders now. */
export const HindranceReport = z.object({ items: z.array(Hindrance).max(64) });
export type HindranceReport = z.output<typeof HindranceReport>;

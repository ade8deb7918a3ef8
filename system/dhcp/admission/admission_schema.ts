import { z } from "zod";
import { InterfaceName } from "../../core/net/grammar.ts";

/** Minutes for which a link may be open to newcomers: an hour unless told, a day at most. */
export const OPEN_MINUTES = { usual: 60, most: 24 * 60 } as const;

/** Links that may be open at the same time. */
export const MOST_OPEN = 64;

/** A link on which the number of unknown devices within an hour is not bound for a while. */
export const Admission = z.object({
  Link: InterfaceName,
  /** Unix seconds. */
  Until: z.int().positive(),
});
export type Admission = z.output<typeof Admission>;

/** The links that were opened. */
export const Admissions = z.object({ Open: z.array(Admission).max(MOST_OPEN) });
export type Admissions = z.output<typeof Admissions>;

/** A link is to be opened, or with no minutes to be closed again. */
export const AdmissionRequest = z.object({
  Link: InterfaceName,
  Minutes: z.int()
    .min(0, { error: "Write a number of minutes, or 0 to end it" })
    .max(OPEN_MINUTES.most, { error: `Open a link for ${OPEN_MINUTES.most} minutes at most` })
    .default(OPEN_MINUTES.usual),
});
export type AdmissionRequest = z.output<typeof AdmissionRequest>;

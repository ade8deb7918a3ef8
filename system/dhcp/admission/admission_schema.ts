import * as z from "zod";
import { InterfaceName } from "../../core/net/grammar.ts";

/** Minutes for which an interface may admit unknown devices without limit. */
export const ADMISSION_MINUTES = { default: 60, max: 24 * 60 } as const;

/** Interfaces that may admit unknown devices without limit at the same time. */
export const MAX_ADMISSIONS = 64;

/** An interface without an hourly limit on unknown devices for a while. */
export const Admission = z.object({
  Interface: InterfaceName,
  /** Unix seconds. */
  Until: z.int().positive(),
}).meta({ id: "Admission" });
export type Admission = z.output<typeof Admission>;

/** All admissions. */
export const Admissions = z.object({ Open: z.array(Admission).max(MAX_ADMISSIONS) }).meta({
  id: "Admissions",
});
export type Admissions = z.output<typeof Admissions>;

/** A request to admit unknown devices; 0 minutes ends it. */
export const AdmissionRequest = z.object({
  Interface: InterfaceName,
  Minutes: z.int()
    .min(0, { error: "Use a number of minutes, or 0 to end it" })
    .max(ADMISSION_MINUTES.max, { error: `Use at most ${ADMISSION_MINUTES.max} minutes` })
    .default(ADMISSION_MINUTES.default),
}).meta({ id: "AdmissionRequest" });
export type AdmissionRequest = z.output<typeof AdmissionRequest>;

import { z } from "zod";

const Validity = {
  /** Unix milliseconds. */
  from: z.number(),
  to: z.number(),
};

/** Whether TLS is on, and with what. */
export const CertificateStatus = z.object({
  on: z.boolean(),
  /** What is served; null when nothing is. */
  certificate: z.object({
    ...Validity,
    dns: z.array(z.string()).readonly(),
    ip: z.array(z.string()).readonly(),
    /** Made by the router's own authority. */
    own: z.boolean(),
  }).nullable(),
  /** The router's own authority; null until TLS was turned on once. */
  authority: z.object({ ...Validity, fingerprint: z.string() }).nullable(),
}).meta({ id: "CertificateStatus" });
export type CertificateStatus = z.output<typeof CertificateStatus>;

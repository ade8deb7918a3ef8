import * as z from "zod";

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
    /** Issued by the router's local CA. */
    own: z.boolean(),
  }).nullable(),
  /** The router's local CA; null until HTTPS was enabled once. */
  authority: z.object({ ...Validity, fingerprint: z.string() }).nullable(),
}).meta({ id: "CertificateStatus" });
export type CertificateStatus = z.output<typeof CertificateStatus>;

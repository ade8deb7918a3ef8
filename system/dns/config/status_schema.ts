import { z } from "zod";

const Count = z.int().min(0);

/** A resolver outside and how it does. */
export const UpstreamStatus = z.object({
  address: z.string(),
  /** Name in its certificate; null: it is asked without TLS. */
  tlsHost: z.string().nullable(),
  /** `unknown`: not asked yet. */
  state: z.enum(["unknown", "up", "down"]),
  /** Milliseconds until it answers, smoothed; null before its first answer. */
  latency: z.number().nullable(),
  connections: Count,
  asked: Count,
  failed: Count,
  /** Failures since its last answer. */
  failures: Count,
  /** Why it failed last; null when it never did. */
  lastError: z.string().nullable(),
}).meta({ id: "UpstreamStatus" });

/** How the resolver does, since its start. */
export const DnsStatus = z.object({
  /** Unix milliseconds. */
  started: z.int(),
  /** False while it works from what it was told before the api went away. */
  apiHeard: z.boolean(),
  /** The router's addresses on which it answers. */
  listening: z.array(z.string()),
  /** Why it does not answer on an address, by address. */
  faults: z.record(z.string(), z.string()),
  /**
   * Resolvers outside: `default`, `family`, `provider` for those of the leases of uplinks where they may
   * be asked, and those of devices with one of their own.
   */
  upstreams: z.array(z.object({
    name: z.string(),
    resolvers: z.array(UpstreamStatus),
    /**
     * True while none of them is believed because the dates of a certificate do not fit the router's
     * clock: until they do, the addresses of time servers alone are asked for, in the open.
     */
    doubtsClock: z.boolean(),
  })),
  cache: z.object({ entries: Count, bytes: Count }),
  /** Questions that are being asked outside now. */
  pending: Count,
  /** TCP connections of clients. */
  connections: Count,
  /** Numbers of questions by what became of them. */
  counters: z.record(z.string(), Count),
  /** Queries that the log could not take. */
  unlogged: Count,
}).meta({ id: "DnsStatus" });
export type DnsStatus = z.output<typeof DnsStatus>;

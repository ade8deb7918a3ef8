import * as z from "zod";

const Count = z.int().min(0);

/** An upstream resolver and its health. */
const UpstreamStatus = z.object({
  address: z.string(),
  /** Name in its certificate; null: it is queried without TLS. */
  tlsHost: z.string().nullable(),
  /** `unknown`: not used yet. */
  state: z.enum(["unknown", "up", "down"]),
  /** Milliseconds until it responds, smoothed; null before its first response. */
  latency: z.number().nullable(),
  connections: Count,
  queries: Count,
  failed: Count,
  /** Failures since its last response. */
  consecutiveFailures: Count,
  /** The last error; null when there was none. */
  lastError: z.string().nullable(),
}).meta({ id: "UpstreamStatus" });

/** The status of dnsd; counts begin with its start. */
export const DnsStatus = z.object({
  /** Unix milliseconds. */
  started: z.int(),
  /** False while it works from its last snapshot because the api is away. */
  apiConnected: z.boolean(),
  /** The router's addresses that it listens on. */
  listening: z.array(z.string()),
  /** Why it does not listen on an address, by address. */
  listenErrors: z.record(z.string(), z.string()),
  /**
   * Groups of upstream resolvers: `default`, `family`, `provider` for ISP resolvers where they are used,
   * and the address of a device's own resolver.
   */
  upstreams: z.array(z.object({
    name: z.string(),
    resolvers: z.array(UpstreamStatus),
    /**
     * True while none of them responds and the dates of a certificate do not fit the router's clock:
     * until they do, only addresses of time servers are resolved, unencrypted.
     */
    clockUntrusted: z.boolean(),
  })),
  cache: z.object({ entries: Count, bytes: Count }),
  /** Running lookups at upstream resolvers. */
  pending: Count,
  /** TCP connections of clients. */
  connections: Count,
  /** Numbers of queries by outcome. */
  counters: z.record(z.string(), Count),
  /** Queries that the log could not take. */
  unlogged: Count,
}).meta({ id: "DnsStatus" });
export type DnsStatus = z.output<typeof DnsStatus>;

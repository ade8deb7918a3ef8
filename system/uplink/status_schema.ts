import * as z from "zod";

/** Status of an uplink (`GET /wan/status`). Times are unix seconds, 0 never. */
export const UplinkStatus = z.object({
  Iface: z.string(),
  Up: z.boolean(),
  /** New connections from the LAN may use it. */
  Active: z.boolean(),
  /** "" where there is none. */
  Gateway: z.string(),
  /** Of the last replies, in milliseconds; 0 without any. */
  LatencyMs: z.number(),
  JitterMs: z.number(),
  LossPct: z.number(),
  LastChange: z.int(),
  TotalOutages: z.int(),
  /** Seconds of the last 24 hours. */
  Downtime24h: z.int(),
  /** Why it is not up; "" while it is. */
  Reason: z.string(),
  /** The router's address there, with its prefix; "" none. */
  IP: z.string(),
  /** Its weight among the uplinks; 0: standby. */
  Weight: z.int(),
  /** How much of all new connections it gets now, in percent. */
  SharePct: z.int(),
  /** Resolvers and search domains that its lease names; shown, not used. */
  DNS: z.array(z.string()),
  Search: z.array(z.string()),
}).meta({ id: "UplinkStatus" });
export type UplinkStatus = z.output<typeof UplinkStatus>;

/** One minute or hour of an uplink. */
export const UplinkSample = z.object({
  Time: z.int(),
  LatencyMs: z.number(),
  JitterMs: z.number(),
  LossPct: z.number(),
  Up: z.boolean(),
}).meta({ id: "UplinkSample" });
export type UplinkSample = z.output<typeof UplinkSample>;

/** An outage of an uplink; `End` 0 while it lasts. */
export const UplinkOutage = z.object({
  Iface: z.string(),
  Start: z.int(),
  End: z.int(),
  Reason: z.string(),
}).meta({ id: "UplinkOutage" });
export type UplinkOutage = z.output<typeof UplinkOutage>;

/** Result of a speed test. */
export const SpeedTestResult = z.object({
  Iface: z.string(),
  Time: z.int(),
  DownMbps: z.number(),
  Seconds: z.number(),
  Bytes: z.int(),
  URL: z.string(),
  Error: z.string().optional(),
}).meta({ id: "SpeedTestResult" });
export type SpeedTestResult = z.output<typeof SpeedTestResult>;

/** History of uplinks. */
export interface UplinkRecord {
  readonly outages: readonly UplinkOutage[];
  readonly minutes: Readonly<Record<string, readonly UplinkSample[]>>;
  readonly hours: Readonly<Record<string, readonly UplinkSample[]>>;
  readonly speed: readonly SpeedTestResult[];
}

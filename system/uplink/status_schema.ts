import { z } from "zod";

/** How an uplink is, as `GET /wan/status` shows it. Times are unix seconds, 0 never. */
export const WanStatus = z.object({
  Iface: z.string(),
  Up: z.boolean(),
  /** New connections from the LAN may use it. */
  Active: z.boolean(),
  /** "" where there is none. */
  Gateway: z.string(),
  /** Of the last answers, in milliseconds; 0 without any. */
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
}).meta({ id: "WanStatus" });
export type WanStatus = z.output<typeof WanStatus>;

/** One minute or hour of an uplink. */
export const WanSample = z.object({
  Time: z.int(),
  LatencyMs: z.number(),
  JitterMs: z.number(),
  LossPct: z.number(),
  Up: z.boolean(),
}).meta({ id: "WanSample" });
export type WanSample = z.output<typeof WanSample>;

/** An outage of an uplink; `End` 0 while it lasts. */
export const WanOutage = z.object({
  Iface: z.string(),
  Start: z.int(),
  End: z.int(),
  Reason: z.string(),
}).meta({ id: "WanOutage" });
export type WanOutage = z.output<typeof WanOutage>;

/** Result of a speed test. */
export const WanSpeed = z.object({
  Iface: z.string(),
  Time: z.int(),
  DownMbps: z.number(),
  Seconds: z.number(),
  Bytes: z.int(),
  URL: z.string(),
  Error: z.string().optional(),
}).meta({ id: "WanSpeed" });
export type WanSpeed = z.output<typeof WanSpeed>;

/** What is kept of uplinks over restarts (`state/api/wan.json`). */
export interface WanRecord {
  readonly outages: readonly WanOutage[];
  readonly minutes: Readonly<Record<string, readonly WanSample[]>>;
  readonly hours: Readonly<Record<string, readonly WanSample[]>>;
  readonly speed: readonly WanSpeed[];
}

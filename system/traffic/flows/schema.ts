import * as z from "zod";
import { Ipv4 } from "../../core/net/grammar.ts";

const Count = z.int().min(0);
const Port = z.int().min(0).max(65_535).nullable();

/** Connections of a page. */
const MAX_FLOWS = 500;

/** Which live connections are asked for. */
export const FlowQuery = z.object({
  device: Ipv4.optional().describe("Address of a device at one end"),
  name: z.string().trim().toLowerCase().min(1).max(253).optional()
    .describe("Part of the name that a device resolved"),
  country: z.string().trim().toUpperCase().regex(/^[A-Z]{2}$/, {
    error: "Enter a country code such as DE",
  }).optional(),
  asn: z.string().regex(/^\d{1,10}$/, { error: "Enter the number of a network" })
    .transform(Number).pipe(z.int().min(1).max(2 ** 32 - 1)).optional()
    .describe("Number of an autonomous system"),
  order: z.enum(["newest", "bytes"]).default("newest"),
  after: z.string().regex(/^\d{1,15}$/, { error: "Send `next` of the page before" })
    .transform(Number).optional().describe("`next` of the page before, of the newest"),
  limit: z.string().regex(/^\d{1,4}$/, { error: "Enter a whole number" }).transform(Number)
    .pipe(z.int().min(1).max(MAX_FLOWS, { error: `Enter 1–${MAX_FLOWS}` })).default(100)
    .describe(`1–${MAX_FLOWS}`),
});
export type FlowQuery = z.output<typeof FlowQuery>;

/** A live connection of a device; `device` began it unless it is `inbound`. */
export const LiveConnection = z.object({
  id: z.int(),
  protocol: z.enum(["tcp", "udp", "icmp"]),
  device: z.string(),
  devicePort: Port,
  remote: z.string(),
  remotePort: Port,
  inbound: z.boolean().describe("True where the remote end began it"),
  name: z.string().describe("By which the device resolved the remote end; empty for none"),
  asn: Count,
  network: z.string(),
  country: z.string(),
  seconds: z.number().nullable().describe("Since it began; null: longer than it is followed"),
  packetsIn: Count,
  packetsOut: Count,
  bytesIn: Count,
  bytesOut: Count,
}).meta({ id: "LiveConnection" });
export type LiveConnection = z.output<typeof LiveConnection>;

/** A page of live connections. */
export const FlowPage = z.object({
  items: z.array(LiveConnection),
  next: z.string().nullable(),
  total: Count.describe("All that match"),
}).meta({ id: "LiveConnections" });
export type FlowPage = z.output<typeof FlowPage>;

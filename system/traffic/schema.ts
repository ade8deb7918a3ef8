import * as z from "zod";

/** The sets that count, each by the address of the local end. */
export const COUNTER_SETS = [
  "incoming_traffic_lan",
  "outgoing_traffic_lan",
  "incoming_traffic_wan",
  "outgoing_traffic_wan",
] as const;
export type CounterSet = typeof COUNTER_SETS[number];

const Count = z.int().min(0);

/** Name of a set that counts. */
export const CounterName = z.enum(COUNTER_SETS, {
  error: `Use one of ${COUNTER_SETS.join(", ")}`,
});

/** What was counted for an address. */
export const CounterEntry = z.object({
  IP: z.string().describe("Address of the device"),
  Packets: Count,
  Bytes: Count,
}).meta({ id: "TrafficCounter" });
export type CounterEntry = z.output<typeof CounterEntry>;

/** What one address sent another. */
export const IpTrafficEntry = z.object({
  Interface: z.string().describe("On which it came in; empty where it is not known"),
  Src: z.string(),
  Dst: z.string(),
  SrcDomain: z.string(),
  DstDomain: z.string(),
  Packets: Count,
  Bytes: Count,
  Timeout: z.int().describe("Seconds without traffic after which the entry is forgotten"),
  Expires: Count.describe("Seconds that are left of it"),
}).meta({ id: "IpTraffic" });
export type IpTrafficEntry = z.output<typeof IpTrafficEntry>;

/** Bytes that an address received (`In`) and sent (`Out`). */
export const AddressTraffic = z.object({
  LanIn: Count,
  LanOut: Count,
  WanIn: Count,
  WanOut: Count,
}).meta({ id: "AddressTraffic" });
export type AddressTraffic = z.output<typeof AddressTraffic>;

/** Traffic by address. */
export const TrafficSnapshot = z.record(z.string(), AddressTraffic);
export type TrafficSnapshot = z.output<typeof TrafficSnapshot>;

/** Bytes minute by minute, and until now. */
export const TrafficRates = z.object({
  items: z.array(AddressTraffic.extend({
    at: z.int().describe("End of the minute, unix milliseconds"),
  })).describe("Oldest first"),
  total: AddressTraffic.describe("Since the router's management started"),
}).meta({ id: "TrafficRates" });
export type TrafficRates = z.output<typeof TrafficRates>;

/** Whether traffic is kept by destination, and for how long. */
export const InsightsSettings = z.object({
  Enabled: z.boolean().default(false),
  RetentionDays: z.int().min(1, { error: "Keep at least 1 day" }).max(90, {
    error: "Keep at most 90 days",
  }).describe("Days that traffic by destination is kept, 1–90"),
}).meta({ id: "TrafficInsightsSettings" });
export type InsightsSettings = z.output<typeof InsightsSettings>;

export const DEFAULT_INSIGHTS: InsightsSettings = { Enabled: true, RetentionDays: 7 };

const sums = { BytesIn: Count, BytesOut: Count };
const Moment = z.iso.datetime().meta({ examples: ["2026-01-01T12:00:00.000Z"] });

/** Bytes of one device. */
export const DeviceUsage = z.object({ IP: z.string(), ...sums }).meta({ id: "DeviceUsage" });
export type DeviceUsage = z.output<typeof DeviceUsage>;

/** Bytes of a network: an autonomous system, 0 where it is not known. */
export const AsnUsage = z.object({
  ASN: z.int().min(0),
  Name: z.string(),
  Country: z.string().optional(),
  ...sums,
  Devices: z.array(DeviceUsage).optional(),
}).meta({ id: "AsnUsage" });
export type AsnUsage = z.output<typeof AsnUsage>;

/** Bytes of a country; "" where it is not known. */
export const CountryUsage = z.object({
  Country: z.string(),
  ...sums,
  Devices: z.array(DeviceUsage),
  ASNs: z.array(AsnUsage),
}).meta({ id: "CountryUsage" });
export type CountryUsage = z.output<typeof CountryUsage>;

/** With which countries and networks devices exchange traffic. */
export const InsightsOverview = z.object({
  Start: Moment,
  End: Moment,
  TotalIn: Count,
  TotalOut: Count,
  Countries: z.array(CountryUsage).describe("By bytes, the most first"),
  ASNs: z.array(AsnUsage).describe("At most 50, by bytes"),
  ContainerNets: z.array(z.string()).optional().describe("Networks of containers, in CIDR form"),
}).meta({ id: "TrafficInsightsOverview" });
export type InsightsOverview = z.output<typeof InsightsOverview>;

/** With which addresses a device exchanges traffic. */
export const DeviceInsight = z.object({
  IP: z.string(),
  ...sums,
  Destinations: z.array(z.object({
    IP: z.string().describe("`other` for all further addresses"),
    Domain: z.string(),
    ASN: z.int().min(0),
    ASNName: z.string(),
    Country: z.string().optional(),
    ...sums,
    LastSeen: Moment,
  })).describe("At most 500, by bytes"),
}).meta({ id: "TrafficDeviceInsight" });
export type DeviceInsight = z.output<typeof DeviceInsight>;

/** Bytes with a name, or with an address that no device knew by a name. */
const NameUsage = z.object({
  Name: z.string().describe("By which devices resolved the address; empty for none"),
  IP: z.string().describe("The address of it with the most traffic"),
  ASN: z.int().min(0),
  ASNName: z.string(),
  Country: z.string().optional(),
  ...sums,
  Devices: z.array(DeviceUsage).describe("At most 50, by bytes"),
}).meta({ id: "NameUsage" });
export type NameUsage = z.output<typeof NameUsage>;

/** With which names devices exchange traffic. */
export const InsightsNames = z.object({
  Start: Moment,
  End: Moment,
  Names: z.array(NameUsage).describe("At most 500, by bytes"),
}).meta({ id: "TrafficInsightsNames" });
export type InsightsNames = z.output<typeof InsightsNames>;

/** Bytes hour by hour or day by day. */
export const TrafficHistory = z.object({
  Seconds: z.int().describe("Length of each point: 3600 or 86400"),
  Points: z.array(z.object({ Start: Moment, ...sums })).describe("Oldest first"),
}).meta({ id: "TrafficInsightsHistory" });
export type TrafficHistory = z.output<typeof TrafficHistory>;

import * as z from "zod";

const Band = z.enum(["2.4", "5", "6"]);

/** A network in range, as far as it takes air. */
export const AirNetwork = z.object({
  bssid: z.string(),
  /** Unprintable bytes as `\xNN`; "" hidden. Untrusted text. */
  ssid: z.string(),
  band: Band,
  /** Its primary channel. */
  channel: z.int(),
  /** MHz that it takes. */
  from: z.number(),
  to: z.number(),
  /** dBm; 0 not known. */
  signal: z.int(),
  /** One of the router's own. */
  own: z.boolean(),
}).meta({ id: "AirNetwork" });
export type AirNetwork = z.output<typeof AirNetwork>;

/** How much a channel is used, by networks of others. */
export const ChannelUse = z.object({
  channel: z.int(),
  /** MHz. */
  frequency: z.int(),
  /** Networks that overlap it. */
  networks: z.int(),
  /** dBm of the strongest of them; 0 none. */
  strongest: z.int(),
  /** What they take of it together, weighed by their signal; 0 free. */
  load: z.number(),
  /**
   * `none`: no radar there; `usable`: after listening; `listening`; `available`: listened already;
   * `unavailable`: radar was seen.
   */
  dfs: z.enum(["none", "usable", "listening", "available", "unavailable"]),
}).meta({ id: "ChannelUse" });
export type ChannelUse = z.output<typeof ChannelUse>;

/** The channel that is best for a radio, and why. */
export const Recommendation = z.object({
  channel: z.int(),
  /** False: it is on it already, or another is hardly better. */
  better: z.boolean(),
  reason: z.string(),
}).meta({ id: "ChannelRecommendation" });
export type Recommendation = z.output<typeof Recommendation>;

/** What hostapd last said of radar; times are unix milliseconds, 0 never. */
export const RadarLog = z.object({
  /** MHz of the channel where it listens now; 0 none. */
  listening: z.int(),
  /** When that ends. */
  until: z.int(),
  /** When radar was last seen, on which channel, and where the radio went; 0 not known. */
  seenAt: z.int(),
  seenOn: z.int(),
  movedTo: z.int(),
}).meta({ id: "RadarLog" });
export type RadarLog = z.output<typeof RadarLog>;

/** No radar was ever detected. */
export const NO_RADAR: RadarLog = { listening: 0, until: 0, seenAt: 0, seenOn: 0, movedTo: 0 };

/** DFS state of a channel in the kernel. */
export const DfsChannel = z.object({
  /** MHz. */
  frequency: z.int(),
  state: z.enum(["usable", "available", "unavailable"]),
  /** Seconds since it has it. */
  seconds: z.int(),
});
export type DfsChannel = z.output<typeof DfsChannel>;

/** DFS of the radios (`GET /dfs` of wifid). */
export const DfsReport = z.object({
  items: z.array(z.object({
    radio: z.string(),
    log: RadarLog,
    channels: z.array(DfsChannel),
  })),
}).meta({ id: "DfsReport" });
export type DfsReport = z.output<typeof DfsReport>;

/** The air of one radio. */
export const RadioAir = z.object({
  radio: z.string(),
  /** It is on the air as an access point. */
  enabled: z.boolean(),
  band: Band,
  /** Its channel; 0 not known. */
  channel: z.int(),
  /** MHz. */
  width: z.int(),
  /** MHz that it takes; both 0 while the channel is not known. */
  from: z.number(),
  to: z.number(),
  /** Unix seconds of the last scan; 0 none yet. */
  scannedAt: z.int(),
  networks: z.array(AirNetwork),
  channels: z.array(ChannelUse),
  /** Null before a scan, or where no channel is permitted. */
  recommendation: Recommendation.nullable(),
  radar: RadarLog,
}).meta({ id: "RadioAir" });
export type RadioAir = z.output<typeof RadioAir>;

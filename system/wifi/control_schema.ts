import * as z from "zod";
import { InterfaceName, Mac } from "../core/net/grammar.ts";
import { PlannedRadio } from "./plan_schema.ts";
import { Cipher } from "./radio/settings_schema.ts";

/** A channel of a radio under the regulatory domain that holds now. */
export const RadioChannel = z.object({
  channel: z.int(),
  /** MHz. */
  frequency: z.int(),
  /** dBm. */
  maxPower: z.number(),
  /**
   * `usable`; `radar`: after a minute of listening for radar; `passive`: an access point may not begin
   * to send there; `disabled`: not in this country.
   */
  use: z.enum(["usable", "radar", "passive", "disabled"]),
}).meta({ id: "RadioChannel" });
export type RadioChannel = z.output<typeof RadioChannel>;

/** A band of a radio. */
export const RadioBand = z.object({
  band: z.enum(["2.4", "5", "6"]),
  channels: z.array(RadioChannel),
  /** Capability words; null: the band has no such mode. */
  ht: z.int().nullable(),
  vht: z.int().nullable(),
  he: z.boolean(),
  eht: z.boolean(),
}).meta({ id: "RadioBand" });
export type RadioBand = z.output<typeof RadioBand>;

/** A radio and its interface, as the kernel describes them. */
export const RadioFacts = z.object({
  /** Interface: `wlan0`. */
  name: InterfaceName,
  phy: z.string(),
  mac: z.string(),
  /** It can be an access point. */
  accessPoint: z.boolean(),
  /** Each station can have an interface of its own. */
  perStation: z.boolean(),
  /** Ciphers of stations, in hostapd's spelling. */
  ciphers: z.array(Cipher),
  /** Networks that it can have at the same time. */
  networks: z.int(),
  bands: z.array(RadioBand),
}).meta({ id: "RadioFacts" });
export type RadioFacts = z.output<typeof RadioFacts>;

/** Radios of the machine (`GET /radios`). */
export const RadioFactsList = z.object({
  items: z.array(RadioFacts),
  /** Country of the regulatory domain; `00` is the world. */
  country: z.string(),
  /** Version of hostapd; "" while it is not installed. */
  hostapd: z.string(),
}).meta({ id: "RadioFactsList" });
export type RadioFactsList = z.output<typeof RadioFactsList>;

/** Lines of hostapd's answer by their keys. */
export const StatusLines = z.record(z.string(), z.string()).meta({ id: "StatusLines" });
export type StatusLines = z.output<typeof StatusLines>;

/** Stations of a network by MAC address. */
export const StationLines = z.record(z.string(), StatusLines).meta({ id: "StationLines" });
export type StationLines = z.output<typeof StationLines>;

/** Frames to a station, as the kernel counts them since it joined. */
export const StationCounters = z.object({
  sent: z.int(),
  /** Sent once more, as no acknowledgement came. */
  retries: z.int(),
  /** Given up. */
  failed: z.int(),
}).meta({ id: "StationCounters" });
export type StationCounters = z.output<typeof StationCounters>;

/** A station that has joined a network. */
export const StationOnAir = z.object({
  network: InterfaceName,
  mac: Mac,
  /** Its interface: `wlan0.4096`. */
  link: InterfaceName,
  /** hostapd's lines. */
  lines: StatusLines,
  /** Null where the kernel has none. */
  counters: StationCounters.nullable(),
}).meta({ id: "StationOnAir" });
export type StationOnAir = z.output<typeof StationOnAir>;

/** Stations of all networks (`GET /stations`). */
export const StationsOnAir = z.object({ items: z.array(StationOnAir) })
  .meta({ id: "StationsOnAir" });
export type StationsOnAir = z.output<typeof StationsOnAir>;

/** A change of channel that is announced to stations (`CHAN_SWITCH` of hostapd). */
export const ChannelSwitch = z.object({
  /** MHz. */
  frequency: z.int().min(2400).max(7125),
  bandwidth: z.union([z.literal(20), z.literal(40), z.literal(80), z.literal(160)]),
  /** MHz of the centre; 0 for 20 MHz. */
  centre: z.int().min(0).max(7125),
  offset: z.union([z.literal(-1), z.literal(0), z.literal(1)]),
  ht: z.boolean(),
  vht: z.boolean(),
  he: z.boolean(),
}).meta({ id: "ChannelSwitch" });
export type ChannelSwitch = z.output<typeof ChannelSwitch>;

/** A configuration to check (`PUT /check`). */
export const CheckRequest = z.object({ radio: PlannedRadio }).meta({ id: "CheckRequest" });

/** hostapd's verdict; "" it accepts the configuration. */
export const CheckResult = z.object({ problem: z.string() }).meta({ id: "CheckResult" });
export type CheckResult = z.output<typeof CheckResult>;

/** Networks to start anew (`PUT /restart`); "" all radios. */
export const RestartRequest = z.object({ name: z.union([InterfaceName, z.literal("")]) })
  .meta({ id: "RestartRequest" });

/** A channel under the rules of a country. */
export const CountryChannel = z.object({
  band: z.enum(["2.4", "5", "6"]),
  channel: z.int(),
  /** MHz. */
  frequency: z.int(),
  /** Widths in MHz; empty: an access point may not use it. */
  widths: z.array(z.int()),
  /** dBm. */
  maxPower: z.number(),
  /** It listens for radar first, for a minute and more. */
  radar: z.boolean(),
  indoorOnly: z.boolean(),
}).meta({ id: "CountryChannel" });
export type CountryChannel = z.output<typeof CountryChannel>;

/** Channels of a country (`GET /countries/{country}`). */
export const CountryRules = z.object({
  country: z.string(),
  channels: z.array(CountryChannel),
}).meta({ id: "CountryRules" });
export type CountryRules = z.output<typeof CountryRules>;

/** Countries that the regulatory database knows. */
export const Countries = z.object({ items: z.array(z.string()) }).meta({ id: "Countries" });

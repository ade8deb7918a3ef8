import * as z from "zod";
import { InterfaceName } from "../../core/net/grammar.ts";

const TransmitQueue = z.object({
  qsz_byt: z.int(),
  qsz_pkt: z.int(),
  flows: z.int(),
  drops: z.int(),
  marks: z.int(),
  overlmt: z.int(),
  hashcol: z.int(),
  tx_bytes: z.int(),
  tx_packets: z.int(),
});

/** A wireless interface of `iw dev`; every value as `iw` prints it. */
export const IwInterface = z.object({
  ifindex: z.string().optional(),
  wdev: z.string().optional(),
  addr: z.string().optional(),
  /** Unprintable bytes as `\xNN`. */
  ssid: z.string().optional(),
  type: z.string().optional(),
  channel: z.string().optional(),
  txpower: z.string().optional(),
  multicast_txq: TransmitQueue.optional(),
}).meta({ id: "IwInterface" });
export type IwInterface = z.output<typeof IwInterface>;

/** `iw dev`: interfaces by their radio, `phy0`. */
export const IwDevices = z.record(z.string(), z.record(z.string(), IwInterface))
  .meta({ id: "IwDevices" });
export type IwDevices = z.output<typeof IwDevices>;

/** Rules of one range of frequencies. */
const IwRegulatoryBand = z.object({
  /** MHz. */
  start: z.int(),
  end: z.int(),
  max_bandwidth: z.int(),
  /** dBi; null where there is no limit. */
  max_antenna_gain: z.number().nullable(),
  /** dBm. */
  max_eirp: z.number().nullable(),
  flags: z.array(z.string()),
}).meta({ id: "IwRegulatoryBand" });

/** `iw reg get`: the regulatory domain that holds for all radios. */
export const IwRegulatory = z.object({
  /** Two letters; `00` is the world domain. */
  country: z.string(),
  dfs: z.string().nullable(),
  bands: z.array(IwRegulatoryBand),
}).meta({ id: "IwRegulatory" });
export type IwRegulatory = z.output<typeof IwRegulatory>;

const Lines = z.array(z.string());

/** One band of a radio; lists of lines as `iw` prints them. */
export const IwBand = z.looseObject({
  /** `Band 1` is 2.4 GHz, `Band 2` 5 GHz, `Band 4` 6 GHz. */
  band: z.string(),
  bitrates: Lines,
  /** Such as `5180 MHz [36] (23.0 dBm)`, with `(no IR)`, `(radar detection)` or `(disabled)`. */
  frequencies: Lines,
}).meta({ id: "IwBand" });
export type IwBand = z.output<typeof IwBand>;

/** A radio of `iw list`; lists and values as `iw` prints them. */
export const IwRadio = z.looseObject({
  wiphy: z.string(),
  bands: z.array(IwBand),
  device_supports: Lines,
  supported_ciphers: Lines,
  supported_interface_modes: Lines,
  supported_commands: Lines,
  software_interface_modes: Lines,
  /** One line for each combination, from `#{` on. */
  valid_interface_combinations: Lines,
  supported_tx_frame_types: Lines,
  supported_rx_frame_types: Lines,
  supported_extended_features: Lines,
  ht_capability_overrides: Lines,
}).meta({ id: "IwRadio" });
export type IwRadio = z.output<typeof IwRadio>;

/** A neighbour network of a scan; information elements under their labels. */
export const IwNeighbour = z.object({
  bssid: z.string(),
  interface: InterfaceName,
  /** MHz. */
  freq: z.int(),
  /** "" for a hidden network. */
  ssid: z.string(),
  signal_dbm: z.int(),
  /** `PSK SAE`; "" for an open network. */
  authentication_suites: z.string(),
  supported_rates: Lines,
}).catchall(z.union([z.number(), z.string(), Lines])).meta({ id: "IwNeighbour" });
export type IwNeighbour = z.output<typeof IwNeighbour>;

import * as z from "zod";
import {
  Capabilities,
  Ciphers,
  CountryCode,
  RadioSettings,
  SentSsid,
  SsidHex,
} from "./settings_schema.ts";

const { shape } = RadioSettings;
const Channel = z.int().min(0).max(253);
const Centre = z.int().min(-1).max(253);
const Signal = z.int().min(-100).max(0);
const Flag = z.int().min(0).max(1);

/** Body of `PUT /hostapd/{interface}/config`; missing fields stay unchanged. */
export const RadioUpdate = z.object({
  /** "" leaves the name. */
  Ssid: z.union([SentSsid, z.literal("")]),
  /** A name that is no text, in hexadecimal. */
  Ssid_hex: SsidHex,
  /** "" leaves the country. */
  Country_code: z.union([CountryCode, z.literal("")]),
  /** "" leaves the mode. */
  Hw_mode: z.enum(["a", "b", "g", ""]),
  /** 0 leaves the channel. */
  Channel,
  /** hostapd chooses the channel. */
  AutoSelectChannel: z.boolean(),
  Op_class: shape.op_class.unwrap(),
  Ht_capab: Capabilities,
  Vht_capab: Capabilities,
  Rsn_pairwise: z.union([Ciphers, z.literal("")]),
  Ieee80211ax: Flag,
  Ieee80211be: Flag,
  He_su_beamformer: Flag,
  He_su_beamformee: Flag,
  He_mu_beamformer: Flag,
  Vht_oper_chwidth: z.int().min(0).max(3),
  He_oper_chwidth: z.int().min(0).max(3),
  Eht_oper_chwidth: z.int().min(0).max(9),
  Vht_oper_centr_freq_seg0_idx: Centre,
  He_oper_centr_freq_seg0_idx: Centre,
  Eht_oper_centr_freq_seg0_idx: Centre,
  Rrm_neighbor_report: Flag,
  Rrm_beacon_report: Flag,
  Rrm_link_measurement_report: Flag,
  Bss_transition: Flag,
  Time_advertisement: z.union([z.literal(0), z.literal(2)]),
  Rssi_reject_assoc_rssi: Signal,
  Rssi_reject_assoc_timeout: z.int().min(0).max(255),
  Rssi_ignore_probe_request: Signal,
  Mld_ap: Flag,
  /** 0 leaves the second link. */
  Mlo_channel: Channel,
  Mlo_bandwidth: z.int().min(0).max(320),
  Mlo_hw_mode: z.enum(["", "a", "b", "g"]),
  Mlo_ht_capab: Capabilities,
  Mlo_vht_capab: Capabilities,
}).partial().meta({ id: "RadioUpdate" });
export type RadioUpdate = z.output<typeof RadioUpdate>;

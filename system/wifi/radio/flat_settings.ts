import * as z from "zod";
import { type RadioSettings, ssidBytes } from "./settings_schema.ts";

/** Settings of a radio as a flat object of hostapd's keys. */
export const FlatSettings = z.record(z.string(), z.union([z.number(), z.string()]))
  .meta({ id: "FlatSettings" });
export type FlatSettings = z.output<typeof FlatSettings>;

/** Settings that stand for "not set": existing clients expect their keys to be absent. */
const UNSET: Readonly<Record<string, number | string>> = {
  ssid_hex: "",
  op_class: 0,
  vht_oper_centr_freq_seg0_idx: -1,
  he_oper_centr_freq_seg0_idx: -1,
  eht_oper_centr_freq_seg0_idx: -1,
  rssi_reject_assoc_rssi: 0,
  rssi_reject_assoc_timeout: 0,
  rssi_ignore_probe_request: 0,
  mld_ap: 0,
  mlo_channel: 0,
  mlo_bandwidth: 0,
  mlo_hw_mode: "",
  mlo_ht_capab: "",
  mlo_vht_capab: "",
};

/** The settings of a radio as hostapd's file has them, without passwords and files of ours. */
export function flatSettings(name: string, settings: RadioSettings): FlatSettings {
  const shown = Object.entries(settings).filter(([key, value]) => UNSET[key] !== value);
  return {
    interface: name,
    ...Object.fromEntries(shown),
    ssid: new TextDecoder().decode(ssidBytes(settings)),
    wpa: 2,
    auth_algs: 1,
    wmm_enabled: 1,
    ap_isolate: 1,
    per_sta_vif: 1,
  };
}

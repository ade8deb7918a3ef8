import type { RadioFacts } from "../control_schema.ts";
import { MAX_SSID_BYTES, RadioSettings } from "./settings_schema.ts";

/** The settings of a radio of which nothing is known: channel 36, 80 MHz wide. */
export function defaultSettings(name: string): RadioSettings {
  return RadioSettings.parse({
    ssid: `sluice-${name}`.slice(0, MAX_SSID_BYTES),
    vht_oper_centr_freq_seg0_idx: 42,
    he_oper_centr_freq_seg0_idx: 42,
    eht_oper_centr_freq_seg0_idx: 42,
  });
}

/**
 * The first settings of a radio: at 5 GHz where it can, else at 2.4 GHz and 20 MHz wide, as neighbours
 * share that band. `radio` null: nothing is known of it; `country`: that of the other radios, if any.
 */
export function firstSettings(
  name: string,
  { radio, country }: { readonly radio: RadioFacts | null; readonly country?: string | undefined },
): RadioSettings {
  // Two radios of one name work together without more settings.
  const usual = { ...defaultSettings(name), bss_transition: 1 as const };
  const settings = country === undefined ? usual : { ...usual, country_code: country };
  if (radio === null) return settings;
  const band = radio.bands.find(({ band }) => band === "5") ??
    radio.bands.find(({ band }) => band === "2.4");
  const ieee80211ax = band?.he ? 1 : 0;
  if (band?.band !== "2.4") return { ...settings, ieee80211ax };
  return {
    ...settings,
    ieee80211ax,
    hw_mode: "g",
    channel: 1,
    ht_capab: settings.ht_capab.replace(/\[HT40[+-]\]/g, ""),
    vht_oper_centr_freq_seg0_idx: -1,
    he_oper_centr_freq_seg0_idx: -1,
    eht_oper_centr_freq_seg0_idx: -1,
  };
}

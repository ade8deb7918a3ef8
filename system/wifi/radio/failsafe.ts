import type { RadioFacts } from "../control_schema.ts";
import type { PlannedRadio } from "../plan_schema.ts";
import { RadioSettings } from "./settings_schema.ts";

/**
 * Plans that nearly every radio can follow, the better one first, for one whose own plan fails: the
 * same name and passwords on channel 36, or 1 of 2.4 GHz, 20 MHz wide.
 */
export function failsafeRadio(radio: PlannedRadio, facts: RadioFacts): PlannedRadio[] {
  const [main] = radio.networks;
  const { ssid, ssid_hex, country_code } = radio.settings;
  const own = radio.settings.hw_mode === "a" ? "5" : "2.4";
  return facts.bands.filter(({ band }) => band !== "6")
    .toSorted((a, b) => Number(b.band === own) - Number(a.band === own))
    .map(({ band, channels }) => {
      const usable = channels.find(({ use }) => use === "usable")?.channel;
      const settings = RadioSettings.parse({
        ssid,
        ssid_hex,
        country_code,
        hw_mode: band === "5" ? "a" : "g",
        channel: usable ?? (band === "5" ? 36 : 1),
        ieee80211ac: 0,
        vht_oper_chwidth: 0,
        he_oper_chwidth: 0,
        eht_oper_chwidth: 0,
        ht_capab: "",
        rsn_pairwise: "CCMP",
      });
      const network = {
        ...main!,
        // One that was set may be what the radio does not take.
        bssid: "",
        wpa: 2,
        keyManagement: ["WPA-PSK", "WPA-PSK-SHA256", "SAE"] as const,
      };
      return {
        ...radio,
        settings,
        networks: [{ ...network, keyManagement: [...network.keyManagement] }],
      };
    });
}

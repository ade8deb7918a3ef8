import type { HostapdSurroundings } from "../../../system/wifi/hostapd/hostapd_file.ts";
import type { PlannedBss, PlannedRadio } from "../../../system/wifi/plan_schema.ts";
import type { RadioSettings } from "../../../system/wifi/radio/settings_schema.ts";
import { plannedNetwork, plannedRadio } from "./fake_radio.ts";

/** A plan and what surrounds it, whose file is kept beside the tests. */
export interface FileCase {
  readonly name: string;
  readonly radio: PlannedRadio;
  readonly around?: Partial<HostapdSurroundings>;
}

const SIX: Partial<RadioSettings> = {
  hw_mode: "a",
  channel: 37,
  op_class: 133,
  ieee80211ax: 1,
  ieee80211w: 2,
  wpa_key_mgmt: "SAE",
};
const WPA3: Partial<PlannedBss> = { keyManagement: ["SAE"] };

/** The usual capabilities of an 802.11ac radio without 802.11ax. */
const AC = { ht: 0x1ff, vht: 0x0f8259b2, he: false, eht: false };

/** Plans of every kind. */
export const FILE_CASES: readonly FileCase[] = [
  { name: "five_ghz", radio: plannedRadio({ hw_mode: "a", channel: 36 }) },
  {
    name: "five_ghz_160",
    radio: plannedRadio({
      hw_mode: "a",
      channel: 112,
      op_class: 129,
      ieee80211ax: 1,
      vht_oper_chwidth: 2,
      he_oper_chwidth: 2,
    }),
  },
  {
    name: "five_ghz_narrower_than_set",
    radio: plannedRadio({ hw_mode: "a", channel: 140, vht_oper_chwidth: 2, ieee80211ax: 1 }),
    around: { capabilities: AC },
  },
  {
    name: "five_ghz_automatic",
    radio: plannedRadio({ hw_mode: "a", channel: 0, vht_oper_centr_freq_seg0_idx: 42 }),
  },
  {
    name: "two_ghz",
    radio: plannedRadio({
      channel: 11,
      ieee80211ax: 1,
      rssi_reject_assoc_rssi: -80,
      rssi_ignore_probe_request: -85,
      bss_transition: 1,
      time_advertisement: 2,
    }),
  },
  { name: "two_ghz_b", radio: plannedRadio({ hw_mode: "b", channel: 14, ieee80211ax: 1 }) },
  {
    name: "two_ghz_20_only",
    radio: plannedRadio({ channel: 6 }),
    around: {
      capabilities: { ht: 0x12c, vht: null, he: false, eht: false },
      ciphers: ["CCMP", "GCMP"],
    },
  },
  { name: "six_ghz", radio: plannedRadio(SIX, [plannedNetwork(WPA3)]) },
  {
    name: "six_ghz_40",
    radio: plannedRadio({ ...SIX, op_class: 132, he_oper_chwidth: 0 }, [plannedNetwork(WPA3)]),
  },
  {
    name: "six_ghz_320",
    radio: plannedRadio(
      { ...SIX, op_class: 137, ieee80211be: 1, he_oper_chwidth: 2, eht_oper_chwidth: 9 },
      [plannedNetwork(WPA3)],
    ),
    around: { wifi7: true },
  },
  {
    name: "six_ghz_320_before_wifi7",
    radio: plannedRadio(
      { ...SIX, op_class: 137, ieee80211be: 1, he_oper_chwidth: 2, eht_oper_chwidth: 9 },
      [plannedNetwork(WPA3)],
    ),
  },
  {
    name: "names_of_any_bytes",
    radio: plannedRadio({}, [
      plannedNetwork({ ssid: ' "a\\b|c" = 😀' }),
      plannedNetwork({ name: "wlan0.ap0", ssid: "x", ssidHex: "00ff0d0a" }),
    ]),
  },
  {
    name: "additional_networks",
    radio: plannedRadio({}, [
      plannedNetwork({ bssid: "02:00:00:00:20:00" }),
      plannedNetwork({
        name: "wlan0.ap0",
        bssid: "06:00:00:00:20:00",
        ssid: "guests",
        password: 'p"a\\s s#word',
      }),
      plannedNetwork({ name: "wlan0.ap1", ssid: "open", wpa: 0, keyManagement: [] }),
      plannedNetwork({
        name: "wlan0.ap2",
        ssid: "old",
        wpa: 1,
        keyManagement: ["WPA-PSK"],
        isolated: false,
      }),
      plannedNetwork({ name: "wlan0.ap3", ssid: "wpa3", keyManagement: ["SAE"] }),
    ]),
  },
];

/** Surroundings in which paths and passwords are the same on every machine. */
export const SURROUNDINGS: HostapdSurroundings = {
  controlFolder: "/state/wifi/control_wlan0",
  capabilities: null,
  ciphers: null,
  wifi7: false,
  keysOf: (name) => ({
    pskFile: `/private/${name}.psk`,
    saePasswords: ["nobody knows|mac=ff:ff:ff:ff:ff:ff", "first one|mac=02:00:00:00:0a:01"],
  }),
};

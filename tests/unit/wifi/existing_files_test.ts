import assert from "node:assert/strict";
import type { Config } from "../../../system/config.ts";
import { existingRouter, skipReason } from "../../../system/backup/existing.ts";
import { planRestore } from "../../../system/backup/plan.ts";
import { documents } from "../../../system/documents.ts";
import { readHostapdFiles } from "../../../system/wifi/hostapd/existing_files.ts";
import { defaultSettings } from "../../../system/wifi/radio/first_settings.ts";

const FIVE = `# a comment
ctrl_interface=/state/wifi/control_wlan1
interface=wlan1
ssid=a=b \\ 😀
country_code=DE
hw_mode=a
channel=44
ieee80211ax=1
vht_oper_chwidth=1
vht_oper_centr_freq_seg0_idx=42
ht_capab=[LDPC][HT40+]
wpa=2
wpa_key_mgmt=WPA-PSK WPA-PSK-SHA256 SAE
rsn_pairwise=CCMP CCMP-256
ieee80211w=1
rssi_ignore_probe_request=-80
rrm_neighbor_report=1
sae_psk_file=/configs/wifi/sae_passwords
wpa_psk_file=/configs/wifi/wpa2pskfile
#spr-gen-bss
bssid=02:00:00:00:00:01
bss=wlan1.ap0
ssid=guests
hw_mode=b
`;

function settingsIn(text: string, more: Record<string, string> = {}) {
  const files = new Map(Object.entries({ "wifi/hostapd_wlan1.conf": text, ...more }));
  return readHostapdFiles(files).value["wlan1"];
}

Deno.test("the settings of a radio are read from the main part of its file", () => {
  const settings = settingsIn(FIVE)!;
  assert.equal(settings.ssid, "a=b \\ 😀");
  assert.deepEqual(
    [settings.country_code, settings.hw_mode, settings.channel, settings.ieee80211ax],
    ["DE", "a", 44, 1],
  );
  assert.deepEqual([settings.vht_oper_chwidth, settings.he_oper_chwidth], [1, 0], "0 if unset");
  assert.equal(settings.ht_capab, "[LDPC][HT40+]");
  assert.equal(settings.rssi_ignore_probe_request, -80);
  assert.deepEqual([settings.rrm_neighbor_report, settings.rrm_beacon_report], [1, 0]);
  assert.equal(settings.vht_capab, defaultSettings("x").vht_capab, "waits for 5 GHz");
});

Deno.test("a name that looks like a number stays what it is, and bad values are left out", () => {
  const settings = settingsIn("ssid=007\nchannel=6\nhw_mode=ad\nht_capab=oops\n")!;
  assert.deepEqual([settings.ssid, settings.channel, settings.ht_capab], ["007", 6, ""]);
  assert.equal(settingsIn("channel=6\n"), undefined, "no name, no radio");
});

Deno.test("a file of 6 GHz that lost its security gets it back", () => {
  const text = FIVE.replace("channel=44", "channel=37\nop_class=133");
  const { wpa_key_mgmt, ieee80211w } = settingsIn(text)!;
  assert.deepEqual([wpa_key_mgmt, ieee80211w], ["SAE", 2]);
});

Deno.test("the file of the second link is read beside that of its radio", () => {
  const mlo = "hw_mode=a\nchannel=5\nop_class=134\n";
  const settings = settingsIn(`${FIVE}`, { "wifi/hostapd_wlan1_mlo.conf": mlo })!;
  assert.deepEqual(
    [settings.mlo_channel, settings.mlo_hw_mode, settings.mlo_bandwidth],
    [5, "a", 160],
  );
});

Deno.test("a backup of an existing router brings its radios, other files say why they are left", () => {
  const texts: Readonly<Record<string, string>> = {
    "wifi/hostapd_wlan1.conf": FIVE,
    "wifi/hostapd_template.conf": FIVE,
    "wifi/hostapd_failsafe_wlan1.conf": FIVE,
    "wifi/hostapd_wlan1.conf.bak": FIVE,
    "wifi/pi-setup_wlan1.conf": FIVE,
  };
  const files = Object.entries(texts)
    .map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
  const rules = { documents, foreign: existingRouter, skipReason };
  const { parts, report } = planRestore<Config>(files, rules);
  assert.deepEqual(Object.keys(parts.radios ?? {}), ["wlan1"]);
  assert.deepEqual(report.taken, [
    { path: "wifi/hostapd_wlan1.conf", document: "radios", dropped: [] },
  ]);
  assert.equal(report.left.length, 4);
  for (const { reason } of report.left) assert.match(reason, /settings of the radios/);
  const ours = { path: "wifi/radios.json", bytes: new TextEncoder().encode("{}") };
  assert.deepEqual(planRestore<Config>([...files, ours], rules).parts.radios, {});
});

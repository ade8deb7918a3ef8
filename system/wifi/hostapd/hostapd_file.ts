import { centre, secondaryOffset, sixGhzClass, type Width } from "../radio/channels.ts";
import { bandOf, channelWidth, modesOf, modeWidth, type Wide } from "../radio/modes.ts";
import { isSixGhz, type RadioSettings, ssidBytes } from "../radio/settings_schema.ts";
import type { PlannedBss, PlannedRadio } from "../plan_schema.ts";
import { type RadioCapabilities, supportedCapabilities } from "./capability_rules.ts";

/** What a file depends on besides the plan. */
export interface HostapdSurroundings {
  /** Folder of a radio's control sockets. */
  readonly controlFolder: string;
  /** What the radio can do in the band of its settings; null: not known, everything is written. */
  readonly capabilities: RadioCapabilities | null;
  /** Ciphers of the radio; null: not known, or hostapd is to say what it lacks. */
  readonly ciphers: readonly string[] | null;
  /** hostapd writes 802.11be from version 2.11 on; older ones refuse the words. */
  readonly wifi7: boolean;
  /** Files and passwords of a network with a password per device. */
  readonly keysOf: (network: string) => NetworkKeys;
}

/** Files and passwords of a network. */
export interface NetworkKeys {
  /** File of the WPA2 keys. */
  readonly pskFile: string;
  /** Values of `sae_password`, in order: hostapd tries the last one first. */
  readonly saePasswords: readonly string[];
}

/** Line that separates the main network from the additional ones, as existing tools look for it. */
const EXTRA_MARK = "#spr-gen-bss";

type Line = readonly [key: string, value: string | number];

/**
 * The hostapd file of a radio (hostapd.conf of hostapd 2.10). Keys that this hostapd or this radio
 * would refuse are left out; the settings keep them.
 */
export function hostapdFile(radio: PlannedRadio, around: HostapdSurroundings): string {
  const [main, ...extra] = radio.networks;
  const blocks = [
    [...radioLines(radio, around), ...networkLines(main!, radio.settings, around)],
    ...extra.map((network): Line[] => [
      ["bss", network.name],
      ["ctrl_interface", around.controlFolder],
      ...networkLines(network, radio.settings, around),
    ]),
  ];
  return blocks.map((lines) => lines.map(([key, value]) => `${key}=${value}\n`).join(""))
    .join(`${EXTRA_MARK}\n`);
}

function radioLines({ name, settings }: PlannedRadio, around: HostapdSurroundings): Line[] {
  const { capabilities, controlFolder } = around;
  const isFast = settings.hw_mode === "a";
  const modes = modesOf(settings, around);
  const width = channelWidth(settings, modes);
  const span = (kind: Wide): Line[] => isFast ? spanLines(settings, kind) : [];
  return [
    ["interface", name],
    ["driver", "nl80211"],
    ["ctrl_interface", controlFolder],
    ["country_code", settings.country_code],
    ...(isSixGhz(settings) ? [["country3", EVERYWHERE] as const] : []),
    ["hw_mode", settings.hw_mode],
    ["channel", settings.channel],
    ...classLines(settings, width),
    ["ieee80211d", settings.ieee80211d],
    ...(isFast ? [["ieee80211h", settings.ieee80211h] as const] : []),
    ["ieee80211n", modes.ht ? 1 : 0],
    ...(modes.ht ? [["ht_capab", htText(settings, width, capabilities)] as const] : []),
    ...(modes.vht
      ? [
        ["ieee80211ac", 1] as const,
        ["vht_capab", vhtText(settings, capabilities)] as const,
        ...span("vht"),
      ]
      : []),
    ...(modes.he
      ? [
        ["ieee80211ax", 1] as const,
        ["he_su_beamformer", settings.he_su_beamformer] as const,
        ["he_su_beamformee", settings.he_su_beamformee] as const,
        ["he_mu_beamformer", settings.he_mu_beamformer] as const,
        ...span("he"),
      ]
      : []),
    ...(modes.eht ? [["ieee80211be", 1] as const, ...span("eht")] : []),
    ["preamble", 1],
    ["logger_syslog", 0],
    ["logger_stdout", -1],
  ];
}

/** `country3`: the rules of the country for all environments (IEEE 802.11-2020 annex C, table E-4). */
const EVERYWHERE = "0x04";

/** Width and centre of a mode. */
function spanLines(settings: RadioSettings, kind: Wide): Line[] {
  const width = modeWidth(settings, kind);
  const middle = settings.channel === 0 ? null : centre(bandOf(settings), settings.channel, width);
  return [
    [`${kind}_oper_chwidth`, WIDTH_CODES[width]],
    ...(middle === null || width === 20
      ? []
      : [[`${kind}_oper_centr_freq_seg0_idx`, middle] as const]),
  ];
}

/** Values of `…_oper_chwidth`. */
const WIDTH_CODES: Readonly<Record<Width, number>> = { 20: 0, 40: 0, 80: 1, 160: 2, 320: 9 };

/**
 * The operating class tells 6 GHz, and the width there; elsewhere it says no more than the channel, and
 * hostapd refuses one that does not fit.
 */
function classLines(settings: RadioSettings, width: Width): Line[] {
  if (!isSixGhz(settings)) return [];
  const { channel, op_class } = settings;
  return [["op_class", channel === 0 ? op_class : sixGhzClass(channel, width)]];
}

/** The HT capabilities, with the one second channel that the primary one can have. */
function htText(
  settings: RadioSettings,
  width: Width,
  capabilities: RadioCapabilities | null,
): string {
  const offset = secondaryOffset(bandOf(settings), settings.channel);
  const words = supportedCapabilities(settings.ht_capab, "ht", capabilities);
  const others = words.filter((word) => !/^HT40[+-]$/.test(word));
  const isNarrow = supportedCapabilities("[HT40+]", "ht", capabilities).length === 0;
  if (width === 20 || isNarrow) return bracketed(others);
  if (settings.channel === 0) return bracketed([...words]);
  return bracketed([offset === 1 ? "HT40+" : "HT40-", ...others]);
}

/** The VHT capabilities; 160 MHz is one of them. */
function vhtText(settings: RadioSettings, capabilities: RadioCapabilities | null): string {
  const { vht_capab } = settings;
  const isWide = modeWidth(settings, "vht") === 160 && !/\[VHT160/.test(vht_capab);
  const wish = isWide ? `[VHT160]${vht_capab}` : vht_capab;
  return bracketed(supportedCapabilities(wish, "vht", capabilities));
}

function bracketed(words: readonly string[]): string {
  return words.map((word) => `[${word}]`).join("");
}

function networkLines(
  network: PlannedBss,
  settings: RadioSettings,
  around: HostapdSurroundings,
): Line[] {
  return [
    ...(network.bssid === "" ? [] : [["bssid", network.bssid] as const]),
    ...nameLines(network),
    ["wmm_enabled", 1],
    ["auth_algs", 1],
    ...securityLines(network, settings, around),
    ...(network.isolated
      ? [
        ["ap_isolate", 1] as const,
        ["per_sta_vif", 1] as const,
        ["multicast_to_unicast", 1] as const,
        ["tdls_prohibit", 1] as const,
      ]
      : []),
    ["rrm_neighbor_report", settings.rrm_neighbor_report],
    ["rrm_beacon_report", settings.rrm_beacon_report],
    ["bss_transition", settings.bss_transition],
    ["time_advertisement", settings.time_advertisement],
    ...(settings.rssi_reject_assoc_rssi === 0 ? [] : [
      ["rssi_reject_assoc_rssi", settings.rssi_reject_assoc_rssi] as const,
      ["rssi_reject_assoc_timeout", settings.rssi_reject_assoc_timeout || 30] as const,
    ]),
    ...(settings.rssi_ignore_probe_request === 0
      ? []
      : [["rssi_ignore_probe_request", settings.rssi_ignore_probe_request] as const]),
  ];
}

/** Any bytes are a name: hexadecimal digits need no escapes. */
function nameLines({ ssid, ssidHex }: PlannedBss): Line[] {
  const bytes = ssidBytes({ ssid, ssid_hex: ssidHex });
  const text = ssidHex === "" ? [["utf8_ssid", 1] as const] : [];
  return [["ssid2", bytes.toHex()], ...text];
}

function securityLines(
  network: PlannedBss,
  settings: RadioSettings,
  around: HostapdSurroundings,
): Line[] {
  const { wpa, keyManagement, password } = network;
  if (wpa === 0) return [["wpa", 0]];
  const sae = keyManagement.includes("SAE");
  const psk = keyManagement.some((word) => word !== "SAE");
  const keys = around.keysOf(network.name);
  return [
    ["wpa", wpa],
    ["wpa_key_mgmt", keyManagement.join(" ")],
    ...(wpa === 1
      ? [["wpa_pairwise", "CCMP TKIP"] as const]
      : [["rsn_pairwise", ciphersOf(settings, around)] as const]),
    ...(wpa === 1
      ? []
      : [["ieee80211w", sae && !psk ? 2 : Math.max(settings.ieee80211w, sae ? 1 : 0)] as const]),
    ...(wpa === 1 ? [] : [["beacon_prot", 1] as const]),
    ["wpa_disable_eapol_key_retries", 1],
    ...(sae
      ? [
        ["sae_require_mfp", 1] as const,
        ["sae_pwe", saePwe(settings)] as const,
      ]
      : []),
    ...(password === ""
      ? [
        ...(psk ? [["wpa_psk_file", keys.pskFile] as const] : []),
        ...(sae ? keys.saePasswords.map((value) => ["sae_password", value] as const) : []),
      ]
      : [
        ...(psk ? [["wpa_passphrase", password] as const] : []),
        ...(sae ? [["sae_password", password] as const] : []),
      ]),
  ];
}

/** The ciphers that the radio has: the kernel refuses any other. */
function ciphersOf({ rsn_pairwise }: RadioSettings, { ciphers }: HostapdSurroundings): string {
  const known = rsn_pairwise.split(" ").filter((one) => ciphers?.includes(one) ?? true);
  return known.length === 0 ? rsn_pairwise : known.join(" ");
}

/** `sae_pwe`: 6 GHz knows hash-to-element only (1), elsewhere stations may do either (2). */
export function saePwe(settings: RadioSettings): 1 | 2 {
  return isSixGhz(settings) ? 1 : 2;
}

import * as z from "zod";
import { hasControl } from "../../core/net/grammar.ts";

/*
 * Settings of a radio in hostapd's own spelling (hostapd.conf(5), hostapd 2.10). Nothing in them can
 * end a line of the file: every text has a grammar of its own.
 */

const Flag = z.int().min(0).max(1);

/** Two letters of ISO 3166-1; in capitals, as the regulatory database has them. */
export const CountryCode = z.string().trim().toUpperCase().regex(/^[A-Z]{2}$/, {
  error: "Use the two letters of a country, such as US",
}).meta({ examples: ["US"] });

/** Capabilities as hostapd takes them: `[HT40+][SHORT-GI-20]`. */
export const Capabilities = z.string().trim().max(512).regex(
  /^(\[[A-Z0-9][A-Z0-9+_-]*\])*$/,
  { error: "Write capabilities in brackets, such as [HT40+][SHORT-GI-20]" },
);

/** Distinct words of a list in one text. */
function text(allowed: readonly string[], label: string): z.ZodType<string, string> {
  return z.string().trim().refine(
    (text) => text.split(/\s+/).every((word) => allowed.includes(word)),
    { error: `Use ${label} out of ${allowed.join(", ")}` },
  ).meta({
    pattern: `^\\s*(${allowed.join("|")})(\\s+(${allowed.join("|")}))*\\s*$`,
    examples: [allowed[0]],
  }).transform((text) => [...new Set(text.split(/\s+/))].join(" "));
}

/** Ways in which stations may prove their password. */
export const KEY_MANAGEMENT = ["WPA-PSK", "WPA-PSK-SHA256", "SAE"] as const;
export const KeyManagement = text(KEY_MANAGEMENT, "key management");
const CIPHERS = ["CCMP", "CCMP-256", "GCMP", "GCMP-256"] as const;
export const Cipher = z.enum(CIPHERS);
export const Ciphers = text(CIPHERS, "ciphers");

/** Bytes of a network name (IEEE 802.11-2020 9.4.2.2). */
export const MAX_SSID_BYTES = 32;

/** A network name as text; its bytes are its UTF-8. */
export const SsidText = z.string().refine((text) => {
  const { length } = new TextEncoder().encode(text);
  return length >= 1 && length <= MAX_SSID_BYTES && text.isWellFormed();
}, { error: `Use a name of 1 to ${MAX_SSID_BYTES} bytes` })
  .refine((text) => !/\p{Cc}/u.test(text), { error: "Use a name without line breaks and the like" })
  .meta({ minLength: 1, maxLength: MAX_SSID_BYTES, examples: ["home"] });

/**
 * A network name as it is set: without marks of writing direction, with which it shows as another. Its
 * bytes are otherwise what is sent, since devices know the network by them.
 */
export const SentSsid = SsidText.refine((text) => !hasControl(text), {
  error: "Leave out the marks of writing direction, which are not seen",
});

/** A network name whose bytes are no UTF-8, in hexadecimal; "" where the text says it all. */
export const SsidHex = z.string().trim().toLowerCase().regex(/^([0-9a-f]{2}){0,32}$/, {
  error: `Use pairs of hexadecimal digits, at most ${MAX_SSID_BYTES}`,
}).meta({ examples: [""] });

const Centre = z.int().min(-1).max(253).default(-1);
const Signal = z.int().min(-100).max(0).default(0);

/** Operating classes of 6 GHz (IEEE 802.11-2020 table E-4, 802.11ax-2021). */
const SIX_GHZ_CLASSES = { first: 131, last: 137 } as const;

/** Settings of a radio (`configs/wifi/radios.json`, by interface). */
export const RadioSettings = z.object({
  ssid: SsidText,
  /** In place of `ssid`. */
  ssid_hex: SsidHex.default(""),
  country_code: CountryCode.default("US"),
  /** `a` is 5 and 6 GHz, `b` and `g` are 2.4 GHz. */
  hw_mode: z.enum(["a", "b", "g"]).default("a"),
  /** 0: hostapd chooses. */
  channel: z.int().min(0).max(253).default(36),
  /** 0: as `hw_mode` and `channel` say. */
  op_class: z.union([z.literal(0), z.int().min(81).max(137)]).default(0),
  ieee80211d: Flag.default(1),
  ieee80211h: Flag.default(1),
  ieee80211n: Flag.default(1),
  ieee80211ac: Flag.default(1),
  ieee80211ax: Flag.default(0),
  ieee80211be: Flag.default(0),
  /** 0: 20 or 40 MHz, 1: 80 MHz, 2: 160 MHz, 3: 80+80 MHz; `eht` 9: 320 MHz. */
  vht_oper_chwidth: z.int().min(0).max(3).default(1),
  he_oper_chwidth: z.int().min(0).max(3).default(1),
  eht_oper_chwidth: z.int().min(0).max(9).default(1),
  /** Channel number of the centre; -1: the one that fits the channel and the width. */
  vht_oper_centr_freq_seg0_idx: Centre,
  he_oper_centr_freq_seg0_idx: Centre,
  eht_oper_centr_freq_seg0_idx: Centre,
  he_su_beamformer: Flag.default(0),
  he_su_beamformee: Flag.default(0),
  he_mu_beamformer: Flag.default(0),
  ht_capab: Capabilities.default(
    "[LDPC][HT40+][HT40-][GF][SHORT-GI-20][SHORT-GI-40][TX-STBC][RX-STBC1]",
  ),
  vht_capab: Capabilities.default(
    "[RXLDPC][SHORT-GI-80][TX-STBC-2BY1][RX-STBC-1][MAX-A-MPDU-LEN-EXP3]" +
      "[RX-ANTENNA-PATTERN][TX-ANTENNA-PATTERN]",
  ),
  rsn_pairwise: Ciphers.default("CCMP CCMP-256"),
  wpa_key_mgmt: KeyManagement.default("WPA-PSK WPA-PSK-SHA256 SAE"),
  /** Protected management frames: 0 off, 1 optional, 2 required. */
  ieee80211w: z.int().min(0).max(2).default(1),
  rrm_neighbor_report: Flag.default(1),
  rrm_beacon_report: Flag.default(1),
  rrm_link_measurement_report: Flag.default(1),
  bss_transition: Flag.default(0),
  time_advertisement: z.union([z.literal(0), z.literal(2)]).default(0),
  /** dBm; 0 off. */
  rssi_reject_assoc_rssi: Signal,
  /** Seconds. */
  rssi_reject_assoc_timeout: z.int().min(0).max(255).default(0),
  /** dBm; 0 off. */
  rssi_ignore_probe_request: Signal,
  /** Multi-link operation (Wi-Fi 7), with a second link of its own channel. */
  mld_ap: Flag.default(0),
  mlo_channel: z.int().min(0).max(253).default(0),
  mlo_bandwidth: z.int().min(0).max(320).default(0),
  mlo_hw_mode: z.enum(["", "a", "b", "g"]).default(""),
  mlo_ht_capab: Capabilities.default(""),
  mlo_vht_capab: Capabilities.default(""),
}).meta({ id: "RadioSettings" });
export type RadioSettings = z.output<typeof RadioSettings>;

/** True for a radio that works at 6 GHz. */
export function isSixGhz({ op_class }: Pick<RadioSettings, "op_class">): boolean {
  return op_class >= SIX_GHZ_CLASSES.first && op_class <= SIX_GHZ_CLASSES.last;
}

/** Bytes of a network name. */
export function ssidBytes(
  { ssid, ssid_hex }: Pick<RadioSettings, "ssid" | "ssid_hex">,
): Uint8Array<ArrayBuffer> {
  return ssid_hex === "" ? new TextEncoder().encode(ssid) : Uint8Array.fromHex(ssid_hex);
}

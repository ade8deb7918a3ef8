import * as z from "zod";
import { InterfaceName, Mac } from "../../core/net/grammar.ts";
import { isGroupMac } from "../../core/net/net.ts";
import { MAX_SSID_BYTES, SsidHex } from "../radio/settings_schema.ts";

/** Ways in which a network may be joined: wpa_supplicant's words. */
const JOIN_WORDS = ["NONE", "WPA-PSK", "WPA-PSK-SHA256", "SAE"] as const;
/** What is meant where a client names none. */
const DEFAULT_JOIN = "WPA-PSK WPA-PSK-SHA256";
/** Bytes of a password; WPA3 sets no limit of its own. */
const MAX_PASSWORD_BYTES = 128;
/** Networks of one interface. */
const MAX_NETWORKS = 64;

/** Asked for on uplinks by Wi-Fi: Debian's page for this purpose, over HTTP so that a portal can answer. */
export const PORTAL_CHECK_URL = "http://network-test.debian.org/nm";

const WORD = `(${JOIN_WORDS.slice(1).join("|")})`;

/** Words of key management, each once; an open network has no other. */
const JoinKeys = z.string().trim().transform((text) => text === "" ? DEFAULT_JOIN : text)
  .refine((text) => {
    const words = text.split(/\s+/);
    return words.every((word) => (JOIN_WORDS as readonly string[]).includes(word)) &&
      (words.length === 1 || !words.includes("NONE"));
  }, { error: `Use NONE alone, or words out of ${JOIN_WORDS.slice(1).join(", ")}` })
  .transform((text) => [...new Set(text.split(/\s+/))].join(" "))
  .meta({
    pattern: `^\\s*(NONE|${WORD}(\\s+${WORD})*)?\\s*$`,
    examples: ["WPA-PSK WPA-PSK-SHA256 SAE"],
  });

const Priority = z.union([z.string().max(16), z.int()]).transform((value) => String(value).trim())
  .pipe(z.string().regex(/^(-?\d{1,6})?$/, { error: "Use a whole number" }))
  .meta({ examples: ["1"] });

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/;

const JoinPassword = z.string()
  .refine((text) => !CONTROL.test(text) && text.isWellFormed(), {
    error: "Use a password without line breaks and the like",
  })
  .refine((text) => bytesOf(text) <= MAX_PASSWORD_BYTES, {
    error: `Use at most ${MAX_PASSWORD_BYTES} bytes`,
  }).meta({ maxLength: MAX_PASSWORD_BYTES });

/** A network that an uplink joins. */
export const WpaNetwork = z.object({
  Disabled: z.boolean().default(false),
  /** A passphrase, or the key of 64 hexadecimal digits; "" for an open network. */
  Password: JoinPassword.default(""),
  SSID: z.string().refine((text) => bytesOf(text) <= MAX_SSID_BYTES && text.isWellFormed(), {
    error: `Use a name of at most ${MAX_SSID_BYTES} bytes`,
  }).refine((text) => !CONTROL.test(text), {
    error: "Use a name without line breaks and the like, or SSIDHex",
  }).meta({ maxLength: MAX_SSID_BYTES, examples: ["home"] }).default(""),
  /** In place of `SSID`, for a name whose bytes are no text. */
  SSIDHex: SsidHex.optional(),
  KeyMgmt: JoinKeys.default(DEFAULT_JOIN),
  /** The highest one in range is joined; "" is 0. */
  Priority: Priority.optional(),
  /** Only the access point with this address; "" any. */
  BSSID: z.union([
    Mac.refine((mac) => !isGroupMac(mac), { error: "Use the address of one device" }),
    z.literal(""),
  ]).optional(),
}).meta({ id: "WpaNetwork" });
export type WpaNetwork = z.output<typeof WpaNetwork>;

/** An interface whose radio joins networks (an entry of `configs/wifi_uplink/wpa.json`). */
export const WpaInterface = z.object({
  Iface: InterfaceName,
  Enabled: z.boolean().default(false),
  Networks: z.array(WpaNetwork).max(MAX_NETWORKS, {
    error: `There are at most ${MAX_NETWORKS} networks`,
  }).default([]),
  /** Kept for existing clients. */
  ScanIface: z.union([InterfaceName, z.literal("")]).optional(),
  MonitorIface: z.union([InterfaceName, z.literal("")]).optional(),
  /** Page that is requested to detect captive portals; "" none, absent the default. */
  PortalCheckURL: z.union([
    z.literal(""),
    z.url({ protocol: /^https?$/, error: "Use an address with http:// or https://" }).max(300),
  ]).optional(),
}).meta({ id: "WpaInterface" });
export type WpaInterface = z.output<typeof WpaInterface>;

/** All of them, as the file and `GET /uplink/wifi` have them. */
export const WpaFile = z.object({ WPAs: z.array(WpaInterface) }).meta({ id: "WpaFile" });

/** A network in wpa_supplicant's terms. */
export const JoinedNetwork = z.object({
  /** For people. */
  name: z.string(),
  ssidHex: z.string().regex(/^([0-9a-f]{2}){1,32}$/).meta({ examples: ["686f6d65"] }),
  keys: z.array(z.enum(JOIN_WORDS)).min(1),
  password: JoinPassword,
  priority: z.int(),
  bssid: z.union([Mac, z.literal("")]),
});
export type JoinedNetwork = z.output<typeof JoinedNetwork>;

/** An uplink that wifid keeps a wpa_supplicant on. */
export const PlannedSupplicant = z.object({
  name: InterfaceName,
  /** Two letters; "" not known. */
  country: z.string().regex(/^([A-Z]{2})?$/).meta({ examples: ["US"] }),
  networks: z.array(JoinedNetwork),
});
export type PlannedSupplicant = z.output<typeof PlannedSupplicant>;

/** State of an uplink by Wi-Fi, as wifid reports it. */
export const SupplicantState = z.object({
  name: InterfaceName,
  /** `failed`: wpa_supplicant does not run; `missing`: no such interface. */
  state: z.enum(["connected", "connecting", "searching", "missing", "failed", "stopped"]),
  /** The network that it is on; "" none. */
  ssid: z.string().max(64),
  bssid: z.union([Mac, z.literal("")]),
  /** MHz; 0 not known. */
  frequency: z.int().min(0),
  /** dBm; 0 not known. */
  signal: z.int(),
  /** Why it is not connected, for people; "" none. */
  problem: z.string().max(500),
}).meta({ id: "SupplicantState" });
export type SupplicantState = z.output<typeof SupplicantState>;

/** Report of all of them (`PUT /supplicants`). */
export const SupplicantReport = z.object({ items: z.array(SupplicantState).max(64) })
  .meta({ id: "SupplicantReport" });
export type SupplicantReport = z.output<typeof SupplicantReport>;

import * as z from "zod";
import { Mac } from "../core/net/grammar.ts";
import { MASK } from "../devices/schema.ts";
import { isGroupMac } from "../core/net/net.ts";
import { KeyManagement, SentSsid, SsidText } from "./radio/settings_schema.ts";

/** A password of all stations of a network: 8 to 63 printable ASCII characters, without `|`. */
export const SharedPassword = z.string().regex(/^[\x20-\x7b\x7d\x7e]{8,63}$/, {
  error: "Use 8 to 63 printable ASCII characters without |",
}).refine((text) => text === text.trim(), {
  error: "Use no blanks at the beginning or the end",
});

/** An additional network of a radio (`ExtraBSS` of an interface). */
export const ExtraBss = z.object({
  Ssid: SsidText,
  /** Its address derives from this one; "" from that of the radio. */
  Bssid: z.union([
    Mac.refine((mac) => !isGroupMac(mac), { error: "Use the address of one device" }),
    z.literal(""),
  ]).default(""),
  /** `0` open, `1` WPA, `2` WPA2 and WPA3. */
  Wpa: z.enum(["0", "1", "2"]).default("2"),
  WpaKeyMgmt: z.union([z.literal(""), KeyManagement]).default(""),
  /** Stations reach each other past the firewall, on the network's one interface. */
  DisableIsolation: z.boolean().default(false),
  /** One password for all; "" a password per device. */
  GuestPassword: z.union([SharedPassword, z.literal("")]).default(""),
}).meta({ id: "ExtraBss" });
export type ExtraBss = z.output<typeof ExtraBss>;

/** Body of `PUT /hostapd/{interface}/enableExtraBSS`; the mask leaves the password. */
export const ExtraBssRequest = ExtraBss.extend({
  Ssid: SentSsid,
  GuestPassword: z.union([SharedPassword, z.literal(["", MASK])]).default(""),
}).meta({ id: "ExtraBssRequest" });
export type ExtraBssRequest = z.output<typeof ExtraBssRequest>;

/** Key management of an additional network without one of its own. */
export const DEFAULT_EXTRA_KEYS = "WPA-PSK WPA-PSK-SHA256";

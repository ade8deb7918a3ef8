import { z } from "zod";
import { hasControl, Ip, Ipv4, line, Mac, WireguardKey } from "../core/grammar.ts";

/** Every policy a device may hold. `api` and `guestonly` have no packet meaning for a device. */
export const POLICIES = [
  "wan",
  "lan",
  "dns",
  "api",
  "lan_upstream",
  "noapi",
  "guestonly",
  "disabled",
  "quarantine",
  "dns:family",
] as const;
export type Policy = (typeof POLICIES)[number];

/** Policies that may be given to many devices at once. */
export const BULK_POLICIES: readonly Policy[] = [
  "wan",
  "lan",
  "dns",
  "dns:family",
  "lan_upstream",
  "noapi",
  "quarantine",
];

/** Wi-Fi key type: `sae` is WPA3, `wpa` and `wpa2` are WPA2; what was sent is kept. */
export const PskType = z.enum(["sae", "wpa", "wpa2"]);

/** 8 to 63 printable ASCII characters without `|` (IEEE 802.11-2020 J.4; `|` separates hostapd fields). */
export const Psk = z.string().regex(/^[\x20-\x7e]{8,63}$/, {
  error: "Use 8 to 63 printable ASCII characters",
}).refine((text) => !text.includes("|"), { error: "Leave out the character |" });

export const PskEntry = z.object({
  Type: z.union([PskType, z.literal("")]),
  Psk: z.union([Psk, z.literal("")]),
});

export const Style = z.object({
  Icon: z.string().regex(/^[A-Za-z]{0,32}$/, { error: "Use letters only" }),
  Color: z.string().regex(/^[A-Za-z]{0,32}$/, { error: "Use letters only" }),
});

/** Lower-case label of a group or tag: one line, 1 to 64 characters, never the name of a policy. */
export const Label = z.string().trim().toLowerCase()
  .min(1, { error: "Write a name" })
  .max(64, { error: "Use at most 64 characters" })
  .refine((text) => !hasControl(text), { error: "Use no line breaks or control characters" })
  .refine((text) => !(POLICIES as readonly string[]).includes(text), {
    error: "This is the name of a policy; choose another",
  });

/** A device as decided and stored; times and signal are observations and live elsewhere. */
export const Device = z.object({
  Name: line(250),
  /** `Container` for a plugin's own device. */
  Type: z.enum(["", "Container"]),
  MAC: z.union([Mac, z.literal("")]),
  WGPubKey: z.union([WireguardKey, z.literal("")]),
  /** "" or 1–4094 (IEEE 802.1Q). */
  VLANTag: z.string(),
  RecentIP: z.union([Ipv4, z.literal("")]),
  DNSCustom: z.union([Ip, z.literal("")]),
  PSKEntry: PskEntry,
  Policies: z.array(z.enum(POLICIES)),
  Groups: z.array(Label),
  DeviceTags: z.array(Label),
  Style,
  /** Unix seconds; 0 never. */
  DeviceExpiration: z.int().min(0),
  /** Delete it at its expiry rather than disable it. */
  DeleteExpiration: z.boolean(),
  /** The same fact as the policy `disabled`; the two never differ. */
  DeviceDisabled: z.boolean(),
});
export type Device = z.output<typeof Device>;

/** By identity: lower-case MAC, else WireGuard public key, else `pending`, `pending-2`, …. */
export type Devices = Readonly<Record<string, Device>>;

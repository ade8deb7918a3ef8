import * as z from "zod";
import {
  hasControl,
  inOneForm,
  Ip,
  Ipv4,
  line,
  Mac,
  takes,
  WireguardKey,
} from "../core/net/grammar.ts";
import { isGroupMac, parseAddress } from "../core/net/net.ts";
import { POLICY_NAMES } from "./policies.ts";

/** Wi-Fi key type: `sae` is WPA3, `wpa` and `wpa2` are WPA2; what was sent is kept. */
export const PskType = z.enum(["sae", "wpa", "wpa2"]);

/** 8 to 63 printable ASCII characters without `|` (IEEE 802.11-2020 J.4; `|` separates hostapd fields). */
export const Psk = z.string().regex(/^[\x20-\x7e]{8,63}$/, {
  error: "Use 8 to 63 printable ASCII characters",
}).refine((text) => !text.includes("|"), { error: "Leave out the character |" })
  .refine((text) => text.trim() !== "", { error: "Use more than blanks" });

/** What stands for a password in every answer that must not show it; sent back it means "unchanged". */
export const MASK = "**";

/** A Wi-Fi password and its kind; both "" when there is none. */
export const PskEntry = z.object({
  Type: z.enum(["", ...PskType.options]),
  Psk: orBlank(Psk),
});
export type PskEntry = z.output<typeof PskEntry>;

const StyleWord = z.string().regex(/^[A-Za-z]{0,32}$/, { error: "Use at most 32 letters" });

/** Names of an icon and a colour that the interface shows a device with; "" is the default look. */
export const Style = z.object({ Icon: StyleWord, Color: StyleWord });

/** "" or 1 to 4094, the identifiers that IEEE 802.1Q leaves for use. */
export const VlanTag = z.string().trim().regex(/^([1-9]\d{0,3})?$/, {
  error: "Write a VLAN tag from 1 to 4094",
}).refine((text) => Number(text) <= 4094, { error: "Write a VLAN tag from 1 to 4094" });

/** "" (also for white space), or what the schema takes. */
export function orBlank(schema: z.ZodType<string>): z.ZodType<string, string> {
  const checked = z.string().transform((text, context) => {
    if (text.trim() === "") return "";
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    for (const { message } of result.error.issues) context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
  return takes(checked, z.union([schema, z.literal("")]));
}

/**
 * Lower-case label of a group or tag in its one form ({@link oneForm}): one line, 1 to 64 characters, never
 * the name of a policy.
 */
export const Label = inOneForm(z.string()).toLowerCase()
  .min(1, { error: "Write a name" })
  .max(64, { error: "Use at most 64 characters" })
  .refine((text) => !hasControl(text), { error: "Use no line breaks or control characters" })
  .refine((text) => !(POLICY_NAMES as readonly string[]).includes(text), {
    error: "This is the name of a policy; choose another",
  });

/** MAC address of one device: not a group address, not all zero. */
export const UnicastMac = Mac.refine((mac) => !isGroupMac(mac) && mac !== "00:00:00:00:00:00", {
  error: "Enter the MAC address of a single device, not a group address",
});

/** Address of a resolver; an IPv4-mapped address (`::ffff:192.0.2.1`) is refused. */
export const Resolver = Ip.refine((text) => !isMapped(text), {
  error: "Write the IPv4 address itself, such as 192.168.2.10",
});

/** A {@link Resolver} that a packet can be sent to: the address of one machine that is not the sender. */
export const UnicastResolver = Resolver.refine((text) => {
  const address = parseAddress(text);
  if (address === null) return true;
  const first = Number(address.value >> (address.family === 4 ? 24n : 120n));
  return address.family === 4
    ? first > 0 && first !== 127 && first < 224
    : address.value > 1n && first !== 0xff;
}, { error: "Write the address of one machine, such as 192.168.2.10" });

function isMapped(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && address.family === 6 && address.value >> 32n === 0xffffn;
}

/** A device as decided and stored; times and signal are observations and live elsewhere. */
export const Device = z.object({
  Name: line(250),
  /** `Container` for a plugin's own device. */
  Type: z.enum(["", "Container"]),
  MAC: orBlank(UnicastMac),
  WGPubKey: orBlank(WireguardKey),
  VLANTag: VlanTag,
  /** The device address of a /30 of a pool; "" until it asks for one. */
  RecentIP: orBlank(Ipv4),
  /** Resolver of its own; "" for the router's. */
  DNSCustom: orBlank(Resolver),
  PSKEntry: PskEntry,
  Policies: z.array(z.enum(POLICY_NAMES)),
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

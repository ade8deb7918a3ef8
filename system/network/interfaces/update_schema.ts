import * as z from "zod";
import { InterfaceName, Ipv4, Mac, PATTERNS } from "../../core/net/grammar.ts";
import { ExtraBss } from "../../wifi/extra_bss_schema.ts";
import { isGroupMac, isUnroutable, parseIpv4, parseRange4 } from "../../core/net/net.ts";

/** Roles of an interface. */
const LinkType = z.enum(["AP", "Uplink", "Downlink", "Other"], {
  error: "Use one of AP, Uplink, Downlink, Other",
});

/** A unicast MAC address. */
const UnicastMac = Mac.refine((mac) => !isGroupMac(mac) && mac !== "00:00:00:00:00:00", {
  error: "Use a unicast MAC address, such as 02:00:00:00:0a:01",
});

/** Body of `PUT /link/config`; missing fields stay unchanged. */
export const LinkUpdate = z.object({
  Name: InterfaceName,
  Type: LinkType.optional(),
  Subtype: z.string().optional(),
  Enabled: z.boolean().optional(),
  /** Custom MAC address; "" the hardware's. */
  MACOverride: z.union([UnicastMac, z.literal("")]).optional(),
  /** Use a random MAC address. */
  MACRandomize: z.boolean().optional(),
  /** With a common vendor prefix, so that it does not look random. */
  MACCloak: z.boolean().optional(),
}).meta({ id: "LinkUpdate" });
export type LinkUpdate = z.output<typeof LinkUpdate>;

const STATIC_ADDRESS_MESSAGE =
  "Use the router's own address with its prefix, such as 203.0.113.2/24";

/** A host address with the prefix of its network, or without one; "" none. */
const FixedAddress = z.string().meta({
  pattern: PATTERNS.range4.pattern.replace("^", "^\\s*$|^"),
  examples: PATTERNS.host4.examples,
}).transform(
  (text, context) => {
    const refuse = (message: string): never => {
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    if (text.trim() === "") return "";
    if (text.includes(":")) return refuse("Static IPv6 addresses are not supported; use IPv4");
    const range = parseRange4(text);
    const value = parseIpv4(text.split("/")[0] ?? "");
    if (range === null || value === null || range.prefix === 0) {
      return refuse(STATIC_ADDRESS_MESSAGE);
    }
    if (isUnroutable(value)) return refuse("Use a host address");
    if (range.prefix < 31 && (value === range.first || value === range.last)) {
      return refuse("This is the network or broadcast address; use a host address");
    }
    return text;
  },
);

const Gateway = z.string().refine((text) => text === "" || parseIpv4(text) !== null, {
  error: (issue) =>
    String(issue.input).includes(":")
      ? "An IPv6 gateway is not supported; use IPv4"
      : "Use the gateway's IPv4 address, such as 203.0.113.1",
}).meta({ pattern: PATTERNS.ipv4.pattern.replace("^", "^$|^"), examples: ["203.0.113.1"] });

/** Additional addresses of one interface. */
const MAX_ADDITIONAL_ADDRESSES = 64;

/** An additional address, which is required. */
const AdditionalAddress = FixedAddress.refine((text) => text !== "", {
  error: STATIC_ADDRESS_MESSAGE,
});

/** Body of `PUT /uplink/ip` and `PUT /link/ip`; missing fields stay unchanged, "" clears. */
export const UplinkUpdate = z.object({
  Name: InterfaceName,
  Enabled: z.boolean().optional(),
  DisableDHCP: z.boolean().optional(),
  IP: FixedAddress.optional().describe(
    "With the prefix of its network; without one it keeps that of the same address, or is a /32",
  ),
  Router: Gateway.optional(),
  VLAN: z.string().refine((text) => text.trim() === "", {
    error: "A VLAN on an uplink is not supported; leave it empty",
  }).meta({ pattern: "^\\s*$", examples: [""] }).optional(),
  AdditionalIPs: z.array(z.object({
    IP: AdditionalAddress,
    Router: Gateway.nullish().transform((text) => text ?? ""),
  })).max(MAX_ADDITIONAL_ADDRESSES, {
    error: `Use at most ${MAX_ADDITIONAL_ADDRESSES} additional addresses`,
  })
    .optional(),
}).meta({ id: "UplinkUpdate" });
export type UplinkUpdate = z.output<typeof UplinkUpdate>;

/** An interface and its role in answers: optional fields only where they are set. */
export const InterfaceEntry = z.looseObject({
  Name: InterfaceName,
  Type: LinkType,
  Subtype: z.string(),
  Enabled: z.boolean(),
  DisableDHCP: z.boolean().optional(),
  IP: z.string().optional(),
  Router: Ipv4.optional(),
  VLAN: z.string().optional(),
  MACOverride: z.string().optional(),
  MACRandomize: z.boolean().optional(),
  MACCloak: z.boolean().optional(),
  AdditionalIPs: z.array(z.object({ IP: z.string(), Router: z.string() })).optional(),
  /** Additional networks of an access point; their password is masked. */
  ExtraBSS: z.array(ExtraBss.extend({ GuestPassword: z.string() })).optional(),
}).meta({ id: "InterfaceEntry" });
export type InterfaceEntry = z.output<typeof InterfaceEntry>;

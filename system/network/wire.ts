import { z } from "zod";
import { InterfaceName, Ipv4, Mac } from "../core/net/grammar.ts";
import { isGroupMac, isNobodys, parseIpv4, parseRange4 } from "../core/net/net.ts";

/** Roles that a link can have. */
export const LinkType = z.enum(["AP", "Uplink", "Downlink", "Other"], {
  error: "Use one of AP, Uplink, Downlink, Other",
});

/** An address that one card can have. */
const CardMac = Mac.refine((mac) => !isGroupMac(mac) && mac !== "00:00:00:00:00:00", {
  error: "This is a group's address or nobody's; write one card's, such as 02:00:00:00:0a:01",
});

/** Body of `PUT /link/config`; what is missing stays as it is. */
export const LinkUpdate = z.object({
  Name: InterfaceName,
  Type: LinkType.optional(),
  Subtype: z.string().optional(),
  Enabled: z.boolean().optional(),
  /** Another address for the card; "" its own. */
  MACOverride: z.union([CardMac, z.literal("")]).optional(),
  /** A drawn address for the card. */
  MACRandomize: z.boolean().optional(),
  /** Drawn among those of makers of cards, so that it does not show. */
  MACCloak: z.boolean().optional(),
});
export type LinkUpdate = z.output<typeof LinkUpdate>;

const FIXED_WORDS = "Write the router's own address with its prefix, such as 203.0.113.2/24";

/** An address that a machine can have, with the prefix of its network. */
const FixedAddress = z.string().transform((text, context) => {
  const refuse = (message: string): never => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  if (text.trim() === "") return "";
  if (text.includes(":")) return refuse("Fixed IPv6 addresses are not possible yet; write IPv4");
  const range = text.includes("/") ? parseRange4(text) : null;
  const value = parseIpv4(text.split("/")[0] ?? "");
  if (range === null || value === null || range.prefix === 0) return refuse(FIXED_WORDS);
  if (isNobodys(value)) return refuse("No machine can have this address");
  if (range.prefix < 31 && (value === range.first || value === range.last)) {
    return refuse("This names the network itself or everyone in it; write one machine's address");
  }
  return text;
});

const Gateway = z.string().refine((text) => text === "" || parseIpv4(text) !== null, {
  error: (issue) =>
    String(issue.input).includes(":")
      ? "An IPv6 gateway is not possible yet; write IPv4"
      : "Write the gateway's IPv4 address, such as 203.0.113.1",
});

/** Further addresses of one link; a bare one stands for itself alone. */
const MOST_ADDITIONAL = 64;

/** A further address, which must be there. */
const FurtherAddress = FixedAddress.refine((text) => text !== "", { error: FIXED_WORDS });
const BareAddress = z.string().refine((text) => {
  const value = parseIpv4(text);
  return value !== null && !isNobodys(value);
}, { error: FIXED_WORDS });

/** Body of `PUT /uplink/ip` and `PUT /link/ip`; what is missing stays as it is, "" clears. */
export const UplinkUpdate = z.object({
  Name: InterfaceName,
  Enabled: z.boolean().optional(),
  DisableDHCP: z.boolean().optional(),
  IP: FixedAddress.optional(),
  Router: Gateway.optional(),
  VLAN: z.string().refine((text) => text.trim() === "", {
    error: "A VLAN on an uplink is not possible yet; leave it empty",
  }).optional(),
  AdditionalIPs: z.array(z.object({
    IP: z.union([BareAddress, FurtherAddress]),
    Router: Gateway.nullish().transform((text) => text ?? ""),
  })).max(MOST_ADDITIONAL, { error: `Use at most ${MOST_ADDITIONAL} further addresses` })
    .optional(),
});
export type UplinkUpdate = z.output<typeof UplinkUpdate>;

/** A link and what it is for, as answers show it: further fields only where they are set. */
export const InterfaceEntry = z.looseObject({
  Name: InterfaceName,
  Type: LinkType,
  Subtype: z.string(),
  Enabled: z.boolean(),
  DisableDHCP: z.boolean().optional(),
  IP: z.string().optional(),
  Router: Ipv4.optional(),
  VLAN: z.string().optional(),
});
export type InterfaceEntry = z.output<typeof InterfaceEntry>;

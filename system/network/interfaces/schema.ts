import * as z from "zod";
import { InterfaceName, Ipv4, Mac } from "../../core/net/grammar.ts";
import { ExtraBss } from "../../wifi/extra_bss_schema.ts";
import { parseRange4 } from "../../core/net/net.ts";

/** An address with the length of its network's prefix; the host bits are the router's own. */
const HostCidr = z.string().refine(
  (text) => text.includes("/") && parseRange4(text) !== null && parseRange4(text)!.prefix > 0,
  { error: "Use an address with its prefix, such as 203.0.113.2/24" },
);

/** As existing routers may have it: an address without a prefix is on its own. */
const LoneAddress = Ipv4.transform((address) => `${address}/32`);

/**
 * An interface of the router and its role (`configs/base/interfaces.json`). Unknown fields are
 * preserved.
 */
export const Interface = z.looseObject({
  Name: InterfaceName,
  Type: z.enum(["AP", "Uplink", "Downlink", "Other"]),
  Subtype: z.string().default(""),
  Enabled: z.boolean().default(false),
  /** Uplink with a static address: `IP` and `Router` apply. */
  DisableDHCP: z.boolean().default(false),
  /** Fixed address with prefix, such as 203.0.113.2/24; "" none. */
  IP: z.union([LoneAddress, HostCidr, z.literal("")]).default(""),
  /** Default gateway; "" none. */
  Router: z.union([Ipv4, z.literal("")]).default(""),
  VLAN: z.string().default(""),
  MACOverride: z.union([Mac, z.literal("")]).default(""),
  MACRandomize: z.boolean().default(false),
  MACCloak: z.boolean().default(false),
  /** The random MAC address of `MACRandomize`; kept until that is chosen again. */
  RandomMAC: z.union([Mac, z.literal("")]).default(""),
  /** Administrative state of an interface of type Other; "" leaves it unchanged. */
  State: z.enum(["", "up", "down"]).default(""),
  /** Additional networks of an access point. */
  ExtraBSS: z.preprocess((value) => value ?? [], z.array(ExtraBss).max(7)),
  /** Additional addresses with their prefixes; their gateways are the last fallback. */
  AdditionalIPs: z.preprocess(
    (value) => value ?? [],
    z.array(z.object({
      IP: z.union([HostCidr, Ipv4]),
      Router: z.union([Ipv4, z.literal("")]).default(""),
    })),
  ),
});
export type Interface = z.output<typeof Interface>;

/** Subtype of an uplink whose radio joins networks. */
export const WIFI_UPLINK = "wifi";

/** Static addresses of an interface; of an uplink with DHCP only the additional ones. */
export function fixedAddresses(
  { Type, DisableDHCP, IP, AdditionalIPs }: Interface,
): readonly string[] {
  const own = IP === "" || (Type === "Uplink" && !DisableDHCP) ? [] : [IP];
  return [...own, ...AdditionalIPs.map((one) => one.IP)];
}

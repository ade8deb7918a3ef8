import { z } from "zod";
import { InterfaceName, Ipv4, Mac } from "../core/net/grammar.ts";
import { parseRange4 } from "../core/net/net.ts";

/** An address with the length of its network's prefix; the host bits are the router's own. */
const HostCidr = z.string().refine(
  (text) => text.includes("/") && parseRange4(text) !== null && parseRange4(text)!.prefix > 0,
  { error: "Write an address with its prefix, such as 203.0.113.2/24" },
);

/**
 * A link of the router and what it is for (`configs/base/interfaces.json`). Fields that have no
 * meaning yet are kept as they are.
 */
export const Interface = z.looseObject({
  Name: InterfaceName,
  Type: z.enum(["AP", "Uplink", "Downlink", "Other"]),
  Subtype: z.string().default(""),
  Enabled: z.boolean().default(false),
  /** Uplink with a fixed address: `IP` and `Router` hold. */
  DisableDHCP: z.boolean().default(false),
  /** Fixed address with prefix, such as 203.0.113.2/24; "" none. */
  IP: z.union([HostCidr, z.literal("")]).default(""),
  /** Default gateway; "" none. */
  Router: z.union([Ipv4, z.literal("")]).default(""),
  VLAN: z.string().default(""),
  MACOverride: z.union([Mac, z.literal("")]).default(""),
  MACRandomize: z.boolean().default(false),
  MACCloak: z.boolean().default(false),
  /** The card's address that was drawn when `MACRandomize` was chosen; kept until it is chosen anew. */
  RandomMAC: z.union([Mac, z.literal("")]).default(""),
  /** Of a link that is for nothing in particular: what it is kept at; "" leaves it as it is. */
  State: z.enum(["", "up", "down"]).default(""),
  /** Further addresses with their prefixes; a gateway of theirs stands in where no other is left. */
  AdditionalIPs: z.preprocess(
    (value) => value ?? [],
    z.array(z.object({
      IP: z.union([HostCidr, Ipv4]),
      Router: z.union([Ipv4, z.literal("")]).default(""),
    })),
  ),
});
export type Interface = z.output<typeof Interface>;

/** Fixed addresses of a link; of an uplink with DHCP only the further ones hold. */
export function fixedAddresses(
  { Type, DisableDHCP, IP, AdditionalIPs }: Interface,
): readonly string[] {
  const own = IP === "" || (Type === "Uplink" && !DisableDHCP) ? [] : [IP];
  return [...own, ...AdditionalIPs.map((one) => one.IP)];
}

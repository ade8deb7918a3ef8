import { z } from "zod";
import { InterfaceName, Ipv4, Mac } from "../core/grammar.ts";

/** A link of the router and what it is for (`configs/base/interfaces.json`). */
export const Interface = z.object({
  Name: InterfaceName,
  Type: z.enum(["AP", "Uplink", "Downlink", "Other"]),
  Subtype: z.string(),
  Enabled: z.boolean(),
  /** Uplink with a fixed address: `IP` and `Router` hold. */
  DisableDHCP: z.boolean(),
  /** Fixed address with prefix, such as 203.0.113.2/24; "" none. */
  IP: z.string(),
  /** Default gateway; "" none. */
  Router: z.union([Ipv4, z.literal("")]),
  VLAN: z.string(),
  MACOverride: z.union([Mac, z.literal("")]),
  MACRandomize: z.boolean(),
  MACCloak: z.boolean(),
});
export type Interface = z.output<typeof Interface>;

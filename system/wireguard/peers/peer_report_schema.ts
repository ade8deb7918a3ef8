import * as z from "zod";
import { InterfaceName, Ipv4, WireguardKey } from "../../core/net/grammar.ts";
import { orBlank } from "../../devices/schema.ts";

/** A peer that came (`PUT /wireguardUpdate`). */
export const PeerUpdate = z.object({
  IP: Ipv4,
  PublicKey: WireguardKey,
  Iface: orBlank(InterfaceName).default(""),
  Name: z.string().max(1024).default(""),
});
export type PeerUpdate = z.output<typeof PeerUpdate>;

/** A peer that went (`DELETE /wireguardUpdate`); only its key counts. */
export const PeerRemoval = z.object({ PublicKey: WireguardKey });
export type PeerRemoval = z.output<typeof PeerRemoval>;

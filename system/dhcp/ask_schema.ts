import { z } from "zod";
import { InterfaceName, Ipv4 } from "../core/net/grammar.ts";
import { CardMac, orBlank } from "../devices/schema.ts";
import { DhcpAnswer } from "./schema.ts";

/** Free text of a client; what is shown of it is made fit first. */
const ClientText = z.string().max(4096).default("");

/** What a client says, as the DHCP server passes it on (`PUT /ask`). */
export const Ask = z.object({
  kind: z.enum(["discover", "request", "inform", "decline", "release"]),
  mac: CardMac,
  link: InterfaceName,
  name: ClientText,
  /** Option 61 as text: `duid:…`, or its bytes in hexadecimal. */
  clientId: ClientText,
  /** The address that it asks for, has, or gives back; "" for none. */
  wanted: orBlank(Ipv4).default(""),
  /** The server that it chose (option 54); "" for none. */
  server: orBlank(Ipv4).default(""),
  vendorClass: ClientText,
  parameters: ClientText,
});
export type Ask = z.output<typeof Ask>;

/** What a client is to be told. */
export const Told = DhcpAnswer.extend({
  /** What people call the device; "" for nothing. */
  name: z.string(),
  /** Time servers (option 42). */
  ntp: z.array(Ipv4).default([]),
});
export type Told = z.output<typeof Told>;

/** What the DHCP server knows while the api is away. */
export const Snapshot = z.object({
  /** Changes with every change of the rest. */
  tag: z.string(),
  /** Links to lease addresses on. */
  links: z.array(z.string()),
  /** Links that are served whoever answers there: by an admin's word, and those of one station each. */
  confirmed: z.array(z.string()),
  leases: z.array(z.object({
    mac: z.string(),
    /** Where the device was last; null when it never was. */
    link: z.string().nullable(),
    told: Told,
  })),
});
export type Snapshot = z.output<typeof Snapshot>;

/** Another DHCP server answers on a link of ours (`PUT /foreignServer`). */
export const ForeignServer = z.object({ link: InterfaceName, server: Ipv4 });
export type ForeignServer = z.output<typeof ForeignServer>;

/** A device that got its address on another link still answers on its old one (`PUT /stillThere`). */
export const StillThere = z.object({ mac: CardMac, link: InterfaceName });
export type StillThere = z.output<typeof StillThere>;

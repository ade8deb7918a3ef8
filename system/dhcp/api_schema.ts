import * as z from "zod";
import { InterfaceName, Ipv4 } from "../core/net/grammar.ts";
import { orBlank, UnicastMac } from "../devices/schema.ts";
import { DhcpAnswer } from "./schema.ts";

/** Free text of a client; it is cleaned before it is shown. */
const ClientText = z.string().max(4096).default("");

/** A client's message as the DHCP server passes it on (`PUT /decide`). */
export const ClientMessage = z.object({
  kind: z.enum(["discover", "request", "inform", "decline", "release"]),
  mac: UnicastMac,
  link: InterfaceName,
  name: ClientText,
  /** Option 61 as text: `duid:…`, or its bytes in hexadecimal. */
  clientId: ClientText,
  /** The address that the client requests, has, or releases; "" for none. */
  wanted: orBlank(Ipv4).default(""),
  /** The server that the client chose (option 54); "" for none. */
  server: orBlank(Ipv4).default(""),
  vendorClass: ClientText,
  parameters: ClientText,
});
export type ClientMessage = z.output<typeof ClientMessage>;

/** The address and settings to reply with. */
export const LeaseDecision = DhcpAnswer.extend({
  /** The device's name; "" for none. */
  name: z.string(),
  /** Time servers (option 42). */
  ntp: z.array(Ipv4).default([]),
});
export type LeaseDecision = z.output<typeof LeaseDecision>;

/** What the DHCP server works from while the api is away. */
export const Snapshot = z.object({
  /** Changes with every change of the rest. */
  tag: z.string(),
  /** Interfaces to serve. */
  links: z.array(z.string()),
  /** False while the api has yet to apply the network: then no interfaces may mean that it starts. */
  decided: z.boolean().default(false),
  /** Interfaces served whatever other server answers there: confirmed by an admin, or of one Wi-Fi station. */
  serveAnyway: z.array(z.string()),
  /** Networks by Wi-Fi: each of their stations has an interface of its own, `wlan0.4096`. */
  points: z.array(z.string()).default([]),
  leases: z.array(z.object({
    mac: z.string(),
    /** Where the device was last seen; null for never. */
    link: z.string().nullable(),
    /** Where the router's own path to the device leads; null for nowhere, as with a disabled device. */
    path: z.string().nullable().default(null),
    lease: LeaseDecision,
  })),
});
export type Snapshot = z.output<typeof Snapshot>;

/** What a probe for other DHCP servers found on an interface of ours (`PUT /foreignServer`). */
export const ForeignServer = z.object({
  link: InterfaceName,
  /** The other server; null for none. */
  server: Ipv4.nullable().default(null),
  /** The interface is served by us and stays so. */
  serving: z.boolean().default(false),
});
export type ForeignServer = z.output<typeof ForeignServer>;

/**
 * A client that was refused on an interface, `claimed`, because its MAC address still answers on the one
 * where it got its address, `link` (`PUT /duplicateMac`).
 */
export const DuplicateMac = z.object({
  mac: UnicastMac,
  link: InterfaceName,
  claimed: InterfaceName,
});
export type DuplicateMac = z.output<typeof DuplicateMac>;

/** A message on an interface that named this MAC address and came from another (`PUT /foreignSender`). */
export const ForeignSender = z.object({ mac: UnicastMac, link: InterfaceName });
export type ForeignSender = z.output<typeof ForeignSender>;

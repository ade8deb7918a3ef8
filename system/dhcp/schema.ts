import * as z from "zod";
import { Cidr4, InterfaceName, Ipv4 } from "../core/net/grammar.ts";
import { parseRange4 } from "../core/net/net.ts";
import { orBlank, UnicastMac } from "../devices/schema.ts";

/** Prefix lengths that a pool may have. */
const PREFIX_LENGTHS = { shortest: 8, longest: 24 };

/** A pool of device addresses: a unicast IPv4 network from /8 to /24. */
export const Pool = Cidr4.refine((text) => {
  const range = parseRange4(text);
  return range === null ||
    (range.prefix >= PREFIX_LENGTHS.shortest && range.prefix <= PREFIX_LENGTHS.longest);
}, { error: "Use a prefix from /8 to /24" }).refine((text) => {
  const first = (parseRange4(text)?.first ?? 0) >>> 24;
  return first > 0 && first !== 127 && first < 224;
}, { error: "Use a unicast network, not a loopback, multicast or reserved one" });

/** `24h0m0s`: hours, minutes and seconds, one or two digits each, all three. */
export const LeaseTime = z.string().trim().regex(/^\d{1,2}h\d{1,2}m\d{1,2}s$/, {
  error: "Use hours, minutes and seconds of one or two digits each, such as 24h0m0s",
}).refine((text) => leaseSeconds(text) >= 60, { error: "Use a lease time of at least one minute" });

/** Time servers in a reply; more do not fit the packets that every client takes. */
export const MAX_TIME_SERVERS = 4;

/** The address pools of devices and the time for which an address is leased. */
export const SubnetConfig = z.object({
  TinyNets: z.array(Pool)
    .min(1, { error: "Add at least one network, such as 192.168.2.0/24" })
    .max(64, { error: "Use at most 64 networks" }),
  LeaseTime,
  /** NTP servers for clients (option 42); absent for none, in a request: unchanged. */
  NTPServers: z.array(Ipv4).max(MAX_TIME_SERVERS, {
    error: `Use at most ${MAX_TIME_SERVERS} time servers`,
  }).nullish(),
}).meta({ id: "SubnetConfig" });
export type SubnetConfig = z.output<typeof SubnetConfig>;

/** Seconds of a lease time. */
export function leaseSeconds(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(/[hms]/).map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

/** Free text of a client; it is cleaned before it is shown. */
const ClientText = z.string().max(4096).default("");

/** Option 61 as the DHCP server writes it: `duid:…`, or its bytes in hexadecimal (RFC 2132 9.14). */
export const ClientIdentifier = z.string().regex(/^(duid:)?([0-9a-f]{2}){1,255}$/);

/** A client's request for its address (`PUT /dhcpRequest`). */
export const DhcpRequest = z.object({
  MAC: UnicastMac,
  Iface: InterfaceName,
  Identifier: ClientText,
  /** Host name, option 12. */
  Name: ClientText,
  /** Option 55 as a list of numbers joined by commas. */
  ParamReqList: ClientText,
  /** Option 60. */
  VendorClass: ClientText,
});
export type DhcpRequest = z.output<typeof DhcpRequest>;

/** A request to reserve an address for a peer (`PUT /abstractDhcpRequest`). */
export const AbstractDhcpRequest = z.object({
  Identifier: z.string().regex(/^[\x21-\x7e]{1,128}$/, {
    error: "Use 1 to 128 printable characters without blanks",
  }),
});
export type AbstractDhcpRequest = z.output<typeof AbstractDhcpRequest>;

/** A report of an address that a client was given (`PUT /dhcpUpdate`). */
export const DhcpUpdate = z.object({
  IP: Ipv4,
  MAC: UnicastMac,
  Name: ClientText,
  Iface: InterfaceName,
  Router: orBlank(Ipv4).default(""),
});
export type DhcpUpdate = z.output<typeof DhcpUpdate>;

/** The answer to both requests. */
export const DhcpAnswer = z.object({
  Identifier: z.string(),
  IP: z.string(),
  RouterIP: z.string(),
  DNSIP: z.string(),
  LeaseTime: z.string(),
});
export type DhcpAnswer = z.output<typeof DhcpAnswer>;

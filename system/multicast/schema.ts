import * as z from "zod";
import { InterfaceName, Ipv4, line } from "../core/net/grammar.ts";
import { formatIpv4, parseIpv4 } from "../core/net/net.ts";
import { Label } from "../devices/schema.ts";

/** An IPv4 multicast address and a UDP port. */
export interface Group {
  readonly address: string;
  readonly port: number;
}

/** Parses `224.0.0.251:5353`; null unless it is a multicast address (RFC 5771) and a port. */
export function parseGroup(text: string): Group | null {
  const [host = "", port = "", ...more] = text.trim().split(":");
  const address = parseIpv4(host);
  if (more.length > 0 || address === null || address >>> 28 !== 0xe) return null;
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65535) return null;
  return { address: formatIpv4(address), port: Number(port) };
}

/** The canonical text of a group. */
export function formatGroup({ address, port }: Group): string {
  return `${address}:${port}`;
}

const GroupText = z.string().meta({
  pattern: "^\\s*[0-9.]{7,15}:[0-9]{1,5}\\s*$",
  examples: ["224.0.0.251:5353"],
}).transform((text, context) => {
  const group = parseGroup(text);
  if (group !== null) return formatGroup(group);
  context.addIssue({
    code: "custom",
    message: "Write an IPv4 multicast address and a port, such as 224.0.0.251:5353",
  });
  return z.NEVER;
});

/** A reflected group. With tags: only to interfaces with a device that has one of them. */
export const MulticastAddress = z.object({
  Address: GroupText,
  Disabled: z.boolean().default(false),
  Tags: z.array(Label).max(64, { error: "Name at most 64 tags" }).default([]),
  Description: line(200).default(""),
}).meta({ id: "MulticastAddress" });
export type MulticastAddress = z.output<typeof MulticastAddress>;

/** One label of a DNS name (RFC 1123 2.1), or empty for the host name. */
const MdnsName = z.string().trim().toLowerCase()
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$/, {
    error: "Write a name of letters, digits and hyphens, without .local",
  });

/** Groups reflected between LAN interfaces, and the router's mDNS name. */
export const MulticastSettings = z.object({
  Disabled: z.boolean().default(false),
  Addresses: z.array(MulticastAddress)
    .max(64, { error: "Name at most 64 addresses" })
    .default([])
    .superRefine((list, context) => {
      const seen = new Set<string>();
      list.forEach(({ Address }, index) => {
        if (seen.has(Address)) {
          context.addIssue({
            code: "custom",
            path: [index, "Address"],
            message: `${Address} stands in the list twice`,
          });
        }
        seen.add(Address);
      });
    }),
  DisableMDNSAdvertise: z.boolean().default(false),
  MDNSName: MdnsName.default(""),
}).meta({ id: "MulticastSettings" });
export type MulticastSettings = z.output<typeof MulticastSettings>;

const RelayInterface = z.object({
  name: InterfaceName,
  /** The router's own addresses on it. */
  addresses: z.array(Ipv4),
  /** Addresses of the devices on it whose multicast is reflected; without any, it receives none. */
  senders: z.array(Ipv4),
  /** Tags of these devices. */
  tags: z.array(z.string()),
  /** Devices that get unicast copies, since their interface has no multicast (a VPN). */
  peers: z.array(Ipv4),
});
export type RelayInterface = z.output<typeof RelayInterface>;

/** Plan of multicastd; without interfaces it joins no group. */
export const RelayPlan = z.object({
  /** Identifies the plan. */
  tag: z.string(),
  /** False while the plan is not yet known, as at a start of the api: the current one stays active. */
  decided: z.boolean(),
  links: z.array(RelayInterface),
  groups: z.array(z.object({ address: Ipv4, port: z.int(), tags: z.array(z.string()) })),
  /** Our label below `.local`; null for none. */
  name: z.string().nullable(),
});
export type RelayPlan = z.output<typeof RelayPlan>;

/** One service name or search target. */
const Service = z.string().max(128);

/** What a device says of itself, by key. */
const Description = z.record(z.string().max(32), z.string().max(128)).default({});

/** A batch of discovered senders reported by multicastd. */
export const DiscoveryReport = z.object({
  items: z.array(z.object({
    address: z.string().max(32),
    source: Ipv4,
    link: InterfaceName,
    services: z.array(Service).max(32),
    txt: Description,
    ssdp: Description,
  })).max(256),
});
export type DiscoveryReport = z.output<typeof DiscoveryReport>;

/** A sender seen on a reflected group. */
export const DiscoveredSender = z.object({
  address: z.string(),
  source: z.string(),
  link: z.string(),
  /** Identity of the device; empty for an unknown address. */
  identity: z.string(),
  /** Services that it announces or searches for, latest last: text of the device itself. */
  services: z.array(Service),
  /** Unix milliseconds. */
  lastSeen: z.int(),
}).meta({ id: "DiscoveredSender" });
export type DiscoveredSender = z.output<typeof DiscoveredSender>;

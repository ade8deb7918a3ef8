import * as z from "zod";

/*
 * A packet that the kernel reported to a log group: its headers, under the names that existing clients
 * read, and none of its content.
 */

/** Groups of nfnetlink_log: what was allowed, and what was blocked. */
export const LOG_GROUPS = { allowed: 0, blocked: 1 } as const;

const text = z.string(), whole = z.int(), flag = z.boolean();

const EthernetHeader = z.strictObject({ SrcMAC: text, DstMAC: text.optional(), HwType: whole });

/** IPv4; of IPv6 the fields that both have, with `TTL` for the hop limit. */
const IpHeader = z.strictObject({
  Version: whole,
  IHL: whole.optional(),
  TOS: whole,
  Length: whole,
  Id: whole.optional(),
  Flags: whole.optional(),
  FragOffset: whole.optional(),
  TTL: whole,
  Protocol: whole,
  Checksum: whole.optional(),
  SrcIP: text,
  DstIP: text,
});

const TcpHeader = z.strictObject({
  SrcPort: whole,
  DstPort: whole,
  Seq: whole,
  Ack: whole,
  DataOffset: whole,
  ...{ FIN: flag, SYN: flag, RST: flag, PSH: flag, ACK: flag, URG: flag },
  ...{ ECE: flag, CWR: flag, NS: flag },
  Window: whole,
  Checksum: whole,
  Urgent: whole,
});

const UdpHeader = z.strictObject({
  SrcPort: whole,
  DstPort: whole,
  Length: whole,
  Checksum: whole,
});

const IcmpHeader = z.strictObject({ Type: whole, Code: whole });

/** The headers that a packet has, as far as they were copied. */
export const PacketHeaders = z.strictObject({
  Ethernet: EthernetHeader.optional(),
  IP: IpHeader.optional(),
  TCP: TcpHeader.optional(),
  UDP: UdpHeader.optional(),
  ICMP: IcmpHeader.optional(),
});
export type PacketHeaders = z.output<typeof PacketHeaders>;

/** A packet of a log group. */
export const LoggedPacket = PacketHeaders.extend({
  group: whole,
  /** Of the log statement. */
  prefix: text,
  /** Unix milliseconds. */
  at: z.number(),
  /** "" where it came from, or goes to, the router itself. */
  inDev: text,
  outDev: text,
  /** Where it was sent before the router translated it. */
  original: z.strictObject({ address: text, port: whole }).optional(),
});
export type LoggedPacket = z.output<typeof LoggedPacket>;

/** What netd reports: a packet, with how many like it are not reported, or how many were lost. */
export const PacketReport = z.union([
  z.strictObject({ packet: LoggedPacket, more: whole }),
  z.strictObject({ lost: whole }),
]);
export type PacketReport = z.output<typeof PacketReport>;

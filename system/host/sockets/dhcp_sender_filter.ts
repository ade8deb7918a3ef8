import type { FilterStep } from "./socket_filter.ts";

/** Where a DHCP message (RFC 2131 2) has its fields, and how long it is without options. */
const GIADDR = 24, CHADDR = 28, CHADDR_END = 34, HEADER = 240;
/** Length of a UDP header, which comes before the message. */
const UDP_HEADER = 8;
/** Where linux/filter.h has the Ethernet header, and the source in it. */
const ETHERNET_SOURCE = 0x1_0000_0000 - 0x200000 + 6;
const EVERYTHING = 0xffff;

/** Bytes that are left of a message in the name of another MAC address than it came from. */
export const FOREIGN_LENGTH = CHADDR_END;

/**
 * Passes whole what a client sent itself, and what a relay did. Of a message in the name of another MAC
 * address it leaves only what comes before the options, so that nobody can obey it and it is seen all
 * the same; of what is too short for a message, one byte. The kernel compares, since a UDP socket
 * tells nobody where a frame came from.
 */
export const DHCP_SENDER_FILTER: readonly FilterStep[] = [
  [0x80, 0, 0, 0], // the datagram's length
  [0x35, 0, 12, UDP_HEADER + HEADER],
  [0x20, 0, 0, UDP_HEADER + GIADDR],
  [0x15, 0, 8, 0],
  [0x20, 0, 0, ETHERNET_SOURCE], // four bytes of both addresses
  [0x07, 0, 0, 0],
  [0x20, 0, 0, UDP_HEADER + CHADDR],
  [0x1d, 0, 5, 0],
  [0x28, 0, 0, ETHERNET_SOURCE + 4], // the other two
  [0x07, 0, 0, 0],
  [0x28, 0, 0, UDP_HEADER + CHADDR + 4],
  [0x1d, 0, 1, 0],
  [0x06, 0, 0, EVERYTHING],
  [0x06, 0, 0, UDP_HEADER + FOREIGN_LENGTH],
  [0x06, 0, 0, UDP_HEADER + 1],
];

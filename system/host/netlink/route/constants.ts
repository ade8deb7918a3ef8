/**
 * Numbers of the kernel's messages about links, addresses, routes, rules and neighbours: linux/netlink.h,
 * rtnetlink.h, if_link.h, if_addr.h, neighbour.h, fib_rules.h, netconf.h, if.h, if_arp.h.
 */

/** Bytes of the header of every message (struct nlmsghdr). */
export const MESSAGE_HEADER = 16;

/** Message types. */
export const MESSAGE = {
  error: 2,
  done: 3,
  newLink: 16,
  deleteLink: 17,
  getLink: 18,
  newAddress: 20,
  deleteAddress: 21,
  getAddress: 22,
  newRoute: 24,
  deleteRoute: 25,
  getRoute: 26,
  newNeighbour: 28,
  deleteNeighbour: 29,
  getNeighbour: 30,
  newRule: 32,
  deleteRule: 33,
  getRule: 34,
  newNetconf: 80,
  getNetconf: 82,
} as const;

/** Flags of a request, and of an answer. */
export const FLAG = {
  request: 0x1,
  ack: 0x4,
  dump: 0x300,
  replace: 0x100,
  exclusive: 0x200,
  create: 0x400,
  /** Of an answer in parts: what it lists changed meanwhile. */
  interrupted: 0x10,
  /** Of an acknowledgement: the request is not repeated in it. */
  capped: 0x100,
  /** Of an acknowledgement: attributes follow. */
  explained: 0x200,
} as const;

/** Attributes of an acknowledgement. */
export const ACK = { text: 1 } as const;

/** Families of addresses. */
export const AF = { any: 0, inet: 2, inet6: 10 } as const;

/** Size of the family's fixed header, between a message's header and its attributes. */
export const BODY = {
  link: 16,
  address: 8,
  route: 12,
  neighbour: 12,
  rule: 12,
  netconf: 4,
} as const;

/** Attributes of a link. */
export const IFLA = {
  address: 1,
  broadcast: 2,
  name: 3,
  mtu: 4,
  link: 5,
  qdisc: 6,
  master: 10,
  queue: 13,
  operstate: 16,
  info: 18,
  counters: 23,
  group: 27,
  mask: 29,
  netns: 37,
  carrierUps: 47,
  altnames: 52,
  altname: 53,
  permanent: 54,
  infoKind: 1,
  infoData: 2,
  vlanId: 1,
  infoPortKind: 4,
  infoPortData: 5,
} as const;

/** Attributes of a VXLAN (linux/if_link.h, IFLA_VXLAN_…). */
export const VXLAN = { id: 1, remote: 2, learning: 7, port: 15 } as const;

/** Attributes of a bridge's port (linux/if_link.h, IFLA_BRPORT_…). */
export const BRIDGE_PORT = { isolated: 33 } as const;

/** In {@link IFLA}.mask of a request: without counters. */
export const NO_COUNTERS = 8;

/** Flags of a link in the order in which ip(8) names them. */
export const LINK_FLAGS: readonly (readonly [string, number])[] = [
  ["LOOPBACK", 0x8],
  ["BROADCAST", 0x2],
  ["POINTOPOINT", 0x10],
  ["MULTICAST", 0x1000],
  ["NOARP", 0x80],
  ["ALLMULTI", 0x200],
  ["PROMISC", 0x100],
  ["MASTER", 0x400],
  ["SLAVE", 0x800],
  ["DEBUG", 0x4],
  ["DYNAMIC", 0x8000],
  ["AUTOMEDIA", 0x4000],
  ["PORTSEL", 0x2000],
  ["NOTRAILERS", 0x20],
  ["UP", 0x1],
  ["LOWER_UP", 0x10000],
  ["DORMANT", 0x20000],
  ["ECHO", 0x40000],
];

/** Flags of a link that mean something together. */
export const IFF = { up: 0x1, pointToPoint: 0x10, running: 0x40 } as const;

/** States of a link (RFC 2863) by their number. */
export const OPERSTATES: readonly string[] = [
  ...["UNKNOWN", "NOTPRESENT", "DOWN", "LOWERLAYERDOWN", "TESTING", "DORMANT", "UP"],
];

/** Kinds of links by their number, as ip(8) names them; any other is `[number]`. */
export const LINK_TYPES: Readonly<Record<number, string>> = {
  1: "ether",
  24: "ieee1394",
  32: "infiniband",
  280: "can",
  512: "ppp",
  519: "rawip",
  768: "ipip",
  769: "tunnel6",
  772: "loopback",
  776: "sit",
  778: "gre",
  801: "ieee802.11",
  803: "ieee802.11/radiotap",
  823: "gre6",
  65534: "none",
};

/** Attributes of an address. */
export const IFA = {
  address: 1,
  local: 2,
  label: 3,
  broadcast: 4,
  anycast: 5,
  lives: 6,
  flags: 8,
  metric: 9,
  protocol: 11,
} as const;

/**
 * Who set an address (IFA_PROTO, since Linux 5.18): ours is one of those that the kernel leaves to
 * programs (4–255; rt_addrprotos of iproute2). It goes with the address, whatever becomes of us.
 */
export const ADDRESS_OURS = 0x53;

/** A permanent address; without it, it is dynamic. */
export const ADDRESS_PERMANENT = 0x80;
/** The flag of a further address of a network; in IPv6 of one that changes often. */
export const ADDRESS_SECONDARY = 0x1;
/** A deprecated address, not used for new connections. */
export const ADDRESS_DEPRECATED = 0x20;

/** Flags of an address in the order in which ip(8) names them. */
export const ADDRESS_FLAGS: readonly (readonly [string, number])[] = [
  ["secondary", ADDRESS_SECONDARY],
  ["nodad", 0x2],
  ["optimistic", 0x4],
  ["dadfailed", 0x8],
  ["home", 0x10],
  ["deprecated", ADDRESS_DEPRECATED],
  ["tentative", 0x40],
  ["permanent", ADDRESS_PERMANENT],
  ["mngtmpaddr", 0x100],
  ["noprefixroute", 0x200],
  ["autojoin", 0x400],
  ["stable-privacy", 0x800],
];

/** Attributes of a route. */
export const RTA = {
  destination: 1,
  oif: 4,
  gateway: 5,
  priority: 6,
  multipath: 9,
  table: 15,
  via: 18,
} as const;

/** Kinds of routes. */
export const ROUTE = { unicast: 1, blackhole: 6, unreachable: 7, prohibit: 8 } as const;

/** How far a route or an address reaches. */
export const SCOPE = { universe: 0, link: 253, host: 254, nowhere: 255 } as const;

/** Tables of routes that have names. */
export const TABLES: Readonly<Record<number, string>> = {
  253: "default",
  254: "main",
  255: "local",
};
/** Number of the main table. */
export const MAIN = 254;

/** Names of route protocols; any other is shown by its number. */
export const PROTOCOLS: Readonly<Record<number, string>> = {
  ...{ 0: "unspec", 1: "redirect", 2: "kernel", 3: "boot", 4: "static", 8: "gated", 9: "ra" },
  ...{ 10: "mrt", 11: "zebra", 12: "bird", 13: "dnrouted", 14: "xorp", 15: "ntk", 16: "dhcp" },
  ...{ 18: "keepalived", 42: "babel", 99: "openr", 186: "bgp", 187: "isis", 188: "ospf" },
  ...{ 189: "rip", 192: "eigrp" },
};
/** Protocol of static routes, which Sluice's are. */
export const STATIC = 4;

/** Scopes by number, as ip(8) names them; any other is shown by its number. */
export const SCOPES: Readonly<Record<number, string>> = {
  0: "global",
  200: "site",
  253: "link",
  254: "host",
  255: "nowhere",
};

/** Attributes of a rule. */
export const FRA = {
  source: 2,
  priority: 6,
  mark: 10,
  suppressPrefix: 14,
  table: 15,
  oifName: 17,
} as const;
/** Action of a rule: look up a table. */
export const TO_TABLE = 1;

/** Attributes of a neighbour. */
export const NDA = { destination: 1, lladdr: 2 } as const;
/** Flags of a neighbour that show it whatever its state is: answered for, or learned elsewhere. */
export const NEIGHBOUR_SHOWN = 0x8 | 0x10;
/** States of a neighbour in the order in which ip(8) names them. */
export const NEIGHBOUR_STATES: readonly (readonly [string, number])[] = [
  ["INCOMPLETE", 0x1],
  ["REACHABLE", 0x2],
  ["STALE", 0x4],
  ["DELAY", 0x8],
  ["PROBE", 0x10],
  ["FAILED", 0x20],
  ["NOARP", 0x40],
  ["PERMANENT", 0x80],
];
/** States that ip(8) lists: all but those of links without neighbours. */
export const NEIGHBOUR_LISTED = 0xff & ~0x40;
/** State of a permanent entry. */
export const NEIGHBOUR_PERMANENT = 0x80;

/** Attributes of a link's settings. */
export const NETCONF = { ifindex: 1, forwarding: 2 } as const;
/** All links, in place of an index. */
export const ALL_LINKS = -1;

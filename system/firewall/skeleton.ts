import type { Chain, Match, Rule } from "../core/ruleset.ts";
import { groupMaps } from "./names.ts";
import { accept, drop, is, isNot, look, rule, within, without } from "./rule.ts";
import { RESTRICT_PRIVATE } from "./sets.ts";

/** What the chains, beside the sets that they look into, depend on. */
export interface SkeletonSources {
  /** Access points whose stations each have a link named `<name>.<number>`. */
  readonly accessPoints: readonly string[];
  readonly openGroups: ReadonlySet<string>;
  /** The router's own address at home; null when there is no home network. */
  readonly lanAddress: string | null;
}

const FROM_UPLINK = within("uplink_interfaces", "iifname");
const TO_UPLINK = within("uplink_interfaces", "oifname");
const FROM_HOME = within("lan_interfaces", "iifname");
const TO_HOME = within("lan_interfaces", "oifname");
const TCP = is("meta l4proto", "tcp");
const UDP = is("meta l4proto", "udp");
const PING = is("icmp type", "8"); // RFC 792: echo
const KNOWN = rule(
  "Replies of running connections",
  accept,
  is("ct state", "established", "related"),
);
const INVALID = rule("A packet that belongs to no connection", drop, is("ct state", "invalid"));
const SPOOF_CHAIN = { kind: "jump", chain: "DROP_MAC_SPOOF" } as const;

function stations(accessPoint: string): Match {
  return is("iifname", `${accessPoint}.*`);
}

/** Whatever comes from home or claims to must be one known device on its own link. */
function identityRules(sources: SkeletonSources): readonly Rule[] {
  return [
    rule("From home: only as the device it is", SPOOF_CHAIN, FROM_HOME),
    ...sources.accessPoints.map((name) =>
      rule(`From a station of ${name}: only as the device it is`, SPOOF_CHAIN, stations(name))
    ),
    rule(
      "A home address on any other link: only as the device it is",
      SPOOF_CHAIN,
      without("uplink_interfaces", "iifname"),
      without("lan_interfaces", "iifname"),
      within("supernetworks", "ip saddr"),
    ),
  ];
}

function input(sources: SkeletonSources): Chain {
  const askForAddress = [UDP, is("th sport", "68"), is("th dport", "67")];
  return {
    name: "INPUT",
    hook: { type: "filter", hook: "input", priority: 0, policy: "drop" },
    rules: [
      rule("The router talks to itself", accept, is("iifname", "lo")),
      rule("IPv6 to the router", { kind: "goto", chain: "INPUT_IPV6" }, is("meta nfproto", "ipv6")),
      INVALID,
      rule(
        "A home address as sender on an uplink",
        drop,
        FROM_UPLINK,
        within("supernetworks", "ip saddr"),
      ),
      rule(
        "A home address as target on an uplink",
        drop,
        FROM_UPLINK,
        within("supernetworks", "ip daddr"),
      ),
      rule("A device at home asks for an address", accept, FROM_HOME, ...askForAddress),
      ...sources.accessPoints.map((name) =>
        rule(`A station of ${name} asks for an address`, accept, stations(name), ...askForAddress)
      ),
      ...identityRules(sources),
      rule(
        "The policy noapi closes the router's shell and pages",
        drop,
        within("api_block", "ip saddr"),
        TCP,
        is("th dport", "22", "80", "443"),
      ),
      KNOWN,
      rule(
        "The policy dns opens the router's resolver",
        look("dns_access", "ip saddr", "iifname"),
        is("meta l4proto", "tcp", "udp"),
        is("th dport", "53"),
      ),
      rule(
        "A quarantined device reaches only the router's resolver",
        drop,
        within("quarantined", "ip saddr"),
      ),
      rule(
        "The router's ports that are open at home",
        look("lan_tcp_accept", "th dport"),
        FROM_HOME,
        TCP,
      ),
      rule(
        "The router's ports that are open to uplinks",
        look("wan_tcp_accept", "th dport"),
        FROM_UPLINK,
        TCP,
      ),
      rule(
        "An uplink's DHCP server answers",
        accept,
        FROM_UPLINK,
        UDP,
        is("th sport", "67"),
        is("th dport", "68"),
      ),
      rule(
        "The router answers pings where that is chosen",
        look("ping_rules", "ip saddr", "iifname"),
        PING,
      ),
      rule("Nothing opens this to the router", drop),
    ],
  };
}

/** RFC 4890 4.4.1: what a host needs to have neighbours; nothing else is answered on IPv6. */
const INPUT_IPV6: Chain = {
  name: "INPUT_IPV6",
  rules: [
    KNOWN,
    rule(
      "IPv6 neighbour discovery and multicast membership",
      accept,
      // MLD 130-132 and 143, neighbour discovery 135-136, inverse 141-142, secure 148-149.
      is("icmpv6 type", "130", "131", "132", "135", "136", "141", "142", "143", "148", "149"),
    ),
    rule("IPv6 router advertisements of an uplink", accept, FROM_UPLINK, is("icmpv6 type", "134")),
    rule(
      "An uplink's DHCPv6 server answers",
      accept,
      FROM_UPLINK,
      is("ip6 saddr", "fe80::/10"),
      UDP,
      is("th sport", "547"),
      is("th dport", "546"),
    ),
    rule("No other IPv6 reaches the router", drop),
  ],
};

function forward(sources: SkeletonSources): Chain {
  return {
    name: "FORWARD",
    hook: { type: "filter", hook: "forward", priority: 0, policy: "drop" },
    rules: [
      rule("IPv6 is not forwarded", drop, is("meta nfproto", "ipv6")),
      INVALID,
      rule("Segment size follows the route", { kind: "clamp-mss" }, TCP),
      rule(
        "A home address as sender on an uplink",
        drop,
        FROM_UPLINK,
        within("supernetworks", "ip saddr"),
      ),
      rule(
        "A home address sought on an uplink",
        drop,
        TO_UPLINK,
        within("supernetworks", "ip daddr"),
      ),
      ...identityRules(sources),
      rule("A quarantined device reaches nobody", drop, within("quarantined", "ip saddr")),
      rule("Nobody reaches a quarantined device", drop, within("quarantined", "ip daddr")),
      KNOWN,
      rule("Nobody outside starts a connection to home", drop, FROM_UPLINK),
      rule(
        "Private networks behind an uplink",
        look("drop_private_rfc1918", "ip daddr"),
        TO_UPLINK,
      ),
      rule(
        "The policy wan opens the Internet",
        look("internet_access", "ip saddr", "iifname"),
        TO_UPLINK,
      ),
      rule(
        "The policy lan opens every device at home",
        look("lan_access", "ip saddr", "iifname"),
        TO_HOME,
        within("supernetworks", "ip daddr"),
      ),
      rule("Devices of one group", { kind: "jump", chain: "CUSTOM_GROUPS" }),
      rule("Nothing opens this way", drop),
    ],
  };
}

// One list for all groups: whoever judges packets joins the fields once.
const SENDER = ["ip saddr", "iifname"] as const;
const TARGET = ["ip daddr", "oifname"] as const;

const groupChains = new WeakMap<ReadonlySet<string>, Chain>();

/** The chain of the groups; one object for one set of names. */
function groups(open: ReadonlySet<string>): Chain {
  let chain = groupChains.get(open);
  if (!chain) groupChains.set(open, chain = groupChain(open));
  return chain;
}

function groupChain(open: ReadonlySet<string>): Chain {
  return {
    name: "CUSTOM_GROUPS",
    rules: [...open].map((label): Rule => {
      const maps = groupMaps(label);
      return rule(
        `Both are in the group ${label}`,
        { kind: "vmap", fields: SENDER, map: maps.source },
        { kind: "in", fields: TARGET, set: maps.target, map: true },
      );
    }),
  };
}

const DROP_MAC_SPOOF: Chain = {
  name: "DROP_MAC_SPOOF",
  rules: [
    rule(
      "Address, link and card belong to one device",
      look("ethernet_filter", "ip saddr", "iifname", "ether saddr"),
    ),
    rule(
      "Address and VPN link belong to one device",
      look("wireguard_filter", "ip saddr", "iifname"),
    ),
    rule("Address, link and card belong to no device", drop),
  ],
};

const PRIVATE_CHAIN: Chain = {
  name: RESTRICT_PRIVATE,
  rules: [
    rule(
      "The policy lan_upstream opens private networks behind an uplink",
      look("upstream_private_rfc1918_allowed", "ip saddr"),
    ),
    rule("Private networks behind an uplink are closed", drop),
  ],
};

const OUTPUT: Chain = {
  name: "OUTPUT",
  hook: { type: "filter", hook: "output", priority: 0, policy: "accept" },
  rules: [
    rule(
      "A home address sought on an uplink",
      drop,
      TO_UPLINK,
      within("supernetworks", "ip daddr"),
    ),
    rule(
      "A home address as sender on an uplink",
      drop,
      TO_UPLINK,
      within("supernetworks", "ip saddr"),
    ),
  ],
};

/** The chains of `inet filter`. */
export function filterChains(sources: SkeletonSources): readonly Chain[] {
  return [
    DROP_MAC_SPOOF,
    PRIVATE_CHAIN,
    groups(sources.openGroups),
    INPUT_IPV6,
    input(sources),
    forward(sources),
    OUTPUT,
  ];
}

/** The chains of `inet nat`. */
export function natChains(lanAddress: string | null): readonly Chain[] {
  const redirect = lanAddress === null ? [] : [
    rule(
      "Questions to other resolvers go to the router's",
      { kind: "dnat", to: lanAddress, port: 53 },
      FROM_HOME,
      is("meta nfproto", "ipv4"),
      isNot("fib daddr type", "local"),
      is("meta l4proto", "tcp", "udp"),
      is("th dport", "53"),
    ),
  ];
  return [
    {
      name: "PREROUTING",
      hook: { type: "nat", hook: "prerouting", priority: -100, policy: "accept" },
      rules: redirect,
    },
    {
      name: "POSTROUTING",
      hook: { type: "nat", hook: "postrouting", priority: 100, policy: "accept" },
      rules: [
        rule(
          "The Internet sees the router's address",
          { kind: "masquerade" },
          TO_UPLINK,
          is("meta nfproto", "ipv4"),
        ),
      ],
    },
  ];
}

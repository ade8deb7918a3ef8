import type { Chain } from "../../core/kernel/ruleset.ts";
import { FROM_HOME, FROM_UPLINK, INVALID, KNOWN, stations, TCP, UDP } from "./conditions.ts";
import { identityRules } from "./identity_chain.ts";
import { accept, drop, is, look, rule, within } from "./rule.ts";

const PING = is("icmp type", "8"); // RFC 792: echo

/** What may reach the router itself; `accessPoints` have a link for each station. */
export function inputChain(accessPoints: readonly string[]): Chain {
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
      ...accessPoints.map((name) =>
        rule(`A station of ${name} asks for an address`, accept, stations(name), ...askForAddress)
      ),
      ...identityRules(accessPoints),
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
        "The policy dns opens the router's resolver to an interface",
        look("fwd_iface_dns", "iifname", "ip saddr"),
        is("meta l4proto", "tcp", "udp"),
        is("th dport", "53"),
      ),
      rule(
        "A quarantined device reaches only the router's resolver",
        drop,
        within("quarantined", "ip saddr"),
      ),
      rule(
        "The policy api opens the router's pages to an interface",
        accept,
        within("api_interfaces", "iifname", "ip saddr"),
        TCP,
        is("th dport", "80", "443"),
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
        "Multicast ports that are open at home",
        look("multicast_lan_udp_accept", "th dport"),
        FROM_HOME,
        is("ip daddr", "224.0.0.0/4"),
        UDP,
      ),
      rule(
        "Multicast ports that are open to uplinks",
        look("multicast_wan_udp_accept", "th dport"),
        FROM_UPLINK,
        is("ip daddr", "224.0.0.0/4"),
        UDP,
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
export const INPUT_IPV6: Chain = {
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

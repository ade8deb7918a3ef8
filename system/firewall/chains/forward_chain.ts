import type { Chain } from "../../core/kernel/ruleset.ts";
import { FROM_UPLINK, INVALID, KNOWN, TCP, TO_HOME, TO_UPLINK } from "./conditions.ts";
import { identityRules } from "./identity_chain.ts";
import { accept, drop, is, look, rule, within, without } from "./rule.ts";
import { RESTRICT_PRIVATE } from "../sets/sets.ts";

/** What may pass through the router; `accessPoints` have a link for each station. */
export function forwardChain(accessPoints: readonly string[]): Chain {
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
      ...identityRules(accessPoints),
      rule("A quarantined device reaches nobody", drop, within("quarantined", "ip saddr")),
      rule("Nobody reaches a quarantined device", drop, within("quarantined", "ip daddr")),
      KNOWN,
      rule("What rules block", { kind: "jump", chain: "FORWARD_BLOCK" }),
      rule(
        "A forward leads here from an uplink",
        accept,
        FROM_UPLINK,
        without("uplink_interfaces", "oifname"),
        is("ct status", "dnat"),
      ),
      rule("Nobody outside starts a connection to home", drop, FROM_UPLINK),
      rule("What endpoints open", { kind: "jump", chain: "ENDPOINTS" }),
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
      rule(
        "From a custom interface",
        { kind: "jump", chain: "CUSTOM_INTERFACES" },
        within("custom_interfaces", "iifname", "ip saddr"),
      ),
      rule("Devices of one group", { kind: "jump", chain: "CUSTOM_GROUPS" }),
      rule("Nothing opens this way", drop),
    ],
  };
}

/** Lets on who holds lan_upstream; drops everything else that is meant for private networks. */
export const PRIVATE_CHAIN: Chain = {
  name: RESTRICT_PRIVATE,
  rules: [
    rule(
      "The policy lan_upstream opens private networks behind an uplink",
      look("upstream_private_rfc1918_allowed", "ip saddr"),
    ),
    rule("Private networks behind an uplink are closed", drop),
  ],
};

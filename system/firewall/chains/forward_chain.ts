import type { Chain } from "../../core/kernel/ruleset.ts";
import { ESTABLISHED, FROM_UPLINK, INVALID, TCP, TO_LAN, TO_UPLINK } from "./conditions.ts";
import { identityRules } from "./identity_chain.ts";
import { devicePolicyRule, policyComment } from "./policy_rules.ts";
import { accept, DEFAULT_DROP, drop, is, lookup, rule, within, without } from "./rule.ts";
import { RESTRICT_PRIVATE } from "../sets/sets.ts";

/** What may pass through the router; `accessPoints` have a link for each station. */
export function forwardChain(accessPoints: readonly string[]): Chain {
  return {
    name: "FORWARD",
    hook: { type: "filter", hook: "forward", priority: 0, policy: "drop" },
    rules: [
      rule("Blocked: IPv6 is not forwarded", drop, is("meta nfproto", "ipv6")),
      INVALID,
      rule("Clamp TCP MSS to the path MTU", { kind: "clamp-mss" }, TCP),
      rule(
        "Blocked: LAN source address on a WAN interface",
        drop,
        FROM_UPLINK,
        within("supernetworks", "ip saddr"),
      ),
      rule(
        "Blocked: LAN destination address on a WAN interface",
        drop,
        TO_UPLINK,
        within("supernetworks", "ip daddr"),
      ),
      ...identityRules(accessPoints),
      devicePolicyRule("quarantine"),
      rule(
        `${policyComment("quarantine")} of the destination`,
        drop,
        within("quarantined", "ip daddr"),
      ),
      ESTABLISHED,
      rule("Forward block rules", { kind: "jump", chain: "FORWARD_BLOCK" }),
      rule(
        "Allowed: port forward from the WAN",
        accept,
        FROM_UPLINK,
        without("uplink_interfaces", "oifname"),
        is("ct status", "dnat"),
      ),
      rule(DEFAULT_DROP.inbound, drop, FROM_UPLINK),
      rule("Endpoints", { kind: "jump", chain: "ENDPOINTS" }),
      rule(
        "Upstream private networks",
        lookup("drop_private_rfc1918", "ip daddr"),
        TO_UPLINK,
      ),
      devicePolicyRule("wan", TO_UPLINK),
      devicePolicyRule("lan", TO_LAN, within("supernetworks", "ip daddr")),
      rule(
        "Custom interface rules",
        { kind: "jump", chain: "CUSTOM_INTERFACES" },
        within("custom_interfaces", "iifname", "ip saddr"),
      ),
      rule("Groups", { kind: "jump", chain: "CUSTOM_GROUPS" }),
      rule(DEFAULT_DROP.forward, drop),
    ],
  };
}

/** Lets on who holds lan_upstream; drops everything else that is meant for private networks. */
export const PRIVATE_CHAIN: Chain = {
  name: RESTRICT_PRIVATE,
  rules: [
    devicePolicyRule("lan_upstream"),
    rule("Blocked: upstream private network", drop),
  ],
};

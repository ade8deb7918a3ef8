import type { Chain, Rule } from "../../core/kernel/ruleset.ts";
import {
  accept,
  DEFAULT_DROP,
  devicePolicyRule,
  drop,
  ESTABLISHED,
  FROM_UPLINK,
  groupComment,
  identityRules,
  INVALID,
  is,
  lookup,
  policyComment,
  rule,
  SPOOFED_SOURCE,
  TCP,
  TO_LAN,
  TO_UPLINK,
  within,
  without,
} from "./rule.ts";
import { MESH_BRIDGE } from "../../mesh/network.ts";
import { RESTRICT_PRIVATE } from "../sets/sets.ts";
import { onceEach } from "../../core/config/memo.ts";
import { groupMaps } from "../sets/names.ts";

/**
 * What may pass through the router; `accessPoints` have a link for each station. `bridged`: a leaf, where
 * kernels with br_netfilter show frames of the bridge to this chain.
 */
export function forwardChain(accessPoints: readonly string[], bridged = false): Chain {
  return {
    name: "FORWARD",
    hook: { type: "filter", hook: "forward", priority: 0, policy: "drop" },
    rules: [
      ...(bridged
        ? [
          rule(
            "Allowed: frame between a client and the parent of this leaf router",
            accept,
            is("iifname", MESH_BRIDGE),
            is("oifname", MESH_BRIDGE),
          ),
        ]
        : []),
      rule("Blocked: IPv6 is not forwarded", drop, is("meta nfproto", "ipv6")),
      INVALID,
      rule("Clamp TCP MSS to the path MTU", { kind: "clamp-mss" }, TCP),
      SPOOFED_SOURCE,
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
      // Before the rules of devices, which single addresses are among: each is counted here.
      rule(
        "Custom interface rules",
        { kind: "jump", chain: "CUSTOM_INTERFACES" },
        within("custom_interfaces", "iifname", "ip saddr"),
      ),
      devicePolicyRule("wan", TO_UPLINK),
      devicePolicyRule("lan", TO_LAN, within("supernetworks", "ip daddr")),
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

// One list for all groups: the fields are joined once for each packet.
const SENDER = ["ip saddr", "iifname"] as const;
const TARGET = ["ip daddr", "oifname"] as const;
const SENDER_NET = ["iifname", "ip saddr"] as const;
const TARGET_NET = ["oifname", "ip daddr"] as const;

/** The groups that are open, and those of them that whole networks are in. */
export interface ActiveGroups {
  readonly names: ReadonlySet<string>;
  readonly withNetworks: ReadonlySet<string>;
}

/** The chain of the groups; one object for one set of names without networks. */
export function groupsChain(active: ActiveGroups): Chain {
  return active.withNetworks.size > 0 ? groupChain(active) : plainGroupChain(active.names);
}

const plainGroupChain = onceEach((names: ReadonlySet<string>) =>
  groupChain({ names, withNetworks: new Set() })
);

function groupRules(label: string, networks: boolean): readonly Rule[] {
  const maps = groupMaps(label);
  const senders = [
    { fields: SENDER, map: maps.source },
    ...(networks ? [{ fields: SENDER_NET, map: maps.sourceNets }] : []),
  ];
  const targets = [
    { fields: TARGET, set: maps.target },
    ...(networks ? [{ fields: TARGET_NET, set: maps.targetNets }] : []),
  ];
  return targets.flatMap((target) =>
    senders.map((sender) =>
      rule(
        groupComment(label),
        { kind: "vmap", ...sender },
        { kind: "in", ...target, map: true },
      )
    )
  );
}

function groupChain({ names, withNetworks }: ActiveGroups): Chain {
  return {
    name: "CUSTOM_GROUPS",
    rules: [...names].flatMap((label) => groupRules(label, withNetworks.has(label))),
  };
}

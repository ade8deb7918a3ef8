import type { AdminPorts } from "../admin_ports.ts";
import type { Chain, NftSet } from "../../core/kernel/ruleset.ts";
import { blockChain } from "../sets/block_sets.ts";
import { ESTABLISHED, FROM_LAN, FROM_UPLINK, OUTWARD, TO_UPLINK } from "./conditions.ts";
import { CUSTOM_INTERFACES } from "../sets/custom_sets.ts";
import { endpointChain } from "../sets/endpoint_sets.ts";
import { type ActiveGroups, forwardChain, groupsChain, PRIVATE_CHAIN } from "./forward_chain.ts";
import type { Forwards } from "../sets/forward_sets.ts";
import { DROP_MAC_SPOOF } from "./identity_chain.ts";
import { INPUT_IPV6, inputChain } from "./input_chain.ts";
import { baseName } from "../sets/regions.ts";
import { accept, drop, is, isNot, rule, within, without } from "./rule.ts";

/** What the chains, beside the sets that they look into, depend on. */
export interface SkeletonSources {
  /** Access points whose stations each have a link named `<name>.<number>`. */
  readonly accessPoints: readonly string[];
  readonly activeGroups: ActiveGroups;
  readonly adminPorts: AdminPorts;
  /** The sets of the table: chains ask every layer of those that have several. */
  readonly sets: readonly NftSet[];
}

const OUTPUT: Chain = {
  name: "OUTPUT",
  hook: { type: "filter", hook: "output", priority: 0, policy: "accept" },
  rules: [
    rule("Loopback traffic", accept, is("oifname", "lo")),
    rule(
      "Blocked: LAN destination address on a WAN interface",
      drop,
      OUTWARD,
      within("supernetworks", "ip daddr"),
    ),
    rule(
      "Blocked: LAN source address on a WAN interface",
      drop,
      OUTWARD,
      within("supernetworks", "ip saddr"),
    ),
    ESTABLISHED,
    rule("Output block rules", { kind: "jump", chain: "OUTPUT_BLOCK" }),
  ],
};

/** The chains of `inet filter`. */
export function filterChains(sources: SkeletonSources): readonly Chain[] {
  const layersOf = (...names: readonly string[]): readonly NftSet[] =>
    sources.sets.filter((set) => names.includes(baseName(set.name)));
  return [
    DROP_MAC_SPOOF,
    PRIVATE_CHAIN,
    blockChain("FORWARD_BLOCK", "Blocked by a forward block rule", layersOf("fwd_block")),
    blockChain("OUTPUT_BLOCK", "Blocked by an output block rule", layersOf("output_block")),
    endpointChain(layersOf("ept_tcpfwd", "ept_udpfwd")),
    CUSTOM_INTERFACES,
    groupsChain(sources.activeGroups),
    INPUT_IPV6,
    inputChain(sources.accessPoints, sources.adminPorts),
    forwardChain(sources.accessPoints),
    OUTPUT,
  ];
}

/** What the chains of `inet nat` depend on. */
export interface NatSources {
  readonly lanAddress: string | null;
  readonly blocks: readonly NftSet[];
  readonly forwards: Forwards;
}

/** The chains of `inet nat`. */
export function natChains({ lanAddress, blocks, forwards }: NatSources): readonly Chain[] {
  const redirect = lanAddress === null ? [] : [
    rule(
      "Redirect DNS to this router's resolver",
      { kind: "dnat", to: lanAddress, port: 53 },
      FROM_LAN,
      is("meta nfproto", "ipv4"),
      // Also those to other addresses of the router: the resolver listens on this one.
      isNot("ip daddr", lanAddress),
      is("meta l4proto", "tcp", "udp"),
      is("th dport", "53"),
    ),
  ];
  return [
    forwards.chain,
    blockChain("BLOCK", "Blocked by a block rule", blocks),
    {
      name: "PREROUTING",
      hook: { type: "nat", hook: "prerouting", priority: -100, policy: "accept" },
      rules: [
        rule("Block rules", { kind: "jump", chain: "BLOCK" }, isNot("iifname", "lo")),
        rule(
          "Port forwards",
          { kind: "jump", chain: "FORWARDS" },
          FROM_UPLINK,
          is("meta nfproto", "ipv4"),
          is("fib daddr type", "local"),
        ),
        ...redirect,
        // The forward chain decides who may reach the server, as it does without the detour.
        rule(
          "Port forwards, called by the WAN address from the LAN",
          { kind: "jump", chain: "FORWARDS" },
          without("uplink_interfaces", "iifname"),
          isNot("iifname", "lo"),
          is("meta nfproto", "ipv4"),
          within("uplink_addresses", "ip daddr"),
        ),
      ],
    },
    {
      name: "POSTROUTING",
      hook: { type: "nat", hook: "postrouting", priority: 100, policy: "accept" },
      rules: [
        rule(
          "Masquerade to the WAN",
          { kind: "masquerade" },
          TO_UPLINK,
          is("meta nfproto", "ipv4"),
        ),
      ],
    },
  ];
}

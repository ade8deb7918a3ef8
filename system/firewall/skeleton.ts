import type { Chain } from "../core/ruleset.ts";
import { FROM_HOME, TO_UPLINK } from "./conditions.ts";
import { forwardChain, PRIVATE_CHAIN } from "./forward_chain.ts";
import { groupsChain } from "./group_chain.ts";
import { DROP_MAC_SPOOF } from "./identity_chain.ts";
import { INPUT_IPV6, inputChain } from "./input_chain.ts";
import { drop, is, isNot, rule, within } from "./rule.ts";

/** What the chains, beside the sets that they look into, depend on. */
export interface SkeletonSources {
  /** Access points whose stations each have a link named `<name>.<number>`. */
  readonly accessPoints: readonly string[];
  readonly openGroups: ReadonlySet<string>;
}

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
    groupsChain(sources.openGroups),
    INPUT_IPV6,
    inputChain(sources.accessPoints),
    forwardChain(sources.accessPoints),
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

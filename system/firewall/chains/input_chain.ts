import { VXLAN_PORT } from "../../core/kernel/facts.ts";
import type { Chain } from "../../core/kernel/ruleset.ts";
import type { InputOfMesh } from "../../mesh/network.ts";
import type { AdminPorts } from "../admin_ports.ts";
import {
  accept,
  DEFAULT_DROP,
  devicePolicyRule,
  drop,
  ESTABLISHED,
  FROM_LAN,
  FROM_UPLINK,
  identityRules,
  interfacePolicyRule,
  INVALID,
  is,
  isNot,
  lookup,
  rule,
  SPOOFED_SOURCE,
  stations,
  TCP,
  UDP,
  within,
} from "./rule.ts";

const PING = is("icmp type", "8"); // RFC 792: echo

/**
 * What may reach the router itself; `accessPoints` have a link for each station, `mesh` has the other
 * routers of a mesh.
 */
export function inputChain(
  accessPoints: readonly string[],
  { ssh, web }: AdminPorts,
  mesh: InputOfMesh = { peers: [], tunnels: [], web: [] },
): Chain {
  const admin = [...ssh, ...web].toSorted((a, b) => Number(a) - Number(b));
  const dns = [is("meta l4proto", "tcp", "udp"), is("th dport", "53")];
  const askForAddress = [UDP, is("th sport", "68"), is("th dport", "67")];
  return {
    name: "INPUT",
    hook: { type: "filter", hook: "input", priority: 0, policy: "drop" },
    rules: [
      rule("Loopback traffic", accept, is("iifname", "lo")),
      rule("IPv6 to the router", { kind: "goto", chain: "INPUT_IPV6" }, is("meta nfproto", "ipv6")),
      INVALID,
      SPOOFED_SOURCE,
      rule(
        "Blocked: LAN destination address on a WAN interface",
        drop,
        FROM_UPLINK,
        within("supernetworks", "ip daddr"),
      ),
      rule("Allowed: DHCP request from the LAN", accept, FROM_LAN, ...askForAddress),
      ...accessPoints.map((name) =>
        rule(
          `Allowed: DHCP request on access point ${name}`,
          accept,
          stations(name),
          ...askForAddress,
        )
      ),
      ...identityRules(accessPoints),
      // Before what belongs to a connection: a sender that takes such an address is part of none.
      ...mesh.tunnels.map((tunnel) =>
        rule(
          `Blocked: address of the mesh tunnel to ${tunnel.outer} from elsewhere`,
          drop,
          isNot("iifname", tunnel.interface),
          is("ip saddr", tunnel.peer),
        )
      ),
      devicePolicyRule("noapi", TCP, is("th dport", ...admin)),
      ESTABLISHED,
      devicePolicyRule("dns", ...dns),
      interfacePolicyRule("dns", ...dns),
      devicePolicyRule("quarantine"),
      interfacePolicyRule("api", TCP, is("th dport", ...web)),
      rule(
        "Allowed: router port open to the LAN",
        lookup("lan_tcp_accept", "th dport"),
        FROM_LAN,
        TCP,
      ),
      rule(
        "Allowed: router port open to the WAN",
        lookup("wan_tcp_accept", "th dport"),
        FROM_UPLINK,
        TCP,
      ),
      ...[FROM_UPLINK, FROM_LAN].map((from, at) =>
        rule(
          `Allowed: VPN tunnel from the ${at === 0 ? "WAN" : "LAN"}`,
          lookup("vpn_udp_accept", "th dport"),
          from,
          UDP,
        )
      ),
      ...(mesh.web.length === 0 ? [] : [
        rule(
          "Allowed: web port of a leaf router, from the network of its parent",
          accept,
          is("iifname", ...mesh.web),
          TCP,
          is("th dport", "80", "443"),
        ),
      ]),
      ...mesh.tunnels.filter(({ links }) => links.length > 0).map(({ outer, links, port }) =>
        rule(
          `Allowed: mesh tunnel to ${outer}`,
          accept,
          is("iifname", ...links),
          is("ip saddr", outer),
          UDP,
          is("th dport", String(port)),
        )
      ),
      ...mesh.peers.map(({ address, links, vni }) =>
        rule(
          `Allowed: mesh link to ${address}`,
          accept,
          is("iifname", ...links),
          is("ip saddr", address),
          UDP,
          is("th dport", String(VXLAN_PORT)),
          is("@th,96,24", String(vni)),
        )
      ),
      rule(
        "Allowed: multicast port open to the LAN",
        lookup("multicast_lan_udp_accept", "th dport"),
        FROM_LAN,
        is("ip daddr", "224.0.0.0/4"),
        UDP,
      ),
      rule(
        "Allowed: multicast port open to the WAN",
        lookup("multicast_wan_udp_accept", "th dport"),
        FROM_UPLINK,
        is("ip daddr", "224.0.0.0/4"),
        UDP,
      ),
      rule(
        "Allowed: reply of a DHCP server on the WAN",
        accept,
        FROM_UPLINK,
        UDP,
        is("th sport", "67"),
        is("th dport", "68"),
      ),
      rule(
        "Allowed: ping to the router",
        lookup("ping_rules", "ip saddr", "iifname"),
        PING,
      ),
      rule(DEFAULT_DROP.input, drop),
    ],
  };
}

/** RFC 4890 4.4.1: what a host needs to have neighbours; nothing else is answered on IPv6. */
export const INPUT_IPV6: Chain = {
  name: "INPUT_IPV6",
  rules: [
    ESTABLISHED,
    rule(
      "Allowed: IPv6 neighbour discovery and multicast membership",
      accept,
      // MLD 130-132 and 143, neighbour discovery 135-136, inverse 141-142, secure 148-149.
      is("icmpv6 type", "130", "131", "132", "135", "136", "141", "142", "143", "148", "149"),
    ),
    rule(
      "Allowed: IPv6 router advertisement from the WAN",
      accept,
      FROM_UPLINK,
      is("icmpv6 type", "134"),
    ),
    rule(
      "Allowed: reply of a DHCPv6 server on the WAN",
      accept,
      FROM_UPLINK,
      is("ip6 saddr", "fe80::/10"),
      UDP,
      is("th sport", "547"),
      is("th dport", "546"),
    ),
    rule("Blocked: other IPv6 traffic to the router", drop),
  ],
};

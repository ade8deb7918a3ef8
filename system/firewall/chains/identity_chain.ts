import type { Chain, Rule } from "../../core/kernel/ruleset.ts";
import { FROM_LAN, stations } from "./conditions.ts";
import { DEFAULT_DROP, drop, lookup, rule, within, without } from "./rule.ts";

const SPOOF_CHAIN = { kind: "jump", chain: "DROP_MAC_SPOOF" } as const;

/** Whatever comes from home or claims to must be one known device on its own link. */
export function identityRules(accessPoints: readonly string[]): readonly Rule[] {
  return [
    rule("Anti-spoofing for the LAN", SPOOF_CHAIN, FROM_LAN),
    ...accessPoints.map((name) =>
      rule(`Anti-spoofing for access point ${name}`, SPOOF_CHAIN, stations(name))
    ),
    rule(
      "Anti-spoofing for LAN addresses on other interfaces",
      SPOOF_CHAIN,
      without("uplink_interfaces", "iifname"),
      without("lan_interfaces", "iifname"),
      within("supernetworks", "ip saddr"),
    ),
  ];
}

/** Returns when IP address, interface and MAC address belong to one device; drops everything else. */
export const DROP_MAC_SPOOF: Chain = {
  name: "DROP_MAC_SPOOF",
  rules: [
    rule(
      "Source matches a device: address, interface and MAC address",
      lookup("ethernet_filter", "ip saddr", "iifname", "ether saddr"),
    ),
    rule(
      "Source matches a VPN device: address and interface",
      lookup("wireguard_filter", "ip saddr", "iifname"),
    ),
    rule(DEFAULT_DROP.spoofed, drop),
  ],
};

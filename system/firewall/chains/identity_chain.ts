import type { Chain, Rule } from "../../core/kernel/ruleset.ts";
import { FROM_HOME, stations } from "./conditions.ts";
import { drop, look, rule, within, without } from "./rule.ts";

const SPOOF_CHAIN = { kind: "jump", chain: "DROP_MAC_SPOOF" } as const;

/** Whatever comes from home or claims to must be one known device on its own link. */
export function identityRules(accessPoints: readonly string[]): readonly Rule[] {
  return [
    rule("From home: only as the device it is", SPOOF_CHAIN, FROM_HOME),
    ...accessPoints.map((name) =>
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

/** Returns when address, link and card belong to one device; drops everything else. */
export const DROP_MAC_SPOOF: Chain = {
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

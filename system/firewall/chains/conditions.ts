import type { Match } from "../../core/kernel/ruleset.ts";
import { accept, drop, is, rule, within } from "./rule.ts";

/** It comes in from an uplink. */
export const FROM_UPLINK = within("uplink_interfaces", "iifname");
/** It would leave by an uplink. */
export const TO_UPLINK = within("uplink_interfaces", "oifname");
/**
 * It would leave by an uplink: for rules that close. The set is another, since on the way to a state in
 * which a link is no uplink any more, what is allowed to uplinks ends and what is closed to them stays.
 */
export const OUTWARD = within("outward_interfaces", "oifname");
/** It comes in on a link that devices are on. */
export const FROM_LAN = within("lan_interfaces", "iifname");
/** It would leave by a link that devices are on. */
export const TO_LAN = within("lan_interfaces", "oifname");
/** TCP. */
export const TCP = is("meta l4proto", "tcp");
/** UDP. */
export const UDP = is("meta l4proto", "udp");
/** Lets on what belongs to a connection that was let through. */
export const ESTABLISHED = rule(
  "Allowed: established connection",
  accept,
  is("ct state", "established", "related"),
);
/** Stops what belongs to no connection and begins none. */
export const INVALID = rule(
  "Blocked: invalid connection state",
  drop,
  is("ct state", "invalid"),
);

/** Stops a packet of the WAN that claims to come from the LAN. */
export const SPOOFED_SOURCE = rule(
  "Blocked: LAN source address on a WAN interface",
  drop,
  FROM_UPLINK,
  within("supernetworks", "ip saddr"),
);

/** It comes from a station of this access point, each of which has a link of its own. */
export function stations(accessPoint: string): Match {
  return is("iifname", `${accessPoint}.*`);
}

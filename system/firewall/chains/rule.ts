import type { Action, Chain, Field, Match, Rule } from "../../core/kernel/ruleset.ts";
import { type Policy, policyOf } from "../../devices/policies.ts";

/** The field is one of these. */
export function is(field: Field, ...values: readonly string[]): Match {
  return { kind: "is", field, values };
}

/** The field is none of these. */
export function isNot(field: Field, ...values: readonly string[]): Match {
  return { kind: "is", field, values, not: true };
}

/** The joined fields are in the set. */
export function within(set: string, ...fields: readonly Field[]): Match {
  return { kind: "in", fields, set };
}

/** The joined fields are not in the set. */
export function without(set: string, ...fields: readonly Field[]): Match {
  return { kind: "in", fields, set, not: true };
}

/** Do what the map says of the joined fields. */
export function lookup(map: string, ...fields: readonly Field[]): Action {
  return { kind: "vmap", fields, map };
}

/** A rule: its meaning, what it does, and when. */
export function rule(comment: string, action: Action, ...matches: readonly Match[]): Rule {
  return { comment, action, matches };
}

export const accept: Action = { kind: "accept" };
export const drop: Action = { kind: "drop" };

/** Comments of the rules that drop whatever no rule before them allowed. */
export const DEFAULT_DROP = {
  forward: "Blocked: no rule allows it",
  input: "Blocked: no rule allows access to the router",
  spoofed: "Blocked: source matches no device",
  inbound: "Blocked: new connection from the WAN to the LAN",
} as const;

const GROUP_COMMENT = "Allowed by group ";

/** The comment of the rules of a group. */
export function groupComment(label: string): string {
  return `${GROUP_COMMENT}${label}`;
}

/** The group of such a comment; undefined for any other. */
export function groupOfComment(comment: string): string | undefined {
  return comment.startsWith(GROUP_COMMENT) ? comment.slice(GROUP_COMMENT.length) : undefined;
}

/** What a policy does, as the comment of a rule: `Allowed by policy wan`. */
export function policyComment(name: Policy): string {
  return `${policyOf(name).effect.kind === "allow" ? "Allowed" : "Blocked"} by policy ${name}`;
}

/**
 * The rule for devices that hold a policy, found in the policy's set: the last one that the rule
 * looks into, since a trace names that as the reason.
 */
export function devicePolicyRule(name: Policy, ...matches: readonly Match[]): Rule {
  const { devices, effect } = policyOf(name);
  if (devices === null) throw new RangeError(`Policy ${name} has no set of devices`);
  const fields = devices.key === "address"
    ? ["ip saddr"] as const
    : ["ip saddr", "iifname"] as const;
  if (devices.verdict !== null) {
    return rule(policyComment(name), lookup(devices.name, ...fields), ...matches);
  }
  const action = effect.kind === "allow" ? accept : drop;
  return rule(policyComment(name), action, ...matches, within(devices.name, ...fields));
}

/** The rule for addresses of custom interfaces that hold a policy. */
export function interfacePolicyRule(name: Policy, ...matches: readonly Match[]): Rule {
  const { interfaces } = policyOf(name);
  if (!interfaces?.set) throw new RangeError(`Policy ${name} has no set of interfaces`);
  const { set } = interfaces;
  const comment = `${policyComment(name)} on a custom interface`;
  const fields = ["iifname", "ip saddr"] as const;
  return set.verdict === null
    ? rule(comment, accept, ...matches, within(set.name, ...fields))
    : rule(comment, lookup(set.name, ...fields), ...matches);
}

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

import { type Policy, policyOf } from "../../devices/policies.ts";
import type { Match, Rule } from "../../core/kernel/ruleset.ts";
import { accept, drop, lookup, rule, within } from "./rule.ts";

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

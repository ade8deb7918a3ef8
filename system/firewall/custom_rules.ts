import type { Config } from "../config.ts";
import { conflict, invalid, notFound, sentence } from "../core/errors/problem.ts";
import { isOnUplink } from "../devices/link.ts";
import type { Group } from "../devices/groups/group_schema.ts";
import { contentOf, customRuleKey } from "./rule_kinds.ts";
import { putRule } from "./rules.ts";
import type { CustomInterfaceRule } from "./schema.ts";

function withGroups(config: Config, names: readonly string[]): Config {
  const known = new Set(config.groups.map((one) => one.Name));
  const missing = names.filter((name) => !known.has(name)).map((Name): Group => ({
    Name,
    Disabled: false,
    GroupTags: [],
    ServiceDestinations: [],
  }));
  return missing.length === 0 ? config : { ...config, groups: [...config.groups, ...missing] };
}

/**
 * Adds or updates a custom interface rule; groups that it names are created if missing. Throws
 * Problem 400 for an uplink, 409 where another rule says something else of the same address.
 */
export function putCustomRule(config: Config, rule: CustomInterfaceRule): [Config, void] {
  const { Interface } = rule;
  const uplink = config.interfaces.find((one) =>
    one.Type === "Uplink" && isOnUplink(Interface, one.Name)
  );
  if (uplink) {
    const what = uplink.Name === Interface ? "is an uplink" : `is on the uplink ${uplink.Name}`;
    throw invalid(
      "/Interface",
      `${Interface} ${what}, which faces the WAN; choose another interface`,
    );
  }
  if (Interface === "lo") {
    throw invalid("/Interface", "lo carries only the router's talk with itself; name another");
  }
  const content = contentOf("CustomInterfaceRules", rule);
  const other = config.firewall.CustomInterfaceRules.find((one) =>
    customRuleKey(one) === customRuleKey(rule) && contentOf("CustomInterfaceRules", one) !== content
  );
  if (other) {
    throw conflict(
      sentence("Another rule says what {srcIP} on {interface} may do; delete that one first", {
        srcIP: rule.SrcIP,
        interface: Interface,
      }),
      { rule: other },
    );
  }
  const [next] = putRule(config, "CustomInterfaceRules", rule);
  return [withGroups(next, rule.Groups), undefined];
}

/** What a custom interface rule is found by; lists that are left out match any. */
export type CustomRuleMatch =
  & Pick<CustomInterfaceRule, "Interface" | "SrcIP" | "RouteDst">
  & {
    readonly Policies?: readonly string[] | undefined;
    readonly Groups?: readonly string[] | undefined;
    readonly Tags?: readonly string[] | undefined;
  };

function sameText(a: readonly string[], b: readonly string[] | undefined): boolean {
  return b === undefined || new Set(a).symmetricDifference(new Set(b)).size === 0;
}

/** Takes a custom interface rule away. Throws Problem 404. */
export function deleteCustomRule(config: Config, match: CustomRuleMatch): [Config, void] {
  const { firewall } = config;
  const kept = firewall.CustomInterfaceRules.filter((one) =>
    customRuleKey(one) !== customRuleKey(match) || !sameText(one.Policies, match.Policies) ||
    !sameText(one.Groups, match.Groups) || !sameText(one.Tags, match.Tags)
  );
  if (kept.length === firewall.CustomInterfaceRules.length) {
    throw notFound("There is no such rule");
  }
  return [{ ...config, firewall: { ...firewall, CustomInterfaceRules: kept } }, undefined];
}

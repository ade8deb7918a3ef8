import type { Chain, Element, KeyType, NftSet, Verdict } from "../../core/kernel/ruleset.ts";
import { isOnUplink } from "../../devices/link.ts";
import {
  isolationOf,
  POLICIES,
  policiesFor,
  type PolicyDefinition,
} from "../../devices/policies.ts";
import { interfacePolicyRule, TO_LAN, TO_UPLINK, within } from "../chains/rule.ts";
import { type Contribution, policyEntry } from "./device_elements.ts";
import { groupMaps } from "./names.ts";
import { mergeNetworks } from "../../core/net/net.ts";
import type { CustomInterfaceRule } from "../schema.ts";

const ACCEPT: Verdict = { kind: "accept" };
const CONTINUE: Verdict = { kind: "continue" };
const AT: readonly KeyType[] = ["ifname", "ipv4_addr"];

/** The active rules: enabled, and not on an uplink or a VLAN of one. */
export function customRules(
  rules: readonly CustomInterfaceRule[],
  uplinks: readonly string[],
): readonly CustomInterfaceRule[] {
  return rules.filter((one) =>
    !one.Disabled && !uplinks.some((uplink) => isOnUplink(one.Interface, uplink)) &&
    isolationOf(one.Policies) === undefined
  );
}

function isNetwork(one: CustomInterfaceRule): boolean {
  return one.SrcIP.includes("/");
}

/** Link and network of the rules, each link's networks without those inside another. */
function networkSet(
  name: string,
  rules: readonly CustomInterfaceRule[],
  value?: Verdict,
): NftSet {
  const byLink = Map.groupBy(rules, (one) => one.Interface);
  const elements = [...byLink].flatMap(([link, list]) =>
    mergeNetworks([...new Set(list.map((one) => one.SrcIP))]).map((net): [string, Element] => {
      const key = [link, net];
      return [key.join(" . "), value ? { key, value } : { key }];
    })
  );
  return {
    name,
    key: AT,
    ...(value ? { value: "verdict" as const } : {}),
    interval: true,
    elements: new Map(elements),
  };
}

/** Sets that custom interface rules alone fill. */
export function customSets(rules: readonly CustomInterfaceRule[]): readonly NftSet[] {
  return [
    // Each of them counts the new connections that come from it.
    { ...networkSet("custom_interfaces", rules), counter: true },
    ...POLICIES.flatMap((policy) => {
      const { interfaces } = policy;
      if (interfaces === null || interfaces.set === null) return [];
      const { name, verdict } = interfaces.set;
      const members = rules.filter((one) =>
        holds(one, policy) && (isNetwork(one) || !interfaces.addressesAsDevices)
      );
      return [networkSet(name, members, verdict === null ? undefined : { kind: verdict })];
    }),
  ];
}

/** True for a rule that holds the policy, and no other that takes back what it allows. */
function holds(one: CustomInterfaceRule, { name, effect }: PolicyDefinition): boolean {
  const held: readonly string[] = one.Policies;
  return held.includes(name) && !(effect.kind === "allow" &&
    policiesFor("deny", effect.target).some((policy) => held.includes(policy.name)));
}

function contribution(set: string, key: readonly string[], value: Verdict): Contribution {
  return { set, key: key.join(" . "), element: { key, value } };
}

/** What custom interface rules of single addresses add to the sets that devices fill. */
export function customContributions(
  rules: readonly CustomInterfaceRule[],
  activeGroups: ReadonlySet<string>,
): readonly Contribution[] {
  return rules.filter((one) => !isNetwork(one)).flatMap((one) => {
    const at = [one.SrcIP, one.Interface] as const;
    return [
      ...POLICIES.flatMap((policy) => {
        const { devices, interfaces } = policy;
        if (!interfaces?.addressesAsDevices || devices === null || !holds(one, policy)) return [];
        return [policyEntry(devices, at)];
      }),
      ...one.Groups.filter((group) => activeGroups.has(group)).flatMap((group) => {
        const maps = groupMaps(group);
        return [
          contribution(maps.target, at, CONTINUE),
          contribution(maps.source, at, ACCEPT),
        ];
      }),
    ];
  });
}

/** Groups that whole networks are in, each with its networks and their links. */
export function groupNetworks(
  rules: readonly CustomInterfaceRule[],
  activeGroups: ReadonlySet<string>,
): ReadonlyMap<string, readonly CustomInterfaceRule[]> {
  const pairs = rules.filter(isNetwork).flatMap((one) =>
    one.Groups.filter((group) => activeGroups.has(group)).map((group) => ({ group, one }))
  );
  return new Map(
    [...Map.groupBy(pairs, ({ group }) => group)]
      .map(([group, list]) => [group, list.map(({ one }) => one)]),
  );
}

/** The interval maps of groups that networks are in. */
export function groupNetworkSets(
  groups: ReadonlyMap<string, readonly CustomInterfaceRule[]>,
): readonly NftSet[] {
  return [...groups].flatMap(([group, rules]) => {
    const maps = groupMaps(group);
    return [
      networkSet(maps.targetNets, rules, CONTINUE),
      networkSet(maps.sourceNets, rules, ACCEPT),
    ];
  });
}

/** What an address of a custom interface may start, beside its groups. */
export const CUSTOM_INTERFACES: Chain = {
  name: "CUSTOM_INTERFACES",
  rules: [
    interfacePolicyRule("wan", TO_UPLINK),
    interfacePolicyRule("lan", TO_LAN, within("supernetworks", "ip daddr")),
  ],
};

import type { Config } from "../../config.ts";
import { inRange4, parseIpv4, parseRange4, type Range4 } from "../../core/net/net.ts";
import { parsePorts } from "../address_schema.ts";
import { net } from "../sets/regions.ts";
import { customRuleKey } from "../rule_kinds.ts";
import { blockIndex } from "./blocks.ts";
import { CoverIndex, equalRegions, type Region } from "./cover.ts";
import { enabled, finding, type Listed, nameOf } from "./report.ts";
import type { LintFinding } from "./schema.ts";

/** What rules are held against. */
export interface Surroundings {
  readonly config: Pick<Config, "firewall" | "devices" | "groups" | "dhcp" | "wireguard" | "mesh">;
  /** Links that the machine has; null where they are not known. */
  readonly links: ReadonlySet<string> | null;
}

/** Rules about links, devices, groups and tags that do not exist. */
export function lintReferences(around: Surroundings): readonly LintFinding[] {
  return [...unheldAddresses(around), ...customRules(around), ...endpoints(around)];
}

/** Answers whether a LAN address belongs to no device. */
function nobodys({ config }: Surroundings): (address: string) => boolean {
  const held = new Set(Object.values(config.devices).map(({ RecentIP }) => RecentIP));
  const home = config.dhcp.TinyNets.flatMap((text) => parseRange4(text) ?? []);
  const custom: readonly Range4[] = config.firewall.CustomInterfaceRules.map(({ SrcIP }) =>
    net(SrcIP)
  );
  return (address) => {
    const value = parseIpv4(address);
    if (value === null || held.has(address)) return false;
    // Only the second address of each four is a device's; the others are the router's and broadcasts.
    return value % 4 === 2 && home.some((range) => inRange4(range, value)) &&
      !custom.some((range) => range.prefix > 0 && inRange4(range, value));
  };
}

function unheldAddresses(around: Surroundings): readonly LintFinding[] {
  const { firewall } = around.config;
  const unknown = nobodys(around);
  const about = (one: Listed, addresses: readonly string[], leads: boolean) =>
    addresses.filter(unknown).map((address) =>
      finding("dangling", one, {
        severity: leads ? "warning" : "info",
        text: `No device has the address ${address}`,
      })
    );
  const blocks = (["BlockRules", "ForwardingBlockRules", "OutputBlockRules"] as const)
    .flatMap((list) => enabled(firewall, list));
  return [
    ...enabled(firewall, "ForwardingRules").flatMap((one) => about(one, [one.rule.DstIP], true)),
    ...blocks.flatMap((one) => about(one, [one.rule.SrcIP, one.rule.DstIP], false)),
    ...enabled(firewall, "Endpoints").flatMap((one) => about(one, [one.rule.IP], true)),
  ];
}

function customRules({ config, links }: Surroundings): readonly LintFinding[] {
  const groups = new Set(config.groups.map(({ Name }) => Name));
  const rules = enabled(config.firewall, "CustomInterfaceRules");
  const first = new Map<string, Listed>();
  return rules.flatMap((one) => {
    const { rule } = one;
    const found: LintFinding[] = [];
    if (links !== null && !links.has(rule.Interface)) {
      const text = `There is no interface ${rule.Interface} on this machine`;
      found.push(finding("dangling", one, { text }));
    }
    for (const name of rule.Groups.filter((name) => !groups.has(name))) {
      found.push(finding("dangling", one, { text: `There is no group ${name}` }));
    }
    if (rule.Policies.length + rule.Groups.length + rule.Tags.length === 0 && !rule.RouteDst) {
      const text = "It has no policy, group or tag, so it opens nothing";
      found.push(finding("useless", one, { severity: "info", text }));
    }
    const other = first.get(customRuleKey(rule));
    if (other) {
      const text = `${nameOf(other)} says otherwise of the same address on the same interface`;
      found.push(finding("contradiction", one, { other, text }));
    } else first.set(customRuleKey(rule), one);
    return found;
  });
}

type OneEndpoint = Listed<"Endpoints">;

function endpointRegion({ rule }: OneEndpoint): Region {
  return { nets: [net(rule.IP)], protocol: rule.Protocol, ports: parsePorts(rule.Port) };
}

function endpoints({ config }: Surroundings): readonly LintFinding[] {
  const { devices, firewall } = config;
  const tagged = new Set([
    ...Object.values(devices).flatMap(({ DeviceTags }) => DeviceTags),
    ...firewall.CustomInterfaceRules.flatMap(({ Tags }) => Tags),
  ]);
  const opening = enabled(firewall, "Endpoints")
    .filter(({ rule }) => rule.IP !== "" && rule.Tags.length > 0);
  const index = new CoverIndex(opening.map((one) => [endpointRegion(one), one] as const));
  const blocked = blockIndex(enabled(firewall, "ForwardingBlockRules"));
  return opening.flatMap((one) => {
    const { rule } = one;
    const region = endpointRegion(one);
    const found: LintFinding[] = [];
    if (!rule.Tags.some((tag) => tagged.has(tag))) {
      const text = `No device has the tag ${rule.Tags.join(" or ")}, so it opens nothing yet`;
      found.push(finding("dangling", one, { severity: "info", text }));
    }
    const alike = (a: OneEndpoint, theirs: Region) =>
      equalRegions(theirs, region) && a.rule.Tags.length === rule.Tags.length;
    const other = index.covering(
      region,
      (data, theirs) =>
        data !== one && rule.Tags.every((tag) => data.rule.Tags.includes(tag)) &&
        (data.index < one.index || !alike(data, theirs)),
    );
    if (other) {
      const same = alike(other, endpointRegion(other));
      const text = `${nameOf(other)} opens ${same ? "exactly the same" : "all of this already"}`;
      found.push(finding(same ? "duplicate" : "shadowed", one, { other, text, remove: true }));
    }
    const block = blocked.covering({ ...region, nets: [net("0.0.0.0/0"), region.nets[0]!] });
    if (block) {
      const text = `${nameOf(block)} blocks everyone from it`;
      found.push(finding("contradiction", one, { other: block, text }));
    }
    return found;
  });
}

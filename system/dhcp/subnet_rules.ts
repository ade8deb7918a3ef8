import type { Config } from "../config.ts";
import { overlaps4, parseRange4 } from "../core/net/net.ts";
import { invalid, Problem, sentence } from "../core/errors/problem.ts";
import { siteNetworks } from "../wireguard/sites/networks.ts";
import type { SubnetConfig } from "./schema.ts";

/** Private networks (RFC 1918) to propose where another one conflicts, the least common first. */
const PROPOSED_SUBNETS = [
  ...Array.from({ length: 16 }, (_, third) => `10.${173 + third}.2.0/24`),
  ...Array.from({ length: 16 }, (_, second) => `172.${31 - second}.2.0/24`),
  ...Array.from({ length: 254 }, (_, third) => `192.168.${third + 2}.0/24`),
];

/**
 * Replaces the pools and the lease time. Devices whose address lies outside the new pools keep it
 * until their next request. Time servers stay where absent; an empty list removes them.
 * `otherAddresses`: addresses of this machine outside the LAN. Throws Problem 400 where pools overlap
 * each other, 409 with a free network in `proposal` where one overlaps a network of an uplink or a site.
 */
export function setSubnets(
  config: Config,
  next: SubnetConfig,
  otherAddresses: readonly string[] = [],
): [Config, SubnetConfig] {
  const siteNets = siteNetworks(config.wireguard).map(({ network }) => network);
  const uplinks = [...uplinkNets(config), ...siteNets, ...otherAddresses];
  next.TinyNets.forEach((net, index) => {
    const overlap = overlapping(net, next.TinyNets.slice(0, index));
    if (overlap !== undefined) {
      throw invalid(
        `/TinyNets/${index}`,
        sentence("{net} and {other} overlap; choose another network", { net, other: overlap }),
      );
    }
    const clash = overlapping(net, uplinks);
    if (clash === undefined) return;
    const others = next.TinyNets.filter((other) => other !== net);
    const proposal = PROPOSED_SUBNETS.find((one) =>
      overlapping(one, [...uplinks, ...others]) === undefined
    );
    const message = `${net} overlaps ${clash}, which is not on the LAN; choose another network` +
      (proposal === undefined ? "" : `, such as ${proposal}`);
    throw new Problem(409, message, {
      errors: [{ pointer: `/TinyNets/${index}`, message }],
      members: { proposal: proposal ?? null },
    });
  });
  const dhcp = withTimeServers(next, next.NTPServers ?? config.dhcp.NTPServers);
  if (JSON.stringify(config.dhcp) === JSON.stringify(dhcp)) return [config, config.dhcp];
  return [{ ...config, dhcp }, dhcp];
}

/** The field is absent without time servers, so that older files keep their shape. */
export function withTimeServers(
  { TinyNets, LeaseTime }: Pick<SubnetConfig, "TinyNets" | "LeaseTime">,
  servers: SubnetConfig["NTPServers"],
): SubnetConfig {
  const named = servers ?? [];
  return { TinyNets, LeaseTime, ...(named.length > 0 ? { NTPServers: named } : {}) };
}

/** The first of these networks that shares an address with `net`. */
export function overlapping(net: string, others: readonly string[]): string | undefined {
  const range = parseRange4(net);
  return others.find((other) => {
    const span = parseRange4(other);
    return range !== null && span !== null && overlaps4(range, span);
  });
}

function uplinkNets(config: Config): string[] {
  return config.interfaces
    .filter(({ Type, IP }) => Type === "Uplink" && IP.includes("/"))
    .map(({ IP }) => IP);
}

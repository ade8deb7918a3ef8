import type { Config } from "../config.ts";
import { overlaps4, parseRange4 } from "../core/net/net.ts";
import { invalid, Problem } from "../core/errors/problem.ts";
import type { SubnetConfig } from "./schema.ts";

/** Networks that are proposed where another is in the way: private (RFC 1918), the rarest first. */
const PROPOSED = [
  ...Array.from({ length: 16 }, (_, third) => `10.${173 + third}.2.0/24`),
  ...Array.from({ length: 16 }, (_, second) => `172.${31 - second}.2.0/24`),
  ...Array.from({ length: 254 }, (_, third) => `192.168.${third + 2}.0/24`),
];

/**
 * Replaces the pools and the lease time. Devices whose address lies outside the new pools keep it
 * until they ask for one again. Time servers that are not named stay; an empty list takes them out. `foreign`: addresses that this machine has elsewhere. Throws Problem
 * 400 where pools overlap each other, 409 with a free network in `proposal` where one overlaps a
 * network of an uplink.
 */
export function setSubnets(
  config: Config,
  next: SubnetConfig,
  foreign: readonly string[] = [],
): [Config, SubnetConfig] {
  const uplinks = [...uplinkNets(config), ...foreign];
  next.TinyNets.forEach((net, index) => {
    const double = overlapping(net, next.TinyNets.slice(0, index));
    if (double !== undefined) {
      throw invalid(`/TinyNets/${index}`, `${net} and ${double} overlap; choose another network`);
    }
    const clash = overlapping(net, uplinks);
    if (clash === undefined) return;
    const others = next.TinyNets.filter((other) => other !== net);
    const proposal = PROPOSED.find((one) =>
      overlapping(one, [...uplinks, ...others]) === undefined
    );
    const message = `${net} overlaps ${clash}, which is outside; choose another network` +
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

/** Only configurations that name time servers have the field: others keep the shape they always had. */
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

import type { Config } from "../config.ts";
import { overlaps4, parseRange4 } from "../core/net.ts";
import { invalid } from "../core/problem.ts";
import type { SubnetConfig } from "./schema.ts";

/**
 * Replaces the pools and the lease time. Devices whose address lies outside the new pools keep it
 * until they ask for one again. Throws Problem 400 where pools overlap each other or a fixed network
 * of an uplink.
 */
export function setSubnets(config: Config, next: SubnetConfig): [Config, SubnetConfig] {
  next.TinyNets.forEach((net, index) => {
    const clash = overlapping(net, [...next.TinyNets.slice(0, index), ...uplinkNets(config)]);
    if (clash !== undefined) {
      throw invalid(`/TinyNets/${index}`, `${net} and ${clash} overlap; choose another network`);
    }
  });
  if (JSON.stringify(config.dhcp) === JSON.stringify(next)) return [config, config.dhcp];
  return [{ ...config, dhcp: next }, next];
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

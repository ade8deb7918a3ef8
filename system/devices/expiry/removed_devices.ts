import type { Config } from "../../config.ts";
import { withoutClientRules } from "../../dns/block/client_removal.ts";
import { withoutPrivateHosts } from "../../dns/log/rules.ts";
import type { Devices } from "../schema.ts";

/**
 * The configuration with these devices. Of those that are gone nothing stays that was decided by
 * their address, since it would hold for who gets that next.
 */
export function replaceDevices(config: Config, devices: Devices): Config {
  const held = new Set(Object.values(devices).map(({ RecentIP }) => RecentIP));
  const addresses = Object.entries(config.devices)
    .filter(([identity, { RecentIP }]) =>
      RecentIP !== "" && !Object.hasOwn(devices, identity) && !held.has(RecentIP)
    )
    .map(([, { RecentIP }]) => RecentIP);
  if (addresses.length === 0) return { ...config, devices };
  return {
    ...config,
    devices,
    dnsLog: withoutPrivateHosts(config.dnsLog, addresses),
    dnsBlock: withoutClientRules(config.dnsBlock, addresses),
  };
}

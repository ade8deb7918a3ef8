import type { Config } from "../config.ts";

/** True once there is something to route between: an uplink, and a downlink, an access point or a VPN peer. */
export function hasNetwork(config: Pick<Config, "interfaces" | "devices">): boolean {
  const enabled = (type: string) =>
    config.interfaces.some(({ Type, Enabled }) => Enabled && Type === type);
  const peers = () => Object.values(config.devices).some(({ WGPubKey }) => WGPubKey !== "");
  return enabled("Uplink") && (enabled("Downlink") || enabled("AP") || peers());
}

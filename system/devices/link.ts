import type { Config } from "../config.ts";
import { invalid } from "../core/errors/problem.ts";

/** True for an uplink and for a VLAN on one: both face the WAN. */
export function isOnUplink(link: string, uplink: string): boolean {
  return link === uplink || link.startsWith(`${uplink}.`);
}

/**
 * Refuses an uplink, and a VLAN on one, as the place of a device: who stands outside must not pass
 * for one of ours. Throws Problem 400.
 */
export function requireHomeLink(config: Pick<Config, "interfaces">, link: string): void {
  const uplink = config.interfaces.find(({ Name, Type }) =>
    Type === "Uplink" && isOnUplink(link, Name)
  );
  if (uplink !== undefined) {
    throw invalid(
      "/Iface",
      `${link} belongs to the uplink ${uplink.Name}; no device of ours is there`,
    );
  }
}

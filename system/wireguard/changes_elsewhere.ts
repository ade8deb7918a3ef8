import type { Config } from "../config.ts";
import { differingMembers } from "../core/config/memo.ts";
import type { ChangeContext, Consequences } from "../core/engine/change.ts";
import { conflict, type Problem } from "../core/errors/problem.ts";
import { titleOf } from "../devices/device.ts";
import { meshPorts } from "../mesh/network.ts";
import { meshClashes, vpnClashes } from "./clashes.ts";
import { deviceOfKey } from "./peers/rules.ts";

/** A peer goes with its device: whose device is deleted, or gets another key, is revoked. */
export function followPeers({ before, after }: ChangeContext<Config>): Consequences<Config> {
  const { Peers } = after.wireguard;
  const lost = Peers.length === 0 ? new Map<string, string>() : lostKeys(before, after);
  if (lost.size === 0) return { config: after, effects: [] };
  const gone = Peers.filter(({ PublicKey }) => lost.has(PublicKey));
  return {
    config: gone.length === 0 ? after : {
      ...after,
      wireguard: { ...after.wireguard, Peers: Peers.filter((one) => !gone.includes(one)) },
    },
    effects: gone.map(({ PublicKey }) => `The VPN access of ${lost.get(PublicKey)} is revoked`),
  };
}

/** Keys that a device had and that none has any more, with the device's name. */
function lostKeys(before: Config, after: Config): Map<string, string> {
  const changed = differingMembers(before.devices, after.devices);
  return new Map(
    changed.flatMap((identity) => {
      const device = before.devices[identity], key = device?.WGPubKey ?? "";
      if (key === "" || after.devices[identity]?.WGPubKey === key) return [];
      return deviceOfKey(after, key) === null ? [[key, titleOf(identity, device)] as const] : [];
    }),
  );
}

/** The documents that can clash with the VPN, and its own. */
const PARTS = ["wireguard", "dhcp", "interfaces", "firewall", "multicast", "mesh"] as const;

/**
 * Refuses a change that leaves the VPN or the mesh with what cannot be together, as an undo does whose
 * networks, keys or ports are another's today. What clashed before is no reason.
 */
export function vpnGuard(before: Config, after: Config): Problem | null {
  if (PARTS.every((part) => before[part] === after[part])) return null;
  const { Enabled, Sites } = after.wireguard;
  const hasVpn = Enabled || Sites.length > 0;
  if (!hasVpn && meshPorts(after.mesh).length === 0) return null;
  const clashes = (config: Config): readonly string[] => [
    ...(hasVpn ? vpnClashes(config) : []),
    ...meshClashes(config),
  ];
  const found = clashes(after);
  if (found.length === 0) return null;
  const stood = new Set(clashes(before));
  const clash = found.find((text) => !stood.has(text));
  return clash === undefined ? null : conflict(clash);
}

import type { Config } from "../../config.ts";
import type { Observations } from "../../core/engine/change.ts";
import { isGuestInterface } from "../../devices/device.ts";
import { lanCarrier } from "../device_links.ts";
import type { Interface } from "../interfaces/schema.ts";

/** A change of the interface that a device is plugged into, or whose Wi-Fi it has joined. */
export interface LinkChange {
  /** False: the interface no longer serves the device; true: it begins to. */
  readonly serves: boolean;
  /** A clause: `eth1 becomes a WAN uplink`. */
  readonly reason: string;
}

/** Two configurations and where devices were seen. */
export interface LinkStates {
  readonly config: Config;
  readonly next: Config;
  readonly observed: Observations;
}

/**
 * The devices whose interface ceases or begins to serve them, by identity. Where they are follows from
 * their last lease or association alone: the plan may place a device on another interface, but nobody
 * moves its cable.
 */
export function linkChanges(states: LinkStates): ReadonlyMap<string, LinkChange> {
  const { config, next, observed } = states;
  const changes = new Map<string, LinkChange>();
  const sameInterfaces = config.interfaces === next.interfaces;
  if (sameInterfaces && config.devices === next.devices) return changes;
  const before = lanCarrier(config), after = lanCarrier(next);
  for (const [identity, device] of Object.entries(config.devices)) {
    const is = next.devices[identity], link = observed.devices[identity]?.link;
    // What becomes of one that is gone is reported by its own part.
    if (is === undefined || link === undefined || link === null) continue;
    const moves = device.VLANTag !== is.VLANTag;
    if (sameInterfaces && !moves) continue;
    const served = isOn(link, config) && before(link, device);
    const serves = isOn(link, next) && after(link, is) && !changesMedium(link, states);
    if (served === serves) continue;
    const vlan = is.VLANTag === "" ? "no VLAN" : `VLAN ${is.VLANTag}`;
    const reason = moves ? `The device moves to ${vlan}` : reasonOf(link, states);
    changes.set(identity, { serves, reason });
  }
  return changes;
}

/** The interface that a link is, or is a part of: the trunk of a VLAN, the radio of a network. */
function rootOf(link: string, { interfaces }: Config): Interface | undefined {
  return interfaces.find(({ Name }) => Name === link) ??
    interfaces.find(({ Name }) => link.startsWith(`${Name}.`));
}

/** False for an additional network that its radio does not have. */
function isOn(link: string, config: Config): boolean {
  if (!isGuestInterface(link)) return true;
  const index = Number(/\.ap(\d+)/.exec(link)?.[1] ?? 0);
  return index < (rootOf(link, config)?.ExtraBSS.length ?? 0);
}

/** True where a radio becomes a wired port, or the other way round: nobody stays connected. */
function changesMedium(link: string, { config, next }: LinkStates): boolean {
  return (rootOf(link, config)?.Type === "AP") !== (rootOf(link, next)?.Type === "AP");
}

function reasonOf(link: string, states: LinkStates): string {
  const { config, next } = states;
  const before = rootOf(link, config), after = rootOf(link, next);
  const name = after?.Name ?? before?.Name ?? link;
  if (after === undefined || !after.Enabled) return `${name} is turned off`;
  if (after.Type === "Uplink") return `${name} becomes a WAN uplink`;
  if (after.Type === "Other") return `${name} no longer serves the LAN`;
  if (isOn(link, config) && !isOn(link, next)) return `${name} loses an additional network`;
  if (changesMedium(link, states)) {
    return after.Type === "AP"
      ? `${name} becomes an access point`
      : `${name} is no longer an access point`;
  }
  if (before?.Type !== after.Type || !before.Enabled) return `${name} serves the LAN`;
  return `The VLANs of ${name} change`;
}

import type { Config } from "../../config.ts";
import { conflict, notFound } from "../../core/errors/problem.ts";
import { holderOf, requireAddress } from "../../devices/address.ts";
import { appearedDevice, withDevice, withoutDevices } from "../../devices/device.ts";
import { replaceDevices } from "../../devices/expiry/removed_devices.ts";
import { kindOf } from "../../devices/identity.ts";
import type { Device } from "../../devices/schema.ts";

/** A peer, with key and address in canonical form. */
export interface Peer {
  readonly key: string;
  readonly ip: string;
  /** Already made fit to show; "" when it gave none. */
  readonly name: string;
}

/** The device of a peer, and its previous identity. */
export interface PeerDevice {
  readonly identity: string;
  readonly before: string | null;
}

/**
 * Adds or updates a peer: the device with its key, else the one with its address (whose old key is
 * dropped), else a new one. Throws Problem 400, 409.
 */
export function upsertPeer(config: Config, peer: Peer): [Config, PeerDevice] {
  const byKey = deviceOfKey(config, peer.key);
  const byAddress = holderOf(config, peer.ip, byKey);
  if (byKey !== null && byAddress !== null) {
    throw conflict(`${peer.ip} is the address of ${byAddress}`, { holder: byAddress });
  }
  const before = byKey ?? byAddress;
  const device = before === null ? appearedDevice(peer.key, peer.name) : config.devices[before]!;
  if (device.RecentIP !== peer.ip) {
    requireAddress(config, { identity: before ?? peer.key, address: peer.ip, pointer: "/IP" });
  }
  const next: Device = {
    ...device,
    Name: device.Name || peer.name,
    RecentIP: peer.ip,
    WGPubKey: peer.key,
  };
  if (before === null || kindOf(before) !== "key" || before === peer.key) {
    const identity = before ?? peer.key;
    return [withDevice(config, identity, next), { identity, before }];
  }
  const rest = { ...config, devices: withoutDevices(config.devices, new Set([before])) };
  return [withDevice(rest, peer.key, next), { identity: peer.key, before }];
}

/** Removes a peer: deletes its device, or only the key where it has a MAC address. Throws Problem 404. */
export function removePeer(config: Config, key: string): [Config, string] {
  const identity = deviceOfKey(config, key);
  if (identity === null) throw notFound("No device has this key");
  if (kindOf(identity) === "key") {
    const rest = withoutDevices(config.devices, new Set([identity]));
    return [replaceDevices(config, rest), identity];
  }
  const device = config.devices[identity]!;
  return [withDevice(config, identity, { ...device, WGPubKey: "" }), identity];
}

/** Identity of the device with this key; null when none has it. */
export function deviceOfKey(config: Config, key: string): string | null {
  if (Object.hasOwn(config.devices, key)) return key;
  return Object.keys(config.devices)
    .find((identity) => config.devices[identity]!.WGPubKey === key) ?? null;
}

import type { Config } from "../../config.ts";
import { onceEach } from "../../core/config/memo.ts";
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

/** Where the device of a peer is looked up. */
export interface PeerLookup {
  readonly device: (identity: string) => Device | undefined;
  /** Identity of the device with this key; null when none has it. */
  readonly ofKey: (key: string) => string | null;
  /** Identity of the device with this address, other than `except`; null when none has it. */
  readonly at: (address: string, except: string | null) => string | null;
}

/**
 * The device of a peer: the one with its key, else the one with its address (whose old key is dropped),
 * else a new one. Throws Problem 400, 409.
 */
export function placePeer(
  lookup: PeerLookup,
  peer: Peer,
  { dhcp }: Pick<Config, "dhcp">,
): PeerDevice & { readonly device: Device } {
  const byKey = lookup.ofKey(peer.key), byAddress = lookup.at(peer.ip, byKey);
  if (byKey !== null && byAddress !== null) {
    throw conflict(`${peer.ip} is the address of ${byAddress}`, { holder: byAddress });
  }
  const before = byKey ?? byAddress;
  const known = before === null ? appearedDevice(peer.key, peer.name) : lookup.device(before)!;
  if (known.RecentIP !== peer.ip) {
    // Nobody has it, as was looked up above.
    const wanted = { identity: before ?? peer.key, address: peer.ip, pointer: "/IP" };
    requireAddress({ dhcp, devices: {} }, wanted);
  }
  const device: Device = {
    ...known,
    Name: known.Name || peer.name,
    RecentIP: peer.ip,
    WGPubKey: peer.key,
  };
  const staysNamed = before !== null && (kindOf(before) !== "key" || before === peer.key);
  return { identity: staysNamed ? before : peer.key, before, device };
}

/** Adds or updates a peer, on the device of {@link placePeer}. Throws Problem 400, 409. */
export function upsertPeer(config: Config, peer: Peer): [Config, PeerDevice] {
  const { identity, before, device } = placePeer(
    {
      device: (name) => config.devices[name],
      ofKey: (key) => deviceOfKey(config, key),
      at: (address, except) => holderOf(config, address, except),
    },
    peer,
    config,
  );
  const rest = before === null || before === identity
    ? config
    : { ...config, devices: withoutDevices(config.devices, new Set([before])) };
  return [withDevice(rest, identity, device), { identity, before }];
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

/** Identity of the device with this key, the first of several; null when none has it. */
export function deviceOfKey(config: Config, key: string): string | null {
  if (Object.hasOwn(config.devices, key)) return key;
  return identitiesByKey(config.devices).get(key) ?? null;
}

/** Keys are looked up one by one for all peers: each look-up through all devices would be too much. */
const identitiesByKey = onceEach((devices: Config["devices"]): ReadonlyMap<string, string> => {
  const identities = new Map<string, string>();
  for (const [identity, { WGPubKey }] of Object.entries(devices)) {
    if (WGPubKey !== "" && !identities.has(WGPubKey)) identities.set(WGPubKey, identity);
  }
  return identities;
});

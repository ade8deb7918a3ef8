import type { Config } from "../../config.ts";
import { conflict, invalid, notFound } from "../../core/errors/problem.ts";
import { formatIpv4 } from "../../core/net/net.ts";
import { titleOf, withDevice, withDisabled } from "../../devices/device.ts";
import type { Device } from "../../devices/schema.ts";
import { exhausted, freeAddress, validAddress } from "../../dhcp/leases/lease_rules.ts";
import { requirePeerKey } from "../key_rules.ts";
import { decidedPolicies } from "../../devices/admin_access.ts";
import { deviceOfKey, removePeer, upsertPeer } from "./rules.ts";
import { MAX_PEERS, type VpnPeer } from "../schema.ts";
import { requireFreePort, withServerKey, withWireguard } from "../server_rules.ts";
import { MASK, NONE, type PeerRequest } from "../wire.ts";

/** A peer to add or change, with what the rule may not make itself. */
export interface PutPeer {
  /** Public key. */
  readonly key: string;
  readonly request: Omit<PeerRequest, "PublicKey" | "Endpoint" | "Tunnel">;
  readonly made: MadeKeys;
  /** Addresses reserved for others. */
  readonly reserved: readonly number[];
}

/** Keys that are drawn once, so that deciding again gives the same ones. */
export interface MadeKeys {
  readonly presharedKey: string;
  /** Private key of the tunnel, where it has none. */
  readonly serverKey: string;
}

/** What became of a peer. */
export interface PeerOutcome {
  readonly peer: VpnPeer;
  readonly address: string;
  /** The preshared key was made or sent by this very call, so that the response may show it. */
  readonly isNew: boolean;
  /** The device's identity, and the one that it had before; null for a new device. */
  readonly identity: string;
  readonly before: string | null;
}

/**
 * Adds or changes a peer and its device: the one with its key, else the one with its address, else a
 * new one that may do nothing yet. Throws Problem 400, 409.
 */
export function putPeer(config: Config, { key, request, made, reserved }: PutPeer): [
  Config,
  PeerOutcome,
] {
  requirePeerKey(config, key, "/PublicKey");
  const wireguard = withServerKey(config.wireguard, made.serverKey);
  // The first peer turns it on.
  if (wireguard.Enabled && !config.wireguard.Enabled) {
    requireFreePort(config, wireguard.ListenPort, "");
  }
  const known = wireguard.Peers.find(({ PublicKey }) => PublicKey === key);
  if (known === undefined && wireguard.Peers.length >= MAX_PEERS) {
    throw conflict(`There are ${MAX_PEERS} peers, as many as there may be`);
  }
  const address = request.AllowedIPs || addressFor(config, key, reserved);
  refuseOtherPeer(config, { key, address });
  const [placed, { identity, before }] = upsertPeer(config, {
    key,
    ip: address,
    name: request.Name,
  });
  const device = decided(placed.devices[identity]!, request, before === null);
  const isNew = known === undefined || !["", MASK].includes(request.PresharedKey);
  const peer: VpnPeer = {
    PublicKey: key,
    PresharedKey: presharedKey(known, request.PresharedKey, made.presharedKey),
    PersistentKeepalive: request.PersistentKeepalive,
  };
  const Peers = known === undefined
    ? [...wireguard.Peers, peer]
    : wireguard.Peers.map((one) => one === known ? peer : one);
  return [
    withWireguard(withDevice(placed, identity, device), { ...wireguard, Peers }),
    { peer, address, isNew, identity, before },
  ];
}

/** Takes a peer away: its device, or only the key of one that has a MAC address. Throws Problem 404. */
export function deletePeer(config: Config, key: string): [Config, void] {
  const Peers = config.wireguard.Peers.filter(({ PublicKey }) => PublicKey !== key);
  const isKnown = Peers.length < config.wireguard.Peers.length;
  if (!isKnown) throw notFound("There is no VPN peer with this key");
  const [rest] = deviceOfKey(config, key) === null ? [config] : removePeer(config, key);
  return [withWireguard(rest, { ...rest.wireguard, Peers }), undefined];
}

/** Gives a peer another key; its device, address and policies stay. Throws Problem 400, 404, 409. */
export function rotatePeer(
  config: Config,
  { from, to, made }: { readonly from: string; readonly to: string; readonly made: MadeKeys },
): [Config, PeerOutcome] {
  const known = config.wireguard.Peers.find(({ PublicKey }) => PublicKey === from);
  const holder = deviceOfKey(config, from);
  if (known === undefined || holder === null) {
    throw notFound("There is no VPN peer with this key");
  }
  if (from === to) throw invalid("/NewPublicKey", "This is the key that the peer has already");
  requirePeerKey(config, to, "/NewPublicKey");
  if (deviceOfKey(config, to) !== null) throw conflict("Another device has this key");
  const address = addressFor(config, from, []);
  const device = { ...config.devices[holder]!, RecentIP: address };
  const [next, { identity, before }] = upsertPeer(withDevice(config, holder, device), {
    key: to,
    ip: address,
    name: "",
  });
  const peer: VpnPeer = { ...known, PublicKey: to, PresharedKey: made.presharedKey };
  const Peers = config.wireguard.Peers.map((one) => one === known ? peer : one);
  return [
    withWireguard(next, { ...config.wireguard, Peers }),
    { peer, address, isNew: true, identity, before },
  ];
}

/** The address that a peer's device has, else the next free one. Throws Problem 409. */
function addressFor(config: Config, key: string, reserved: readonly number[]): string {
  const identity = deviceOfKey(config, key);
  const kept = identity === null ? null : validAddress(config, config.devices[identity]!.RecentIP);
  if (kept !== null) return kept;
  const free = freeAddress(config, reserved);
  if (free === null) throw exhausted(config);
  return formatIpv4(free);
}

/** Throws Problem 409 for the address of another peer: a new key for that one is a rotation. */
function refuseOtherPeer(
  config: Config,
  { key, address }: { readonly key: string; readonly address: string },
): void {
  const other = Object.entries(config.devices).find(([, device]) =>
    device.RecentIP === address && device.WGPubKey !== "" && device.WGPubKey !== key
  );
  if (other === undefined) return;
  throw conflict(
    `${address} is the address of the VPN peer ${titleOf(...other)}; give that one a new key ` +
      "instead, or choose another address",
    { holder: other[0] },
  );
}

/** {@link NONE}, which only the file of another server says, is no key; "" is one that is made. */
function presharedKey(known: VpnPeer | undefined, sent: string, made: string): string {
  if (sent === NONE) return "";
  if (sent === MASK || (sent === "" && known !== undefined)) return known?.PresharedKey ?? made;
  return sent || made;
}

function decided(
  device: Device,
  { Name, Policies, Groups, DeviceTags }: PutPeer["request"],
  isNew: boolean,
): Device {
  const next: Device = {
    ...device,
    Name: Name || device.Name,
    Groups: Groups ?? device.Groups,
    DeviceTags: DeviceTags ?? device.DeviceTags,
  };
  if (Policies === undefined) return next;
  const isOff = device.DeviceDisabled || Policies.includes("disabled");
  const decided = isNew ? Policies : decidedPolicies(device.Policies, { Policies });
  return withDisabled({ ...next, Policies: decided }, isOff);
}

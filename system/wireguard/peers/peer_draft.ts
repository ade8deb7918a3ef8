import type { Config } from "../../config.ts";
import { conflict, sentence } from "../../core/errors/problem.ts";
import { formatIpv4 } from "../../core/net/net.ts";
import { decidedPolicies } from "../../devices/admin_access.ts";
import { sameDevice, titleOf, withDisabled, withGroups } from "../../devices/device.ts";
import type { Device } from "../../devices/schema.ts";
import { exhausted, freeAddress, validAddress } from "../../dhcp/leases/lease_rules.ts";
import { requirePeerKey } from "../key_rules.ts";
import { MAX_PEERS, type VpnPeer } from "../schema.ts";
import { requireFreePort, withServerKey, withWireguard } from "../server_rules.ts";
import { MASK, NONE, type PeerRequest } from "../wire.ts";
import { deviceOfKey, type PeerLookup, placePeer } from "./rules.ts";

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
 * Peers that are added to a configuration or changed, one after the other. What is looked up stays at
 * hand, so that thousands take as long each as the first.
 */
export class PeerDraft {
  readonly #before: Config;
  readonly #devices: Map<string, Device>;
  readonly #identities = new Map<string, string>();
  readonly #holders: Map<string, Set<string>>;
  readonly #peers: Map<string, VpnPeer>;
  readonly #groups = new Set<string>();
  #wireguard: Config["wireguard"];

  constructor(config: Config) {
    this.#before = config;
    this.#wireguard = config.wireguard;
    this.#devices = new Map(Object.entries(config.devices));
    this.#holders = new Map();
    this.#peers = new Map(config.wireguard.Peers.map((peer) => [peer.PublicKey, peer]));
    for (const [identity, device] of this.#devices) this.#index(identity, device);
  }

  /** Adds or changes a peer and its device. Throws Problem 400, 409; nothing is changed then. */
  put({ key, request, made, reserved }: PutPeer): PeerOutcome {
    const before = this.#before;
    requirePeerKey({ wireguard: this.#wireguard }, key, "/PublicKey");
    const wireguard = withServerKey(this.#wireguard, made.serverKey);
    // The first peer turns it on.
    if (wireguard.Enabled && !before.wireguard.Enabled) {
      requireFreePort(before, wireguard.ListenPort, "");
    }
    const known = this.#peers.get(key);
    if (known === undefined && this.#peers.size >= MAX_PEERS) {
      throw conflict(
        sentence("There are already {limit} peers, which is the maximum", { limit: MAX_PEERS }),
      );
    }
    const address = request.AllowedIPs || addressFor(this.config(), key, reserved);
    this.#refuseOtherPeer(key, address);
    const peer = { key, ip: address, name: request.Name };
    const placed = placePeer(this.#lookup(), peer, before);
    const device = decided(placed.device, request, placed.before === null);
    const isNew = known === undefined || !["", MASK].includes(request.PresharedKey);
    const entry: VpnPeer = {
      PublicKey: key,
      PresharedKey: presharedKey(known, request.PresharedKey, made.presharedKey),
      PersistentKeepalive: request.PersistentKeepalive,
    };
    this.#wireguard = wireguard;
    this.#peers.set(key, entry);
    this.#place(placed.identity, device, placed.before);
    const { identity } = placed;
    return { peer: entry, address, isNew, identity, before: placed.before };
  }

  /** The configuration with all of them. */
  config(): Config {
    const { devices, groups, ...rest } = this.#before;
    const next = {
      ...rest,
      devices: this.#isSame() ? devices : Object.fromEntries(this.#devices),
      groups: withGroups(groups, [...this.#groups]),
    };
    const isSame = next.devices === devices && next.groups === groups;
    return withWireguard(isSame ? this.#before : next, {
      ...this.#wireguard,
      Peers: [...this.#peers.values()],
    });
  }

  #isSame(): boolean {
    const { devices } = this.#before;
    const names = Object.keys(devices);
    return names.length === this.#devices.size &&
      names.every((identity) => this.#devices.get(identity) === devices[identity]);
  }

  #lookup(): PeerLookup {
    return {
      device: (identity) => this.#devices.get(identity),
      ofKey: (key) => this.#devices.has(key) ? key : this.#identities.get(key) ?? null,
      at: (address, except) =>
        [...this.#holders.get(address) ?? []].find((identity) => identity !== except) ?? null,
    };
  }

  #place(identity: string, device: Device, before: string | null): void {
    const old = before === null ? undefined : this.#devices.get(before);
    if (before !== null && old !== undefined) {
      this.#holders.get(old.RecentIP)?.delete(before);
      if (this.#identities.get(old.WGPubKey) === before) this.#identities.delete(old.WGPubKey);
      if (before !== identity) this.#devices.delete(before);
    }
    const isNews = old === undefined || before !== identity || !sameDevice(old, device);
    for (const group of device.Groups) {
      if (old?.Groups.includes(group) !== true) this.#groups.add(group);
    }
    const kept = isNews ? device : old;
    this.#devices.set(identity, kept);
    this.#index(identity, kept);
  }

  #index(identity: string, { WGPubKey, RecentIP }: Device): void {
    // Of several devices with one key the first is meant, as deviceOfKey says.
    if (WGPubKey !== "" && !this.#identities.has(WGPubKey)) {
      this.#identities.set(WGPubKey, identity);
    }
    const holders = this.#holders.get(RecentIP);
    if (holders === undefined) this.#holders.set(RecentIP, new Set([identity]));
    else holders.add(identity);
  }

  /** Throws Problem 409 for the address of another peer: a new key for that one is a rotation. */
  #refuseOtherPeer(key: string, address: string): void {
    for (const identity of this.#holders.get(address) ?? []) {
      const device = this.#devices.get(identity)!;
      if (device.WGPubKey === "" || device.WGPubKey === key) continue;
      throw conflict(
        `${address} is the address of the VPN peer ${titleOf(identity, device)}; give that one a ` +
          "new key instead, or choose another address",
        { holder: identity },
      );
    }
  }
}

/** The address that a peer's device has, else the next free one. Throws Problem 409. */
export function addressFor(config: Config, key: string, reserved: readonly number[]): string {
  const identity = deviceOfKey(config, key);
  const kept = identity === null ? null : validAddress(config, config.devices[identity]!.RecentIP);
  if (kept !== null) return kept;
  const free = freeAddress(config, reserved);
  if (free === null) throw exhausted(config);
  return formatIpv4(free);
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

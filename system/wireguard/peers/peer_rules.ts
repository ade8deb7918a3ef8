import type { Config } from "../../config.ts";
import { conflict, invalid, notFound } from "../../core/errors/problem.ts";
import { withDevice } from "../../devices/device.ts";
import { requirePeerKey } from "../key_rules.ts";
import type { VpnPeer } from "../schema.ts";
import { withWireguard } from "../server_rules.ts";
import {
  addressFor,
  type MadeKeys,
  PeerDraft,
  type PeerOutcome,
  type PutPeer,
} from "./peer_draft.ts";
import { deviceOfKey, removePeer, upsertPeer } from "./rules.ts";

/**
 * Adds or changes a peer and its device: the one with its key, else the one with its address, else a
 * new one that may do nothing yet. Throws Problem 400, 409.
 */
export function putPeer(config: Config, peer: PutPeer): [Config, PeerOutcome] {
  const draft = new PeerDraft(config);
  const outcome = draft.put(peer);
  return [draft.config(), outcome];
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

import type { Config } from "../config.ts";
import type { SecretPlace } from "../core/engine/change.ts";
import { MASK, NONE, type PeerRequest, type SiteRequest } from "./wire.ts";

function place(...path: readonly string[]): SecretPlace {
  return { document: "wireguard", path };
}

function isClear(sent: string | undefined): boolean {
  return sent !== undefined && !["", MASK, NONE].includes(sent);
}

/** Where the preshared key of a peer is that a request says in clear. */
export function peerSecrets(key: string, request: PeerRequest): readonly SecretPlace[] {
  return isClear(request.PresharedKey) ? [place("Peers", key, "PresharedKey")] : [];
}

/** Where the keys of a site are that a request says in clear. */
export function siteSecrets(request: SiteRequest): readonly SecretPlace[] {
  return (["PrivateKey", "PresharedKey"] as const).filter((field) => isClear(request[field]))
    .map((field) => place("Sites", request.Name, field));
}

/** Where the keys of a site are whose file is taken over. */
export function siteFileSecrets(name: string): readonly SecretPlace[] {
  return [place("Sites", name, "PrivateKey"), place("Sites", name, "PresharedKey")];
}

/** Where the keys are of a server that is taken over. */
export function serverSecrets({ wireguard }: Config): readonly SecretPlace[] {
  return [
    place("PrivateKey"),
    ...wireguard.Peers.map(({ PublicKey }) => place("Peers", PublicKey, "PresharedKey")),
  ];
}

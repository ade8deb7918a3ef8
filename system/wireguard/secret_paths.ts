import type { Config } from "../config.ts";
import type { SecretPath } from "../core/engine/change.ts";
import { MASK, NONE, type PeerRequest, type SiteRequest } from "./wire.ts";

function secretPath(...path: readonly string[]): SecretPath {
  return { document: "wireguard", path };
}

function isClear(sent: string | undefined): boolean {
  return sent !== undefined && !["", MASK, NONE].includes(sent);
}

/** Where the preshared key of a peer is that a request says in clear. */
export function peerSecrets(key: string, request: PeerRequest): readonly SecretPath[] {
  return isClear(request.PresharedKey) ? [secretPath("Peers", key, "PresharedKey")] : [];
}

/** Where the keys of a site are that a request says in clear. */
export function siteSecrets(request: SiteRequest): readonly SecretPath[] {
  return (["PrivateKey", "PresharedKey"] as const).filter((field) => isClear(request[field]))
    .map((field) => secretPath("Sites", request.Name, field));
}

/** Where the keys of a site are whose file is taken over. */
export function siteFileSecrets(name: string): readonly SecretPath[] {
  return [secretPath("Sites", name, "PrivateKey"), secretPath("Sites", name, "PresharedKey")];
}

/** Where the keys are of a server that is taken over. */
export function serverSecrets({ wireguard }: Config): readonly SecretPath[] {
  return [
    secretPath("PrivateKey"),
    ...wireguard.Peers.map(({ PublicKey }) => secretPath("Peers", PublicKey, "PresharedKey")),
  ];
}

import type { Config } from "../config.ts";
import { onceEach } from "../core/config/memo.ts";
import { conflict, invalid, sentence } from "../core/errors/problem.ts";
import { isNobodysKey, publicKeyOf } from "./keys.ts";
import type { Wireguard } from "./schema.ts";

const OWN = "This is a key of this router; write the public key of the other side";

/** What is said of a key that no peer can have. */
export const NOBODYS_KEY =
  "No private key belongs to this public key; write the one that wg pubkey prints";

const siteKeys = onceEach((sites: Wireguard["Sites"]): readonly string[] =>
  sites.map((site) => publicKeyOf(site.PrivateKey))
);

/** The public keys of this router's own tunnels. */
const ownKeys = onceEach(({ PrivateKey, Sites }: Wireguard): ReadonlySet<string> =>
  new Set([publicKeyOf(PrivateKey), ...siteKeys(Sites)])
);

/** Throws Problem 400 for a key that no peer can have, 409 for that of a site. */
export function requirePeerKey(
  { wireguard }: Pick<Config, "wireguard">,
  key: string,
  pointer: string,
): void {
  if (isNobodysKey(key)) throw invalid(pointer, NOBODYS_KEY);
  if (ownKeys(wireguard).has(key)) throw invalid(pointer, OWN);
  const site = wireguard.Sites.find(({ PeerPublicKey }) => PeerPublicKey === key);
  if (site !== undefined) {
    throw conflict(sentence("This is the key of the site {name}", { name: site.Name }));
  }
}

/**
 * What of the keys cannot be together: one of this router's own is also that of a peer or site, or two
 * of these have the same.
 */
export function keyClashes(wireguard: Wireguard): readonly string[] {
  const { Peers, Sites } = wireguard;
  const others = [
    ...Peers.map(({ PublicKey }) => ({ key: PublicKey, name: `The VPN peer ${PublicKey}` })),
    ...Sites.map(({ PeerPublicKey, Name }) => ({ key: PeerPublicKey, name: `The site ${Name}` })),
  ];
  const own = ownKeys(wireguard);
  const first = new Map<string, string>();
  return others.flatMap(({ key, name }) => {
    if (own.has(key)) return [`${name} has a key of this router itself`];
    const twin = first.get(key);
    first.set(key, twin ?? name);
    return twin === undefined ? [] : [`${name} has the same key as ${twin.replace("The", "the")}`];
  });
}

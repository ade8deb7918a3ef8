import type { Config } from "../config.ts";
import type { EffectContext } from "../core/engine/change.ts";
import { titleOf } from "../devices/device.ts";
import { nameList } from "../devices/name_list.ts";

type Change = EffectContext<Config>;

/** What a change of the VPN does to its peers and sites. No key is compared: what is set counts. */
export function vpnEffects(change: Change): readonly string[] {
  if (change.before.wireguard === change.after.wireguard) return [];
  return [...peerEffects(change), ...siteEffects(change)];
}

function peerEffects({ before, after, patch }: Change): readonly string[] {
  const [old, now] = [before.wireguard, after.wireguard];
  const titles = new Map(
    Object.entries(after.devices).filter(([, { WGPubKey }]) => WGPubKey !== "")
      .map(([identity, device]) => [device.WGPubKey, titleOf(identity, device)]),
  );
  const names = (keys: readonly string[]) => nameList(keys.map((key) => titles.get(key) ?? key));
  const known = new Set(old.Peers.map(({ PublicKey }) => PublicKey));
  const kept = now.Peers.map(({ PublicKey }) => PublicKey)
    .filter((key) => known.has(key));
  const present = new Set(now.Peers.map(({ PublicKey }) => PublicKey));
  // Of a device that goes, or whose key changes, its own part says that the access is revoked.
  const gone = old.Peers.filter(({ PublicKey }) =>
    !present.has(PublicKey) && titles.has(PublicKey)
  );
  const set = new Set(
    patch.filter(({ document }) => document === "wireguard").map(({ path }) => path.join("\n")),
  );
  const sets = (...at: readonly string[]) => set.has(at.join("\n"));
  const isMoved = sets("PrivateKey") || old.ListenPort !== now.ListenPort;
  const renewed = kept.filter((key) => sets("Peers", key, "PresharedKey"));
  const forPeers = (keys: readonly string[], sentence: (names: string) => string) =>
    keys.length === 0 ? [] : [sentence(names(keys))];
  return [
    ...(old.Enabled && !now.Enabled
      ? forPeers(kept, (list) => `The VPN is turned off: no VPN access for ${list}`)
      : []),
    ...(!old.Enabled && now.Enabled
      ? [
        `UDP port ${now.ListenPort} is open to the Internet`,
        ...forPeers(kept, (list) => `The VPN is turned on: VPN access for ${list}`),
      ]
      : []),
    ...gone.map(({ PublicKey }) => `The VPN access of ${titles.get(PublicKey)} is revoked`),
    ...(isMoved && old.PrivateKey !== ""
      ? forPeers(kept, (list) => `A new VPN configuration is needed by ${list}`)
      : forPeers(renewed, (list) => `A new VPN configuration is needed by ${list}`)),
  ];
}

/** Networks that are no longer reached through a site, or come to be. */
function siteEffects({ before, after }: Change): readonly string[] {
  const networks = (config: Config) =>
    new Map(
      config.wireguard.Sites.filter(({ Enabled }) => Enabled)
        .map(({ Name, Networks }) => [Name, Networks]),
    );
  const old = networks(before), now = networks(after);
  const missing = (some: typeof old, others: typeof old) =>
    [...some].flatMap(([name, list]) => {
      const rest = list.filter((one) => !others.get(name)?.includes(one));
      return rest.length === 0 ? [] : [[name, rest.join(", ")] as const];
    });
  return [
    ...missing(old, now).map(([name, list]) => `${list} of the site ${name} is no longer reached`),
    ...missing(now, old).map(([name, list]) => `${list} is reached through the site ${name}`),
  ];
}

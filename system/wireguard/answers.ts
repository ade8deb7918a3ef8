import type * as z from "zod";
import type { Config } from "../config.ts";
import type { Desired } from "../core/kernel/desired.ts";
import { publicKeyOf } from "./keys.ts";
import type { PeerReport } from "./tunnels/plan_schema.ts";
import { deviceOfKey } from "./peers/rules.ts";
import { networkOf } from "./sites/networks.ts";
import { type Site, TUNNEL } from "./schema.ts";
import type { Tunnels } from "./tunnels/tunnels.ts";
import {
  type ListedPeer,
  MASK,
  NONE,
  OWN_KEY,
  type ServerAnswer,
  type SiteAnswer,
  type TunnelStatus,
} from "./wire.ts";

/** What was last reported of the tunnels. */
type Reported = Pick<Tunnels, "find" | "peer" | "isOnline" | "problem">;

function counters(peer: PeerReport | undefined) {
  return {
    LatestHandshake: peer?.latestHandshake ?? 0,
    TransferRx: peer?.rx ?? 0,
    TransferTx: peer?.tx ?? 0,
  };
}

/** The peers of the tunnel with their devices, in the order in which they were added. */
export function listedPeers(config: Config, tunnels: Reported): z.output<typeof ListedPeer>[] {
  return config.wireguard.Peers.map(({ PublicKey, PresharedKey, PersistentKeepalive }) => {
    const identity = deviceOfKey(config, PublicKey);
    const device = identity === null ? undefined : config.devices[identity];
    const peer = tunnels.peer(TUNNEL, PublicKey);
    return {
      PublicKey,
      AllowedIPs: device?.RecentIP ? `${device.RecentIP}/32` : NONE,
      Endpoint: peer?.endpoint || NONE,
      PresharedKey: PresharedKey === "" ? NONE : MASK,
      PersistentKeepalive,
      ...counters(peer),
      Identity: identity ?? "",
      Name: device?.Name ?? "",
      Online: tunnels.isOnline(TUNNEL, PublicKey),
    };
  });
}

/** The tunnels that run, by interface, without any key but public ones. */
export function tunnelStatus(
  config: Config,
  tunnels: Pick<Tunnels, "list">,
): Record<string, TunnelStatus> {
  const { Peers, Sites } = config.wireguard;
  const settings = new Map(Peers.map((peer) => [peer.PublicKey, peer]));
  const running = tunnels.list.filter(({ backend }) => backend !== "");
  return Object.fromEntries(running.map(({ name, publicKey, listenPort, peers }) => {
    const site = Sites.find(({ Interface }) => Interface === name);
    const entries = peers.map((peer) => {
      const known = settings.get(peer.publicKey);
      const identity = deviceOfKey(config, peer.publicKey);
      const address = identity === null ? "" : config.devices[identity]!.RecentIP;
      const secret = site?.PresharedKey ?? known?.PresharedKey ?? "";
      const keepalive = site?.PersistentKeepalive ?? known?.PersistentKeepalive ?? 0;
      return [peer.publicKey, {
        ...(secret === "" ? {} : { presharedKey: MASK }),
        ...(peer.endpoint === "" ? {} : { endpoint: peer.endpoint }),
        ...(peer.latestHandshake === 0 ? {} : { latestHandshake: peer.latestHandshake }),
        ...(peer.rx === 0 ? {} : { transferRx: peer.rx }),
        ...(peer.tx === 0 ? {} : { transferTx: peer.tx }),
        ...(keepalive === 0 ? {} : { persistentKeepalive: keepalive }),
        allowedIps: site?.Networks ?? (address === "" ? [] : [`${address}/32`]),
      }] as const;
    });
    return [name, { publicKey, listenPort, peers: Object.fromEntries(entries) }];
  }));
}

/** The configuration of the peers' tunnel as text, secrets left out. */
export function serverFile(config: Config): string {
  const { ListenPort, PrivateKey, Peers } = config.wireguard;
  const sections = Peers.map(({ PublicKey, PresharedKey, PersistentKeepalive }) => {
    const identity = deviceOfKey(config, PublicKey);
    const address = identity === null ? "" : config.devices[identity]!.RecentIP;
    return [
      "",
      "[Peer]",
      `PublicKey = ${PublicKey}`,
      ...(PresharedKey === "" ? [] : [`PresharedKey = ${MASK}`]),
      ...(address === "" ? [] : [`AllowedIPs = ${address}/32`]),
      ...(PersistentKeepalive === 0 ? [] : [`PersistentKeepalive = ${PersistentKeepalive}`]),
    ].join("\n");
  });
  const own = PrivateKey === "" ? [] : [`PrivateKey = ${OWN_KEY}`];
  return ["[Interface]", `ListenPort = ${ListenPort}`, ...own, ...sections, ""].join("\n");
}

/** The settings of the peers' tunnel, and how it runs. */
export function serverAnswer(
  { wireguard }: Pick<Config, "wireguard">,
  tunnels: Reported,
  mtu: number,
): z.output<typeof ServerAnswer> {
  const { Enabled, ListenPort, MTU, Endpoints, PrivateKey } = wireguard;
  const state = tunnels.find(TUNNEL);
  return {
    Enabled,
    ListenPort,
    MTU,
    CurrentMTU: mtu,
    Endpoints,
    PublicKey: publicKeyOf(PrivateKey),
    Running: (state?.backend ?? "") !== "",
    Backend: state?.backend ?? "",
    Problem: tunnels.problem || (state?.problem ?? ""),
  };
}

/** A site, and how its tunnel runs; secrets masked. */
export function siteAnswer(
  site: Site,
  tunnels: Reported,
  { routes }: Pick<Desired, "routes">,
): z.output<typeof SiteAnswer> {
  const peer = tunnels.peer(site.Interface, site.PeerPublicKey);
  return {
    ...site,
    PrivateKey: MASK,
    PresharedKey: site.PresharedKey === "" ? "" : MASK,
    PublicKey: publicKeyOf(site.PrivateKey),
    ...counters(peer),
    Online: tunnels.isOnline(site.Interface, site.PeerPublicKey),
    CurrentEndpoint: peer?.endpoint ?? "",
    Problem: siteProblem(site, tunnels, routes),
  };
}

/** Why a site is not joined as it should be; "" where it is, and where it is off. */
function siteProblem(site: Site, tunnels: Reported, routes: Desired["routes"]): string {
  const state = tunnels.find(site.Interface);
  if (!site.Enabled) return "";
  if (tunnels.problem !== "" || state === undefined) return tunnels.problem;
  if (state.problem !== "") return state.problem;
  const lost = site.Networks.filter((network) =>
    network !== networkOf(site.Address) &&
    !routes.some(({ destination, link }) => destination === network && link === site.Interface)
  );
  return lost.length === 0 ? "" : `${lost.join(", ")}: not reached, because this router is in an ` +
    "overlapping network by now, for example by the lease of an uplink";
}

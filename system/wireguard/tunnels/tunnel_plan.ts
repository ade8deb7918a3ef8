import type { Config } from "../../config.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import { isolationOf } from "../../devices/policies.ts";
import { fingerprint } from "../../multicast/relay_plan.ts";
import { hasPlan } from "../../network/has_plan.ts";
import type { PlannedTunnel, TunnelPlan } from "./plan_schema.ts";
import { TUNNEL } from "../schema.ts";

const IDLE: TunnelPlan = { tag: "nothing", decided: true, tunnels: [] };
const UNDECIDED: TunnelPlan = { tag: "undecided", decided: false, tunnels: [] };

/**
 * The plan of the process `wireguard`: nothing where the network is not applied, else the tunnels that
 * are on. A peer takes part while its device exists, is enabled and has an address.
 */
export function tunnelPlan(
  { config, network }: Pick<ChangeEngine<Config>, "config" | "network">,
): TunnelPlan {
  if (!hasPlan(network)) return UNDECIDED;
  if (network.state !== "applied") return IDLE;
  const tunnels = [...peersTunnel(config), ...siteTunnels(config)];
  // The tag stands in a query, so that it is a digest, and says nothing of the keys.
  return { tag: fingerprint(JSON.stringify(tunnels)), decided: true, tunnels };
}

function peersTunnel({ wireguard, devices }: Config): readonly PlannedTunnel[] {
  const { Enabled, PrivateKey, ListenPort, Peers } = wireguard;
  if (!Enabled || PrivateKey === "") return [];
  const owners = new Map(
    Object.values(devices).filter(({ WGPubKey }) => WGPubKey !== "")
      .map((device) => [device.WGPubKey, device]),
  );
  const peers = Peers.flatMap(({ PublicKey, PresharedKey, PersistentKeepalive }) => {
    const device = owners.get(PublicKey);
    if (device === undefined || device.RecentIP === "" || device.DeviceDisabled) return [];
    if (isolationOf(device.Policies)?.kind === "disconnect") return [];
    return [{
      publicKey: PublicKey,
      presharedKey: PresharedKey,
      allowedIps: [`${device.RecentIP}/32`],
      endpoint: "",
      keepalive: PersistentKeepalive,
    }];
  });
  return [{ name: TUNNEL, privateKey: PrivateKey, listenPort: ListenPort, peers }];
}

function siteTunnels({ wireguard }: Config): readonly PlannedTunnel[] {
  return wireguard.Sites.filter(({ Enabled }) => Enabled).map((site) => ({
    name: site.Interface,
    privateKey: site.PrivateKey,
    listenPort: site.ListenPort,
    peers: [{
      publicKey: site.PeerPublicKey,
      presharedKey: site.PresharedKey,
      allowedIps: site.Networks,
      endpoint: site.Endpoint,
      keepalive: site.Endpoint === "" ? 0 : site.PersistentKeepalive,
    }],
  }));
}

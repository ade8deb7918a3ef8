import type { Config } from "../../config.ts";
import { onceEach, perVersion } from "../../core/config/memo.ts";
import { isolationOf } from "../../devices/policies.ts";
import type { Device, Devices } from "../../devices/schema.ts";
import type { Mesh } from "../../mesh/schema.ts";
import { plannedMeshTunnels } from "../../mesh/tunnels.ts";
import { TUNNEL, type Wireguard } from "../schema.ts";
import type { PlannedTunnel } from "./plan_schema.ts";

/** Keys that the tunnel takes, with their addresses, by the identities of their devices. */
type Callers = ReadonlyMap<string, { readonly key: string; readonly address: string }>;

/**
 * The tunnels that are on, as they are to run. A peer takes part while its device exists, is enabled
 * and has an address. The same list again where nothing of it changed. Those of a mesh are among them.
 */
export function plannedTunnels(
  { wireguard, devices, mesh }: Pick<Config, "wireguard" | "devices" | "mesh">,
): readonly PlannedTunnel[] {
  const own = tunnelsFor(callersOf(devices))(wireguard), others = meshTunnelsOf(mesh);
  return others.length === 0 ? own : joined(own)(others);
}

const meshTunnelsOf = onceEach((mesh: Mesh) => plannedMeshTunnels(mesh));

const joined = onceEach((own: readonly PlannedTunnel[]) =>
  onceEach((others: readonly PlannedTunnel[]): readonly PlannedTunnel[] => [...own, ...others])
);

const tunnelsFor = onceEach((callers: Callers) =>
  onceEach((wireguard: Wireguard): readonly PlannedTunnel[] => [
    ...peersTunnel(wireguard, callers),
    ...siteTunnels(wireguard),
  ])
);

const callersOf = perVersion<Devices, Callers>({
  compute: findCallers,
  update: (earlier, devices, changed) => {
    const stays = changed.every((identity) => {
      const was = earlier.get(identity), is = callerOf(devices[identity]!);
      return was?.key === is?.key && was?.address === is?.address;
    });
    return stays ? earlier : findCallers(devices);
  },
});

function findCallers(devices: Devices): Callers {
  return new Map(
    Object.entries(devices).flatMap(([identity, device]) => {
      const caller = callerOf(device);
      return caller === null ? [] : [[identity, caller] as const];
    }),
  );
}

/** The key and address of a device that may use the tunnel; null for any other. */
function callerOf({ WGPubKey, RecentIP, DeviceDisabled, Policies }: Device) {
  const isOff = DeviceDisabled || isolationOf(Policies)?.kind === "disconnect";
  return WGPubKey === "" || RecentIP === "" || isOff ? null : { key: WGPubKey, address: RecentIP };
}

function peersTunnel(
  { Enabled, PrivateKey, ListenPort, Peers }: Wireguard,
  callers: Callers,
): readonly PlannedTunnel[] {
  if (!Enabled || PrivateKey === "") return [];
  const addresses = new Map([...callers.values()].map(({ key, address }) => [key, address]));
  const peers = Peers.flatMap(({ PublicKey, PresharedKey, PersistentKeepalive }) => {
    const address = addresses.get(PublicKey);
    return address === undefined ? [] : [{
      publicKey: PublicKey,
      presharedKey: PresharedKey,
      allowedIps: [`${address}/32`],
      endpoint: "",
      keepalive: PersistentKeepalive,
    }];
  });
  return [{ name: TUNNEL, privateKey: PrivateKey, listenPort: ListenPort, peers }];
}

function siteTunnels({ Sites }: Wireguard): readonly PlannedTunnel[] {
  return Sites.filter(({ Enabled }) => Enabled).map((site) => ({
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

import type { Peers } from "../../system/wireguard/peers.ts";
import { PeerRemoval, PeerUpdate } from "../../system/wireguard/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Everything on the socket of the VPN. */
export function wireguardSocketRoutes({ peers }: { readonly peers: Peers }): Route[] {
  const common = { path: "/wireguardUpdate", tag: "VPN peers", access: "auth" } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Add a VPN peer with its address",
      body: PeerUpdate,
      errors: [409],
    }, ({ body }) => peers.update(body)),
    route({
      method: "DELETE",
      ...common,
      summary: "Remove a VPN peer",
      body: PeerRemoval,
      errors: [404],
    }, ({ body }) => peers.remove(body)),
  ];
}

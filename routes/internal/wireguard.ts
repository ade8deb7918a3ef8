import type { Peers } from "../../system/wireguard/peers/peers.ts";
import { PeerRemoval, PeerUpdate } from "../../system/wireguard/peers/peer_report_schema.ts";
import { type Route, route } from "../http/route.ts";

/** Routes of the VPN's socket. */
export function wireguardSocketRoutes({ peers }: { readonly peers: Peers }): Route[] {
  const common = { path: "/wireguardUpdate", tag: "VPN peers", access: "auth" } as const;
  return [
    route({
      method: "PUT",
      ...common,
      summary: "Add a VPN peer with its address",
      description:
        "Adds the peer as a device; its identity is the public key. An existing device with this " +
        "key or address is updated.",
      examples: {
        body: {
          IP: "192.168.2.14",
          PublicKey: "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=",
          Iface: "wg0",
          Name: "Phone",
        },
      },
      body: PeerUpdate,
      errors: [409],
    }, ({ body }) => peers.update(body)),
    route({
      method: "DELETE",
      ...common,
      summary: "Remove a VPN peer",
      description:
        "Deletes the device of the peer; one that also has a MAC address loses only its key. 404 if " +
        "no device has this key.",
      body: PeerRemoval,
      errors: [404],
    }, ({ body }) => peers.remove(body)),
  ];
}

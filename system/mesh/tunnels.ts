import type { DesiredAddress, DesiredLink } from "../core/kernel/desired.ts";
import type { Facts } from "../core/kernel/facts.ts";
import type { PlannedTunnel } from "../wireguard/tunnels/plan_schema.ts";
import { linkedLeaves, linkedParent } from "./links.ts";
import type { Mesh } from "./schema.ts";

/** Names of the tunnels of a mesh: `mesh-wg1` at the parent, `mesh-wg` at the leaf. */
const NAME = "mesh-wg";
/** UDP ports of the tunnels are this and the number of the link, at both ends. */
const BASE_PORT = 51_400;
/** Seconds between packets that let a router which has started again be found by the other. */
const KEEPALIVE = 25;
/**
 * Bytes of a packet in a tunnel on Ethernet: what WireGuard adds over IPv4 takes 60 (20 of IP, 8 of UDP, 32
 * of its own).
 */
export const MESH_TUNNEL_MTU = 1440;

/** A WireGuard tunnel that carries the link to another router of the mesh. */
export interface MeshTunnel {
  readonly interface: string;
  /** UDP port, the same at both ends. */
  readonly port: number;
  /** Where the other router is reached: an IPv4 address. */
  readonly outer: string;
  /** Address of this end in the tunnel, and of the other. */
  readonly own: string;
  readonly peer: string;
  readonly privateKey: string;
  /** Public key of the other router; "" until that is known. */
  readonly peerKey: string;
}

/**
 * Address of one end of a link in its tunnel. Link-local (RFC 3927): no router forwards such addresses, and
 * no network of devices has them. Each link has a network of two addresses (RFC 3021).
 */
function endAddress(number: number, end: "parent" | "leaf"): string {
  return `169.254.240.${2 * number + (end === "parent" ? 0 : 1)}`;
}

/** The tunnels of a router's links that are encrypted. */
export function meshTunnels(mesh: Mesh): readonly MeshTunnel[] {
  const parent = linkedParent(mesh);
  if (parent !== null) {
    const { Link, ParentIP, TunnelKey, PeerKey } = parent;
    return Link.Kind !== "wireguard" ? [] : [{
      interface: NAME,
      port: BASE_PORT + Link.Number,
      outer: ParentIP,
      own: endAddress(Link.Number, "leaf"),
      peer: endAddress(Link.Number, "parent"),
      ...{ privateKey: TunnelKey, peerKey: PeerKey },
    }];
  }
  return linkedLeaves(mesh).flatMap(({ IP, Link, TunnelKey, PeerKey }) =>
    Link.Kind !== "wireguard" ? [] : [{
      interface: `${NAME}${Link.Number}`,
      port: BASE_PORT + Link.Number,
      outer: IP,
      own: endAddress(Link.Number, "parent"),
      peer: endAddress(Link.Number, "leaf"),
      ...{ privateKey: TunnelKey, peerKey: PeerKey },
    }]
  );
}

/** The tunnels as the process `wireguard` is to keep them; those whose keys are known at both ends. */
export function plannedMeshTunnels(mesh: Mesh): readonly PlannedTunnel[] {
  return meshTunnels(mesh).filter(({ privateKey, peerKey }) => privateKey !== "" && peerKey !== "")
    .map((tunnel) => ({
      name: tunnel.interface,
      privateKey: tunnel.privateKey,
      listenPort: tunnel.port,
      peers: [{
        publicKey: tunnel.peerKey,
        presharedKey: "",
        allowedIps: [`${tunnel.peer}/32`],
        endpoint: `${tunnel.outer}:${tunnel.port}`,
        keepalive: KEEPALIVE,
      }],
    }));
}

/** Tunnels that are present, set up. */
export function meshTunnelLinks(mesh: Mesh, { links }: Facts): readonly DesiredLink[] {
  return present(mesh, links).map((tunnel) => ({
    name: tunnel.interface,
    create: null,
    mtu: MESH_TUNNEL_MTU,
    up: true,
  }));
}

/** The router's addresses in tunnels that are present. */
export function meshTunnelAddresses(mesh: Mesh, { links }: Facts): readonly DesiredAddress[] {
  return present(mesh, links).map((tunnel) => ({
    link: tunnel.interface,
    address: `${tunnel.own}/31`,
  }));
}

/** The other routers, by their addresses outside, to which there is no tunnel yet though one is wanted. */
export function absentTunnels(mesh: Mesh, { links }: Facts): ReadonlySet<string> {
  const here = new Set(present(mesh, links).map((tunnel) => tunnel.interface));
  const absent = meshTunnels(mesh).filter((tunnel) => !here.has(tunnel.interface));
  return new Set(absent.map(({ outer }) => outer));
}

function present(mesh: Mesh, links: Facts["links"]): readonly MeshTunnel[] {
  const tunnels = meshTunnels(mesh);
  if (tunnels.length === 0) return [];
  const names = new Set(links.map(({ name }) => name));
  return tunnels.filter((tunnel) => names.has(tunnel.interface));
}

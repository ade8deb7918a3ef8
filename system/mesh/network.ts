import type { Config } from "../config.ts";
import { memo, onceEach } from "../core/config/memo.ts";
import type { Desired, DesiredAddress, DesiredLink } from "../core/kernel/desired.ts";
import { type AddressFact, type Facts, type LinkFact, VXLAN_PORT } from "../core/kernel/facts.ts";
import { inRange4, parseIpv4, parseRange4 } from "../core/net/net.ts";
import { Interface } from "../network/interfaces/schema.ts";
import { isStationInterface } from "../network/interfaces/vlan_links.ts";
import { linkedLeaves, linkedParent } from "./links.ts";
import type { LeafRouter, Mesh, MeshLink } from "./schema.ts";
import {
  absentTunnels,
  MESH_TUNNEL_MTU,
  meshTunnelAddresses,
  meshTunnelLinks,
  meshTunnels,
} from "./tunnels.ts";

/** The bridge of a leaf: its ports are the interfaces of clients, and the way to the parent. */
export const MESH_BRIDGE = "mesh-bridge";
/** The leaf's end of the link to its parent. */
const TO_PARENT = "mesh-parent";

/** The parent's interface on which the clients of a leaf router are. */
export function leafInterface({ Link }: Pick<LeafRouter, "Link">): string | null {
  return Link === null ? null : `mesh-leaf${Link.Number}`;
}

/** True for an interface of a parent that leads to the clients of a leaf router, by its name. */
export function isLeafInterface(name: string): boolean {
  return /^mesh-leaf[1-9]\d?$/.test(name);
}

/** True for a link that Sluice makes for a mesh. */
export function isMeshLink({ name, kind }: Pick<LinkFact, "name" | "kind">): boolean {
  return kind === "vxlan" && (name === TO_PARENT || isLeafInterface(name)) ||
    kind === "bridge" && name === MESH_BRIDGE;
}

/** True for a leaf whose clients are on the network of its parent; `vxlan`: its kernel has that. */
export function isBridgedLeaf(mesh: Mesh, vxlan: boolean): boolean {
  return vxlan && isLinkedLeaf(mesh);
}

/** True for most routers: no link to another one is wanted. */
function isAlone({ LeafMode, ParentCredentials, LeafRouters }: Mesh): boolean {
  return LeafMode
    ? ParentCredentials.Link === null
    : LeafRouters.every(({ Link }) => Link === null);
}

/** True for a leaf whose parent wants its clients on its own network, whether or not the kernel can. */
function isLinkedLeaf(mesh: Mesh): boolean {
  return !isAlone(mesh) && linkedParent(mesh) !== null;
}

const isClientSide = ({ Type }: Interface): boolean => Type === "Downlink" || Type === "AP";

const NO_DEVICES: Config["devices"] = {};
const NO_NETWORKS: Config["dhcp"]["TinyNets"] = [];

/** Another list where the mesh is another, since plans compare lists by identity. */
const interfacesOf = onceEach((mesh: Mesh) =>
  memo((interfaces: Config["interfaces"]): Config["interfaces"] =>
    isLinkedLeaf(mesh) ? interfaces.filter((one) => !isClientSide(one)) : [
      ...interfaces,
      ...linkedLeaves(mesh).map((leaf) =>
        Interface.parse({ Name: leafInterface(leaf), Type: "Downlink", Enabled: true })
      ),
    ]
  )
);

/**
 * The configuration as the network of a mesh has it. A parent has a LAN interface for each leaf router. A
 * leaf has no LAN of its own: devices, addresses and access are its parent's. `vxlan`: the kernel has it;
 * without it the network is as without a mesh.
 */
export function meshNetwork(config: Config, vxlan: boolean): Config {
  const { mesh, interfaces, dhcp } = config;
  if (!vxlan) return config;
  if (isLinkedLeaf(mesh)) {
    return {
      ...config,
      interfaces: interfacesOf(mesh)(interfaces),
      devices: NO_DEVICES,
      dhcp: { ...dhcp, TinyNets: NO_NETWORKS },
    };
  }
  if (isAlone(mesh) || linkedLeaves(mesh).length === 0) return config;
  return { ...config, interfaces: interfacesOf(mesh)(interfaces) };
}

/** Where frames to another router are sent: into the tunnel to it where the link is encrypted. */
function remoteOf(mesh: Mesh, outer: string): string {
  return meshTunnels(mesh).find((tunnel) => tunnel.outer === outer)?.peer ?? outer;
}

/**
 * The links of a mesh. At a parent a VXLAN to each leaf. At a leaf one to the parent, and a bridge of it
 * with every interface of clients; those are isolated, so that all that they send goes to the parent. Tunnels
 * that are present are among them; the VXLAN of an encrypted link is made only once its tunnel is, since its
 * frames would leave by another way, in clear, until the packet filter refuses that. It stays where the tunnel
 * goes for a while, as with new keys.
 */
export function meshLinks({ interfaces, mesh }: Config, facts: Facts): readonly DesiredLink[] {
  if (!facts.capabilities.vxlan || isAlone(mesh)) return [];
  const parent = linkedParent(mesh);
  const tunnels = meshTunnelLinks(mesh, facts);
  const absent = absentTunnels(mesh, facts);
  /** Whether it may be there now: it is already, with its end in the tunnel, or can be sent through it. */
  const isSafe = (name: string, outer: string): boolean =>
    !absent.has(outer) ||
    facts.links.some((one) => one.name === name && one.vxlan?.remote === remoteOf(mesh, outer));
  if (parent === null) {
    return [
      ...tunnels,
      ...linkedLeaves(mesh).filter((leaf) => isSafe(leafInterface(leaf)!, leaf.IP)).map((
        leaf,
      ): DesiredLink => ({
        name: leafInterface(leaf)!,
        create: "vxlan",
        vxlan: { id: leaf.Link.Number, remote: remoteOf(mesh, leaf.IP) },
        mtu: linkMtu(leaf.Link),
        up: true,
      })),
    ];
  }
  const { ParentIP, Link } = parent;
  const port = { bridge: MESH_BRIDGE, isolated: true };
  return [
    ...tunnels,
    { name: MESH_BRIDGE, create: "bridge", up: true },
    ...(!isSafe(TO_PARENT, ParentIP) ? [] : [
      {
        name: TO_PARENT,
        create: "vxlan",
        vxlan: { id: Link.Number, remote: remoteOf(mesh, ParentIP) },
        mtu: CLIENT_MTU,
        port: { bridge: MESH_BRIDGE, isolated: false },
        up: true,
      } satisfies DesiredLink,
    ]),
    ...clientLinks(interfaces, facts).map((name) => ({ name, create: null, port, up: true })),
  ];
}

/** The router's addresses in the tunnels of a mesh that are present. */
export function meshAddresses(mesh: Mesh, facts: Facts): readonly DesiredAddress[] {
  return !facts.capabilities.vxlan || isAlone(mesh) ? [] : meshTunnelAddresses(mesh, facts);
}

/**
 * Whether the configuration wants links of a mesh, and the plan has them: the kernel can make them. A leaf
 * has its bridge before the tunnel to its parent is present.
 */
export function hasMeshLinks(
  { config: { mesh }, desired }: {
    readonly config: Pick<Config, "mesh">;
    readonly desired: Pick<Desired, "links">;
  },
): boolean {
  if (isAlone(mesh)) return false;
  return desired.links.some(({ name, create }) => create === "vxlan" || name === MESH_BRIDGE);
}

/** Bytes that a VXLAN takes of each packet for its headers (RFC 7348 section 4). */
const VXLAN_OVERHEAD = 50;

/** Bytes of a client's packet in a link between routers on Ethernet. */
function linkMtu({ Kind }: MeshLink): number {
  return (Kind === "wireguard" ? MESH_TUNNEL_MTU : 1500) - VXLAN_OVERHEAD;
}

/**
 * Bytes of a packet that a leaf takes from its clients, who know of no tunnel: the kernel responds to larger
 * ones than the tunnel carries (RFC 1191), or fragments them.
 */
const CLIENT_MTU = 1500;

/** Interfaces of a leaf that its clients are on: LAN ports, and one for each station. */
function clientLinks(interfaces: Config["interfaces"], { links }: Facts): readonly string[] {
  const named = (type: string): readonly string[] =>
    interfaces.filter(({ Type, Enabled }) => Type === type && Enabled).map(({ Name }) => Name);
  const ports = named("Downlink"), points = named("AP");
  return links.map(({ name }) => name)
    .filter((name) => ports.includes(name) || isStationInterface(points, name));
}

/** A port of this router at which another router of the mesh reaches it. */
export interface MeshPort {
  readonly protocol: "udp" | "tcp";
  readonly port: number;
  /** What uses it, for people. */
  readonly name: string;
}

/** The HTTPS port of a leaf, by which its parent manages it. */
const HTTPS_OF_LEAF: MeshPort = {
  ...{ protocol: "tcp", port: 443, name: "HTTPS, by which the parent manages this leaf router," },
};

/** Ports that the mesh needs: of the links to other routers, and of a leaf HTTPS. None without a mesh. */
export function meshPorts(mesh: Mesh): readonly MeshPort[] {
  const https = mesh.LeafMode ? [HTTPS_OF_LEAF] : [];
  if (isAlone(mesh)) return https;
  const tunnels = meshTunnels(mesh).map(({ outer, port }): MeshPort => ({
    ...{ protocol: "udp", port, name: `The encrypted link to ${outer}` },
  }));
  const parent = linkedParent(mesh);
  const links = parent === null
    ? linkedLeaves(mesh).map(({ IP, Link }) => ({ outer: IP, Link }))
    : [{ outer: parent.ParentIP, Link: parent.Link }];
  const open = links.find(({ Link }) => Link.Kind === "vxlan");
  const vxlan: MeshPort[] = open === undefined ? [] : [
    { protocol: "udp", port: VXLAN_PORT, name: `The link to ${open.outer}` },
  ];
  return [...tunnels, ...vxlan, ...https];
}

/** Another router of a mesh, which sends frames of clients in UDP. */
interface MeshPeer {
  /** From which it sends: in the tunnel to it where there is one. */
  readonly address: string;
  /** Interfaces that lead to it, at least one. */
  readonly links: readonly string[];
  /** Network identifier of the link to it: a peer reaches no other peer's link. */
  readonly vni: number;
}

/** A tunnel that carries the link to another router. */
interface TunnelOfPeer {
  readonly interface: string;
  /** Addresses of the other router: in the tunnel, and outside of it. */
  readonly peer: string;
  readonly outer: string;
  /** Interfaces that lead to it. */
  readonly links: readonly string[];
  /** UDP port of the tunnel. */
  readonly port: number;
}

/** What a mesh lets in. */
export interface InputOfMesh {
  readonly peers: readonly MeshPeer[];
  readonly tunnels: readonly TunnelOfPeer[];
  /** Interfaces from which the web ports of a leaf are open: those that lead to its parent. */
  readonly web: readonly string[];
}

/** What the packet filter lets through for a mesh. */
export interface MeshTraffic extends InputOfMesh {
  /** This leaf passes frames between its clients and its parent. */
  readonly bridged: boolean;
}

/** Where the router has networks and routes, IPv4. */
interface Ways {
  readonly addresses: readonly AddressFact[];
  readonly routes: readonly { readonly destination: string; readonly link: string | null }[];
  /** Interfaces to the Internet. */
  readonly uplinks: readonly string[];
}

const networkOf = onceEach(({ address }: AddressFact) => parseRange4(address));

/** The interfaces whose network, or else whose route, is the narrowest with this address. */
function linksTo(address: string, { addresses, routes }: Omit<Ways, "uplinks">): readonly string[] {
  const value = parseIpv4(address);
  if (value === null) return [];
  let narrowest = -1, links = new Set<string>();
  const take = (prefix: number, link: string): void => {
    if (prefix < narrowest) return;
    if (prefix > narrowest) links = new Set();
    narrowest = prefix;
    links.add(link);
  };
  for (const fact of addresses) {
    const range = networkOf(fact);
    if (range !== null && inRange4(range, value)) take(range.prefix, fact.link);
  }
  if (links.size > 0) return [...links].sort();
  for (const { destination, link } of routes) {
    const range = parseRange4(destination === "default" ? "0.0.0.0/0" : destination);
    if (link !== null && range !== null && inRange4(range, value)) take(range.prefix, link);
  }
  return [...links].sort();
}

/**
 * What the packet filter lets through for a mesh: each peer on the interfaces that lead to it, and no peer
 * while none does. An encrypted link is taken from its tunnel alone. `vxlan`: the kernel has it; `revoked`:
 * tunnels that may still have a key which was replaced.
 */
export function meshTraffic(
  { mesh }: Pick<Config, "mesh">,
  vxlan: boolean,
  ways: Ways,
  revoked: ReadonlySet<string> = new Set(),
): MeshTraffic {
  if (isAlone(mesh)) return { peers: [], tunnels: [], web: [], bridged: false };
  const tunnels = vxlan ? meshTunnels(mesh) : [];
  const parent = linkedParent(mesh);
  const linked = parent === null
    ? linkedLeaves(mesh).map(({ IP, Link }) => ({ outer: IP, Link, links: linksTo(IP, ways) }))
    : [{ outer: parent.ParentIP, Link: parent.Link, links: outwardTo(parent.ParentIP, ways) }];
  const peers = !vxlan ? [] : linked.flatMap(({ outer, Link, links }): readonly MeshPeer[] => {
    if (links.length === 0) return [];
    const vni = Link.Number;
    const tunnel = tunnels.find((one) => one.outer === outer);
    if (tunnel === undefined) return [{ address: outer, vni, links }];
    const isStale = revoked.has(tunnel.interface);
    return isStale ? [] : [{ address: tunnel.peer, vni, links: [tunnel.interface] }];
  });
  return {
    peers,
    tunnels: tunnels.map((tunnel) => ({
      ...{ interface: tunnel.interface, peer: tunnel.peer, outer: tunnel.outer },
      links: linked.find(({ outer }) => outer === tunnel.outer)?.links ?? [],
      port: tunnel.port,
    })),
    web: parent === null ? [] : linked[0]!.links,
    bridged: isBridgedLeaf(mesh, vxlan),
  };
}

/** The uplinks that lead to an address. */
function outwardTo(address: string, { addresses, routes, uplinks }: Ways): readonly string[] {
  const outward = <T extends { readonly link: string | null }>(list: readonly T[]) =>
    list.filter(({ link }) => link !== null && uplinks.includes(link));
  return linksTo(address, { addresses: outward(addresses), routes: outward(routes) });
}

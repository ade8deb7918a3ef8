import type { Config } from "../config.ts";
import { memo, onceEach } from "../core/config/memo.ts";
import type { DesiredLink } from "../core/kernel/desired.ts";
import type { Facts, LinkFact } from "../core/kernel/facts.ts";
import { parseIpv4 } from "../core/net/net.ts";
import { Interface } from "../network/interfaces/schema.ts";
import { isStationInterface } from "../network/interfaces/vlan_links.ts";
import { ServicePort } from "../firewall/rule_schema.ts";
import type { LeafRouter, Mesh } from "./schema.ts";

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

/** True for a leaf whose clients are on the network of its parent. */
export function isBridgedLeaf({ LeafMode, ParentCredentials }: Mesh): boolean {
  return LeafMode && ParentCredentials.Link !== null &&
    parseIpv4(ParentCredentials.ParentIP) !== null;
}

/** Leaf routers whose clients are on the network of this parent. */
function linkedLeaves({ LeafMode, LeafRouters }: Mesh): readonly LeafRouter[] {
  return LeafMode
    ? []
    : LeafRouters.filter(({ IP, Link }) => Link !== null && parseIpv4(IP) !== null);
}

const isClientSide = ({ Type }: Interface): boolean => Type === "Downlink" || Type === "AP";

const NO_DEVICES: Config["devices"] = {};
const NO_NETWORKS: Config["dhcp"]["TinyNets"] = [];

/** Another list where the mesh is another, since plans compare lists by identity. */
const interfacesOf = onceEach((mesh: Mesh) =>
  memo((interfaces: Config["interfaces"]): Config["interfaces"] =>
    isBridgedLeaf(mesh) ? interfaces.filter((one) => !isClientSide(one)) : [
      ...interfaces,
      ...linkedLeaves(mesh).map((leaf) =>
        Interface.parse({ Name: leafInterface(leaf), Type: "Downlink", Enabled: true })
      ),
    ]
  )
);

const WEB_PORTS = ["80", "443"];

/** The parent's network is beyond the WAN of its leaf: there the web ports are open. */
const leafFirewall = onceEach((firewall: Config["firewall"]): Config["firewall"] => ({
  ...firewall,
  ServicePorts: [
    ...firewall.ServicePorts.filter(({ Protocol, Port }) => Protocol !== "tcp" || !isWeb(Port)),
    ...WEB_PORTS.map((Port) => ServicePort.parse({ Protocol: "tcp", Port, UpstreamEnabled: true })),
  ],
}));

const isWeb = (port: string): boolean => WEB_PORTS.includes(port);

/**
 * The configuration as the network of a mesh has it. A parent has a LAN interface for each leaf router. A
 * leaf has no LAN of its own: devices, addresses and access are its parent's.
 */
export function meshNetwork(config: Config): Config {
  const { mesh, interfaces, dhcp } = config;
  if (isBridgedLeaf(mesh)) {
    return {
      ...config,
      interfaces: interfacesOf(mesh)(interfaces),
      firewall: leafFirewall(config.firewall),
      devices: NO_DEVICES,
      dhcp: { ...dhcp, TinyNets: NO_NETWORKS },
    };
  }
  if (linkedLeaves(mesh).length === 0) return config;
  return { ...config, interfaces: interfacesOf(mesh)(interfaces) };
}

/**
 * The links of a mesh. At a parent a VXLAN to each leaf. At a leaf one to the parent, and a bridge of it
 * with every interface of clients; those are isolated, so that all that they send goes to the parent.
 */
export function meshLinks({ interfaces, mesh }: Config, facts: Facts): readonly DesiredLink[] {
  if (!facts.capabilities.vxlan) return [];
  if (!isBridgedLeaf(mesh)) {
    return linkedLeaves(mesh).map((leaf) => ({
      name: leafInterface(leaf)!,
      create: "vxlan",
      vxlan: { id: leaf.Link!.Number, remote: leaf.IP },
      mtu: TUNNEL_MTU,
      up: true,
    }));
  }
  const { ParentIP, Link } = mesh.ParentCredentials;
  const port = { bridge: MESH_BRIDGE, isolated: true };
  return [
    { name: MESH_BRIDGE, create: "bridge", up: true },
    {
      name: TO_PARENT,
      create: "vxlan",
      vxlan: { id: Link!.Number, remote: ParentIP },
      mtu: CLIENT_MTU,
      port: { bridge: MESH_BRIDGE, isolated: false },
      up: true,
    },
    ...clientLinks(interfaces, facts).map((name) => ({ name, create: null, port, up: true })),
  ];
}

/** Bytes of a client's packet in a VXLAN on Ethernet: its headers take 50 (RFC 7348 section 4). */
const TUNNEL_MTU = 1450;
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

/** Addresses of the other ends of the links of a mesh: nobody else may send on them. */
export function meshPeers({ mesh }: Pick<Config, "mesh">): readonly string[] {
  return isBridgedLeaf(mesh)
    ? [mesh.ParentCredentials.ParentIP]
    : linkedLeaves(mesh).map(({ IP }) => IP);
}

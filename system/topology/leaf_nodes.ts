import type { LeafAir } from "../mesh/leaf_topology.ts";
import { identityOfMac } from "../devices/mac_owner.ts";
import type { Config } from "../config.ts";
import { deviceId, interfaceId } from "./device_nodes.ts";
import type { Topology, TopologyEdge, TopologyNode } from "./schema.ts";

const NO_STYLE = { Icon: "", Color: "" };

/** A leaf router, and what it has on the air; null while it does not respond. */
export interface DrawnLeaf {
  readonly IP: string;
  /** Interface that leads to it; null where none does. */
  readonly link: string | null;
  readonly air: LeafAir | null;
}

/** The node of a leaf router. */
function leafId(address: string): string {
  return `spr:${address}`;
}

/**
 * A topology with its leaf routers: each at the port that leads to it, with its radios, and with its
 * stations, which are devices of this router.
 */
export function withLeaves(
  { Nodes, Edges }: Pick<Topology, "Nodes" | "Edges">,
  leaves: readonly DrawnLeaf[],
  config: Pick<Config, "devices">,
): Pick<Topology, "Nodes" | "Edges"> {
  if (leaves.length === 0) return { Nodes, Edges };
  const nodes = new Map(Nodes.map((node) => [node.ID, node]));
  const moved = new Set<string>();
  const added: TopologyEdge[] = [];
  const edge = (From: string, To: string, Kind: string, more: Partial<TopologyEdge> = {}): void => {
    added.push({ From, To, Layer: "l1", Kind, ...more });
  };
  for (const { IP, link, air } of leaves) {
    const ID = leafId(IP);
    const own = [...nodes.values()].find((node) => node.Kind === "device" && node.IP === IP);
    if (own !== undefined) nodes.delete(own.ID);
    nodes.set(ID, {
      ...{ ID, Kind: "leaf_router", IP, Online: air !== null, Style: NO_STYLE },
      Name: own === undefined ? `Leaf router ${IP}` : own.Name,
      ...(own?.MAC === undefined ? {} : { MAC: own.MAC }),
      ...(link === null ? {} : { Iface: link }),
    });
    if (own !== undefined) moved.add(own.ID);
    const port = link === null ? undefined : nodes.get(interfaceId(link.split(".")[0]!));
    edge(ID, port?.ID ?? "router", "wired");
    for (const { Iface, SSID, Radio } of air?.radios ?? []) {
      const radio: TopologyNode = {
        ...{
          ID: `${ID}:${interfaceId(Iface)}`,
          Kind: "ap_radio",
          Name: Iface,
          Iface,
          Online: true,
        },
        Style: NO_STYLE,
        ...(SSID === "" ? {} : { SSID }),
        ...(Radio === undefined ? {} : { Radio }),
      };
      nodes.set(radio.ID, radio);
      edge(ID, radio.ID, "wifi");
    }
    for (const { MAC, Iface, RSSI } of air?.stations ?? []) {
      const device = nodes.get(deviceId(identityOfMac(config, MAC)));
      if (device === undefined || device.Kind !== "device") continue;
      moved.add(device.ID);
      nodes.set(device.ID, { ...device, ConnType: "wifi", Iface, Online: true });
      const radio = `${ID}:${interfaceId(Iface.split(".")[0]!)}`;
      edge(device.ID, nodes.has(radio) ? radio : ID, "wifi", RSSI === null ? {} : { Metric: RSSI });
    }
  }
  const gone = (id: string): boolean => !nodes.has(id);
  const kept = Edges.filter(({ From, To, Layer }) =>
    !gone(From) && !gone(To) && !(Layer === "l1" && moved.has(From))
  );
  return {
    Nodes: [...nodes.values()].sort((a, b) => a.ID < b.ID ? -1 : a.ID > b.ID ? 1 : 0),
    // The physical layer comes first.
    Edges: [
      ...kept.filter(({ Layer }) => Layer === "l1"),
      ...added,
      ...kept.filter(({ Layer }) => Layer !== "l1"),
    ],
  };
}

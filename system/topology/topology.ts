import type { Config } from "../config.ts";
import { memo } from "../core/config/memo.ts";
import { atOnce } from "../core/time/slices.ts";
import { opensBetween } from "../devices/groups/group_schema.ts";
import type { DeviceObservation, Observations } from "../core/engine/change.ts";
import type { Device } from "../devices/schema.ts";
import type { Endpoint } from "../firewall/rule_schema.ts";
import type { StatusLines } from "../wifi/control_schema.ts";
import { TUNNEL } from "../wireguard/schema.ts";
import {
  deviceId,
  type DevicePart,
  devicePart,
  drawnDevices,
  interfaceId,
  isIsolated,
  type StationAt,
} from "./device_nodes.ts";
import type { Topology, TopologyEdge, TopologyNode } from "./schema.ts";

/**
 * Members of a group, or devices of the LAN, up to which every pair is an edge: 1,128 for each. Clients
 * derive larger ones from the names of groups in the nodes.
 */
const MAX_PAIRED = 48;

/** What a topology is drawn from. */
export interface TopologySources {
  readonly config: Config;
  readonly observed: Observations;
  /** By the MAC address in lower case. */
  readonly stations: ReadonlyMap<string, StationAt>;
  /** hostapd's status of the radios that are on the air. */
  readonly radios: ReadonlyMap<string, StatusLines>;
  /** True for a device whose tunnel had a handshake a moment ago. */
  readonly isTunnelled: (device: Device) => boolean;
  /** What the router is called. */
  readonly name: string;
}

const NO_STYLE = { Icon: "", Color: "" };

/**
 * Draws topologies of one router, one after the other: a device that is where it was, and access that
 * nobody changed, are the same nodes and edges again.
 */
export class TopologyDrawing {
  readonly #parts = new Map<string, { readonly of: readonly unknown[]; part: DevicePart }>();
  readonly #accessEdges = memo(accessEdges);
  readonly #attachments = memo((interfaces: Config["interfaces"]) => ({
    radios: new Set(enabled(interfaces, "AP")),
    ports: new Set(enabled(interfaces, "Downlink")),
  }));

  /** {@link steps} at once. */
  draw(sources: TopologySources): Omit<Topology, "GeneratedAt"> {
    return atOnce(this.steps(sources));
  }

  /** The topology of a moment, without the time it was made at, in small steps. */
  *steps(sources: TopologySources): Generator<void, Omit<Topology, "GeneratedAt">> {
    const { config, observed } = sources;
    const nodes: TopologyNode[] = [
      { ID: "router", Kind: "router", Name: sources.name, Online: true, Style: NO_STYLE },
      ...interfaceNodes(sources),
      ...endpoints(config).map(endpointNode),
    ];
    const edges: TopologyEdge[] = nodes
      .filter(({ Kind }) => Kind !== "router" && Kind !== "endpoint")
      .map(interfaceEdge);
    const drawn = drawnDevices(config);
    for (const [identity, device] of drawn) {
      const { node, edge } = this.#part(identity, device, observed.devices[identity], sources);
      nodes.push(node);
      if (edge !== undefined) edges.push(edge);
      yield;
    }
    if (this.#parts.size > drawn.length) this.#forget(config.devices);
    nodes.sort((a, b) => compare(a.ID, b.ID));
    edges.sort(compareEdges);
    yield;
    const { devices, groups, firewall: { Endpoints }, interfaces } = config;
    return {
      Nodes: nodes,
      // "l1" sorts before "policy".
      Edges: [...edges, ...this.#accessEdges(devices, groups, Endpoints, interfaces)],
    };
  }

  #part(
    identity: string,
    device: Device,
    seen: DeviceObservation | undefined,
    { config, stations, isTunnelled }: TopologySources,
  ): DevicePart {
    const attachments = this.#attachments(config.interfaces);
    const station = device.MAC === "" ? undefined : stations.get(device.MAC);
    const tunnelled = device.WGPubKey !== "" && isTunnelled(device);
    const of = [device, seen, station?.network, station?.lines, tunnelled, attachments];
    const known = this.#parts.get(identity);
    if (known !== undefined && known.of.every((value, at) => value === of[at])) return known.part;
    const part = devicePart({ identity, device, seen, station, tunnelled }, attachments);
    this.#parts.set(identity, { of, part });
    return part;
  }

  #forget(devices: Config["devices"]): void {
    for (const identity of this.#parts.keys()) {
      if (!Object.hasOwn(devices, identity)) this.#parts.delete(identity);
    }
  }
}

function enabled(
  interfaces: Config["interfaces"],
  type: Config["interfaces"][number]["Type"],
): string[] {
  return interfaces.filter(({ Type, Enabled }) => Type === type && Enabled).map(({ Name }) => Name);
}

/** Uplinks, radios, ports and the VPN's interface. */
function interfaceNodes({ config, radios }: TopologySources): TopologyNode[] {
  const node = (name: string, Kind: TopologyNode["Kind"]): TopologyNode => ({
    ...{ ID: interfaceId(name), Kind, Name: name, Iface: name, Online: true, Style: NO_STYLE },
  });
  const { interfaces, devices } = config;
  const hasPeers = Object.values(devices).some(({ WGPubKey }) => WGPubKey !== "");
  return [
    ...enabled(interfaces, "Uplink").map((name) => node(name, "uplink")),
    ...enabled(interfaces, "Downlink").map((name) => node(name, "port")),
    ...enabled(interfaces, "AP").map((name) => {
      const status = radios.get(name);
      const SSID = status?.["ssid[0]"] ?? config.radios[name]?.ssid ?? "";
      return {
        ...node(name, "ap_radio"),
        ...(SSID === "" ? {} : { SSID }),
        ...(status === undefined ? {} : { Radio: radioOf(status) }),
      };
    }),
    ...(hasPeers ? [node(TUNNEL, "vpn")] : []),
  ];
}

const MODES = { ieee80211n: "n", ieee80211ac: "ac", ieee80211ax: "ax", ieee80211be: "be" };

function radioOf(status: StatusLines): TopologyNode["Radio"] {
  const number = (key: string): number => {
    const value = Number(status[key]);
    return Number.isSafeInteger(value) ? value : 0;
  };
  const Modes = Object.entries(MODES).filter(([key]) => status[key] === "1").map(([, mode]) =>
    mode
  );
  return {
    Channel: number("channel"),
    Freq: number("freq"),
    ...(Modes.length === 0 ? {} : { Modes }),
    Stations: number("num_sta[0]"),
  };
}

const EDGE_KINDS = { uplink: "uplink", ap_radio: "wifi", port: "wired", vpn: "wg" } as const;

/** The router's connection to one of its interfaces. */
function interfaceEdge({ ID, Kind }: TopologyNode): TopologyEdge {
  return { From: "router", To: ID, Layer: "l1", Kind: EDGE_KINDS[Kind as keyof typeof EDGE_KINDS] };
}

function endpoints({ firewall }: Pick<Config, "firewall">): readonly Endpoint[] {
  return inForce(firewall.Endpoints);
}

/** Endpoints that give access to somebody. */
function inForce(list: readonly Endpoint[]): readonly Endpoint[] {
  return list.filter(({ Disabled, Tags }) => !Disabled && Tags.length > 0);
}

function endpointId({ RuleName }: Endpoint): string {
  return `endpoint:${RuleName}`;
}

function endpointNode(endpoint: Endpoint): TopologyNode {
  const { RuleName, IP, Domain, Port, Tags } = endpoint;
  const host = IP || Domain;
  return {
    ID: endpointId(endpoint),
    Kind: "endpoint",
    Name: RuleName,
    IP: Port === "" ? host : `${host}:${Port}`,
    Tags: [...Tags],
    Online: true,
    Style: NO_STYLE,
  };
}

/** Who may reach whom by policies, groups and endpoints; devices without any access have none. */
function accessEdges(
  devices: Config["devices"],
  groups: Config["groups"],
  Endpoints: Config["firewall"]["Endpoints"],
  interfaces: Config["interfaces"],
): readonly TopologyEdge[] {
  const drawn = drawnDevices({ devices } as Config).filter(([, device]) => !isIsolated(device));
  const edges: TopologyEdge[] = [];
  const add = (From: string, To: string, Kind: string, Bidir = false): void => {
    edges.push({ From, To, Layer: "policy", Kind, ...(Bidir ? { Bidir } : {}) });
  };
  const uplink = enabled(interfaces, "Uplink")[0];
  const tagged = endpointsByTag(Endpoints);
  for (const [identity, { Policies, DeviceTags }] of drawn) {
    const from = deviceId(identity);
    if (uplink !== undefined && Policies.includes("wan")) {
      add(from, interfaceId(uplink), "policy:wan");
    }
    for (const id of new Set(DeviceTags.flatMap((tag) => tagged.get(tag) ?? []))) add(from, id, id);
  }
  if (drawn.length <= MAX_PAIRED) {
    for (const [at, [from, a]] of drawn.entries()) {
      for (const [to, b] of drawn.slice(at + 1)) {
        const [one, other] = [a, b].map(({ Policies }) => Policies.includes("lan"));
        if (one) add(deviceId(from), deviceId(to), "policy:lan", other);
        else if (other) add(deviceId(to), deviceId(from), "policy:lan");
      }
    }
  }
  const members = membersOf(drawn);
  for (const group of groups) {
    const { Name } = group;
    const list = members.get(Name) ?? [];
    if (!opensBetween(group) || list.length > MAX_PAIRED) continue;
    for (const [at, from] of list.entries()) {
      for (const to of list.slice(at + 1)) add(from, to, `group:${Name}`, true);
    }
  }
  return edges.sort(compareEdges);
}

/** Nodes of the endpoints in force by each of their tags. */
function endpointsByTag(list: readonly Endpoint[]): ReadonlyMap<string, readonly string[]> {
  const tagged = new Map<string, string[]>();
  for (const endpoint of inForce(list)) {
    for (const tag of endpoint.Tags) {
      tagged.getOrInsertComputed(tag, () => []).push(endpointId(endpoint));
    }
  }
  return tagged;
}

/** Nodes of the members by the name of their group. */
function membersOf(
  devices: readonly (readonly [string, Device])[],
): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  for (const [identity, { Groups }] of devices) {
    for (const group of Groups) {
      const list = members.get(group);
      if (list === undefined) members.set(group, [deviceId(identity)]);
      else list.push(deviceId(identity));
    }
  }
  return members;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareEdges(a: TopologyEdge, b: TopologyEdge): number {
  return compare(a.Layer, b.Layer) || compare(a.Kind, b.Kind) || compare(a.From, b.From) ||
    compare(a.To, b.To);
}

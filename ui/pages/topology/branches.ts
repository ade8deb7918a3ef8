import type { Topology, TopologyNode } from "./wire.ts";
import { t } from "../../text/language.ts";

/** How devices are gathered: by the interface they are on, or by their groups. */
export type Arrangement = "interface" | "group";

/** What stands between the router and devices on the map: an interface, or a group. */
export interface Branch {
  readonly id: string;
  readonly kind: "radio" | "port" | "vpn" | "router" | "group" | "none";
  readonly name: string;
  /** Network name and channel of a radio. */
  readonly note: string;
  /** Online ones first, each by name. */
  readonly devices: readonly TopologyNode[];
}

const KINDS = { ap_radio: "radio", port: "port", vpn: "vpn" } as const;

/** How a device is called on the map. */
export function titleOf({ Name, MAC, ID }: TopologyNode): string {
  return Name || MAC || ID.replace(/^dev:/, "");
}

/** Uplinks of the router, by name. */
export function uplinksOf({ Nodes }: Topology): readonly TopologyNode[] {
  return Nodes.filter(({ Kind }) => Kind === "uplink");
}

/**
 * The branches of the map with those devices that fit. A device that is offline stands where it was
 * last; one of several groups stands in each.
 */
export function branchesOf(
  topology: Topology,
  arrangement: Arrangement,
  fits: (device: TopologyNode) => boolean,
): readonly Branch[] {
  const devices = topology.Nodes.filter((node) => node.Kind === "device" && fits(node))
    .toSorted((a, b) =>
      Number(b.Online) - Number(a.Online) ||
      titleOf(a).localeCompare(titleOf(b), undefined, { numeric: true })
    );
  return arrangement === "group" ? byGroup(devices) : byInterface(topology, devices);
}

function byInterface(
  { Nodes, Edges }: Topology,
  devices: readonly TopologyNode[],
): readonly Branch[] {
  const attached = new Map(
    Edges.filter(({ Layer }) => Layer === "l1").map(({ From, To }) => [From, To]),
  );
  const interfaces = Nodes.filter((node) => node.Kind in KINDS);
  const known = new Set(interfaces.map(({ ID }) => ID));
  const placed = new Map<string, TopologyNode[]>();
  for (const device of devices) {
    const last = `iface:${(device.Iface ?? "").split(".")[0]}`;
    const at = attached.get(device.ID) ?? (known.has(last) ? last : "none");
    placed.set(at, [...placed.get(at) ?? [], device]);
  }
  const branch = (
    id: string,
    kind: Branch["kind"],
    name: string,
    note: string,
  ): Branch => ({ id, kind, name, note, devices: placed.get(id) ?? [] });
  return [
    ...interfaces.map((node) =>
      branch(node.ID, KINDS[node.Kind as keyof typeof KINDS], node.Name, noteOf(node))
    ),
    branch("router", "router", t("Other interfaces"), ""),
    branch("none", "none", t("Not connected"), ""),
  ].filter(({ kind, devices }) => devices.length > 0 || !(kind === "router" || kind === "none"));
}

function noteOf({ Kind, SSID, Radio }: TopologyNode): string {
  if (Kind === "vpn") return "VPN";
  const channel = Radio === undefined || Radio.Channel === 0
    ? ""
    : t("channel {channel}", { channel: Radio.Channel });
  return [SSID ?? "", channel].filter((part) => part !== "").join(", ");
}

function byGroup(devices: readonly TopologyNode[]): readonly Branch[] {
  const names = [...new Set(devices.flatMap(({ Groups }) => Groups ?? []))];
  const alone = devices.filter(({ Groups }) => (Groups ?? []).length === 0);
  return [
    ...names.toSorted((a, b) => a.localeCompare(b)).map((name) => ({
      id: `group:${name}`,
      kind: "group" as const,
      name,
      note: "",
      devices: devices.filter(({ Groups }) => Groups?.includes(name)),
    })),
    ...(alone.length === 0 ? [] : [
      { id: "none", kind: "none" as const, name: t("No group"), note: "", devices: alone },
    ]),
  ];
}

/** What a device reaches by its policies, its groups and its tags. */
export interface Reached {
  readonly devices: ReadonlySet<string>;
  readonly internet: boolean;
  readonly endpoints: number;
}

/** What a device reaches. Groups and policies that are too large to be edges are taken from the nodes. */
export function reachedBy({ Nodes, Edges }: Topology, device: TopologyNode): Reached {
  const devices = new Set<string>();
  let internet = false;
  let endpoints = 0;
  for (const { From, To, Layer, Kind, Bidir } of Edges) {
    if (Layer !== "policy") continue;
    const to = From === device.ID ? To : Bidir === true && To === device.ID ? From : null;
    if (to === null) continue;
    if (Kind === "policy:wan") internet = true;
    else if (to.startsWith("dev:")) devices.add(to);
    else if (to.startsWith("endpoint:")) endpoints++;
  }
  if (device.Isolated !== true) {
    const drawn = new Set(Edges.map(({ Kind }) => Kind));
    const groups = (device.Groups ?? []).filter((name) => {
      const size = Nodes.filter(({ Groups }) => Groups?.includes(name)).length;
      return size > MAX_PAIRED && !drawn.has(`group:${name}`);
    });
    const everyone = device.Policies?.includes("lan") === true &&
      Nodes.filter(isTarget).length > MAX_PAIRED;
    for (const node of Nodes) {
      if (!isTarget(node) || node.ID === device.ID) continue;
      if (everyone || groups.some((name) => node.Groups?.includes(name))) devices.add(node.ID);
    }
  }
  return { devices, internet, endpoints };
}

/** Members of a group, or devices, up to which the router sends pairs as edges. */
const MAX_PAIRED = 48;

function isTarget({ Kind, Isolated }: TopologyNode): boolean {
  return Kind === "device" && Isolated !== true;
}

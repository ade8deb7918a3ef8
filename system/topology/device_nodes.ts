import type { Config } from "../config.ts";
import type { DeviceObservation } from "../core/engine/change.ts";
import { parseIpv4 } from "../core/net/net.ts";
import { deviceAnswer } from "../devices/answer.ts";
import { kindOf } from "../devices/identity.ts";
import { isolationOf, type Policy } from "../devices/policies.ts";
import type { Device } from "../devices/schema.ts";
import { routeOf } from "../dhcp/tiny_net.ts";
import type { StatusLines } from "../wifi/control_schema.ts";
import { TUNNEL } from "../wireguard/schema.ts";
import type { TopologyEdge, TopologyNode } from "./schema.ts";

/** A station of an access point. */
export interface StationAt {
  /** Network that it has joined: `wlan0` or `wlan0.ap0`. */
  readonly network: string;
  /** hostapd's lines of it. */
  readonly lines: StatusLines;
}

/** What a device's node is made of; equal ones by identity give the same node. */
export interface DeviceSources {
  readonly identity: string;
  readonly device: Device;
  readonly seen: DeviceObservation | undefined;
  readonly station: StationAt | undefined;
  /** Its tunnel had a handshake a moment ago. */
  readonly tunnelled: boolean;
}

/** A device and what it is connected to. */
export interface DevicePart {
  readonly node: TopologyNode;
  /** Absent for one that is offline. */
  readonly edge?: TopologyEdge;
}

/** Radios and ports that are on, by their interface. */
export interface Attachments {
  readonly radios: ReadonlySet<string>;
  readonly ports: ReadonlySet<string>;
}

/** The node of an interface of the router. */
export function interfaceId(name: string): string {
  return `iface:${name}`;
}

/** The node of a device. */
export function deviceId(identity: string): string {
  return `dev:${identity}`;
}

/** True for a device that has no access, whatever its policies say. */
export function isIsolated({ DeviceDisabled, Policies }: Device): boolean {
  return DeviceDisabled || isolationOf(Policies as Policy[]) !== undefined;
}

/** The interface that a station's or a VLAN's interface belongs to. */
function baseOf(link: string): string {
  return link.split(".")[0]!;
}

/**
 * The node of a device and its connection: by Wi-Fi, then by the tunnel, then by cable, the first that
 * holds.
 */
export function devicePart(sources: DeviceSources, { radios, ports }: Attachments): DevicePart {
  const { identity, seen, station, tunnelled } = sources;
  const ID = deviceId(identity);
  const link = seen?.link ?? "";
  const base = baseOf(station?.network ?? link);
  const edgeTo = (To: string, Kind: string, more: Partial<TopologyEdge> = {}): TopologyEdge => ({
    ...{ From: ID, To, Layer: "l1" as const, Kind },
    ...more,
  });
  const part = (
    connection: Pick<TopologyNode, "ConnType" | "Iface" | "Online" | "Signal">,
    edge?: TopologyEdge,
  ): DevicePart => ({
    node: { ...described(sources), ...connection },
    ...(edge === undefined ? {} : { edge }),
  });
  if (station !== undefined && radios.has(base)) {
    const Signal = signalOf(station.lines);
    const metric = Signal === undefined || Signal.RSSI === 0 ? {} : { Metric: Signal.RSSI };
    return part(
      {
        ...{ ConnType: "wifi", Iface: station.network, Online: true },
        ...(Signal === undefined ? {} : { Signal }),
      },
      edgeTo(interfaceId(base), "wifi", metric),
    );
  }
  if (tunnelled) {
    const tunnel = { ConnType: "wireguard", Iface: TUNNEL, Online: true } as const;
    return part(tunnel, edgeTo(interfaceId(TUNNEL), "wg"));
  }
  if (seen?.online && link !== TUNNEL) {
    // A station while wifid does not answer: the lease still says where it is.
    if (radios.has(base)) {
      const here = { ConnType: "wifi", Iface: link, Online: true } as const;
      return part(here, edgeTo(interfaceId(base), "wifi"));
    }
    const to = ports.has(base) ? interfaceId(base) : "router";
    return part({ ConnType: "wired", Iface: link, Online: true }, edgeTo(to, "wired"));
  }
  return part({
    ConnType: "offline",
    ...(link === "" ? {} : { Iface: link }),
    Online: false,
  });
}

/** What a node says of its device wherever it is. */
function described({ identity, device, seen }: DeviceSources): Omit<TopologyNode, "Online"> {
  const { Name, MAC, VLANTag, RecentIP, Groups, Policies, DeviceTags, Style } = device;
  const { DHCPFirstTime, DHCPLastTime } = deviceAnswer(identity, device, seen, { showPsk: false });
  const address = parseIpv4(RecentIP);
  return {
    ID: deviceId(identity),
    Kind: "device",
    Name,
    ...(MAC === "" ? {} : { MAC }),
    ...(RecentIP === "" ? {} : { IP: RecentIP }),
    ...(address === null ? {} : { TinyNet: routeOf(address) }),
    ...(VLANTag === "" ? {} : { VLANTag }),
    ...(Groups.length === 0 ? {} : { Groups: [...Groups] }),
    ...(Policies.length === 0 ? {} : { Policies: [...Policies] }),
    ...(DeviceTags.length === 0 ? {} : { Tags: [...DeviceTags] }),
    ...(isIsolated(device) ? { Isolated: true } : {}),
    Style: { Icon: Style.Icon, Color: Style.Color },
    ...(DHCPFirstTime === "" ? {} : { DHCPFirstTime }),
    ...(DHCPLastTime === "" ? {} : { DHCPLastTime }),
  };
}

const CAPABILITIES = ["HT", "VHT", "HE", "EHT"];

/** Signal and rates of a station; undefined where hostapd names none. Rates are in 100 kbit/s. */
function signalOf(lines: StatusLines): TopologyNode["Signal"] {
  const first = (key: string): number => {
    const value = Number.parseInt(lines[key] ?? "", 10);
    return Number.isSafeInteger(value) ? value : 0;
  };
  const RSSI = first("signal");
  const TxRate = first("tx_rate_info");
  const RxRate = first("rx_rate_info");
  const flags = lines["flags"] ?? "";
  const Caps = CAPABILITIES.filter((name) => flags.includes(`[${name}]`));
  if (RSSI === 0 && TxRate === 0 && RxRate === 0 && Caps.length === 0) return undefined;
  return { RSSI, TxRate, RxRate, ...(Caps.length === 0 ? {} : { Caps }) };
}

/** Devices by identity; the one that is still to come is nowhere. */
export function drawnDevices({ devices }: Config): readonly (readonly [string, Device])[] {
  return Object.entries(devices).filter(([identity]) => kindOf(identity) !== "pending");
}

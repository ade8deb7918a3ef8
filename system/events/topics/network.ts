import * as z from "zod";
import { PacketEvent, PacketsSkipped } from "../../firewall/packet_log/event_schema.ts";
import { GeoBlockStatus } from "../../geo/schema.ts";
import { document, text, type Topic, whole } from "./topic.ts";

const VpnPeer = z.strictObject({
  IP: text,
  PublicKey: text,
  Iface: text,
  Name: text,
  removed: z.literal(true).optional(),
});
const TunnelStatus = z.strictObject({
  tunnels: z.array(z.strictObject({ name: text, backend: z.unknown(), problem: z.unknown() })),
});
const UplinkDown = z.strictObject({ Iface: text, Reason: text });
const UplinkUp = z.strictObject({ Iface: text });
const Failover = z.strictObject({ Iface: text, Action: z.enum(["removed", "restored"]) });
const SpeedTest = z.strictObject({
  Iface: text,
  Time: whole,
  DownMbps: z.number(),
  Seconds: z.number(),
  Bytes: z.number(),
  URL: text,
  Error: text.optional(),
});
const UplinkLease = z.strictObject({ Iface: text, IP: text, Router: text });
const RunningUplinks = z.array(z.strictObject({ Iface: text, Running: z.boolean() }));
const NetworkEvent = z.strictObject({
  state: text,
  detail: text.nullable(),
  drift: whole.optional(),
});

/** Topics of interfaces, uplinks, VPNs and rules. */
export const NETWORK_TOPICS: readonly Topic[] = [
  {
    name: "firewall:geo_block:refresh",
    what: "the ranges of blocked countries and networks were loaded",
    path: "/firewall/geo_block/status",
    payload: GeoBlockStatus,
  },
  document("geo_block", "/firewall/geo_block/config", "blocking by country and network"),
  document("interfaces", "/interfacesConfiguration", "interfaces"),
  document("names", "/interfacesConfiguration", "names of interfaces"),
  {
    name: "network",
    what: "how the network is applied changed",
    path: "/network",
    payload: NetworkEvent,
  },
  {
    name: "network:uplinks",
    what: "an uplink's interface came up or went down",
    path: "/network",
    payload: RunningUplinks,
  },
  {
    name: "nft:",
    what: "the packet log reports a packet: `nft:drop:forward`, `nft:wan:out`, …",
    path: "/firewall/packet_log",
    payload: PacketEvent,
  },
  {
    name: "nft:skipped",
    what: "so many packets came too fast to be reported",
    path: "/firewall/packet_log",
    payload: PacketsSkipped,
  },
  document("packets", "/firewall/packet_log", "which packets are logged"),
  document("ppp", "/uplink/ppp", "PPPoE accounts"),
  document("rules", "/firewall/config", "firewall rules"),
  {
    name: "uplink:lease",
    what: "an uplink got or lost its address",
    path: "/wan/status",
    payload: UplinkLease,
  },
  document("traffic_insights", "/traffic_insights/config", "settings of traffic insights"),
  document("wan", "/wan/config", "uplink settings"),
  {
    name: "wan:failover",
    what: "an uplink was taken out of use, or is back",
    path: "/wan/status",
    payload: Failover,
  },
  {
    name: "wan:speedtest",
    what: "a speed test ended",
    path: "/wan/speedtest",
    payload: SpeedTest,
  },
  {
    name: "wan:speedtest:start",
    what: "a speed test began",
    path: "/wan/speedtest",
    payload: UplinkUp,
  },
  {
    name: "wan:uplink:down",
    what: "an uplink is down",
    path: "/wan/status",
    payload: UplinkDown,
  },
  {
    name: "wan:uplink:up",
    what: "an uplink is up again",
    path: "/wan/status",
    payload: UplinkUp,
  },
  {
    name: "wg:update",
    what: "a VPN peer was added, changed or removed",
    path: "/plugins/wireguard/peers",
    payload: VpnPeer,
  },
  document("wireguard", "/plugins/wireguard/config", "VPN settings"),
  {
    name: "wireguard:status",
    what: "how the VPN tunnels run changed",
    path: "/plugins/wireguard/status",
    payload: TunnelStatus,
  },
];

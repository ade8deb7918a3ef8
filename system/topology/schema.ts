import * as z from "zod";

const Style = z.object({ Icon: z.string(), Color: z.string() });

/** What the router, its interfaces, its devices and what they are given access to are drawn as. */
export const TopologyNode = z.object({
  /**
   * `router`, `iface:wlan0`, `dev:<MAC address or VPN key>`, `endpoint:<rule>`, `spr:<address of a leaf
   * router>` or `spr:<address>:iface:wlan0` for a radio of one.
   */
  ID: z.string(),
  Kind: z.enum([
    "router",
    "uplink",
    "ap_radio",
    "port",
    "vpn",
    "device",
    "leaf_router",
    "endpoint",
  ]),
  Name: z.string(),
  MAC: z.string().optional(),
  /** Of an endpoint also a domain; both with a port. */
  IP: z.string().optional(),
  /** The /30 of a device. */
  TinyNet: z.string().optional(),
  VLANTag: z.string().optional(),
  ConnType: z.enum(["wifi", "wired", "wireguard", "offline"]).optional(),
  /** Interface of the router; of a device the one on which it is, or was last seen. */
  Iface: z.string().optional(),
  SSID: z.string().optional(),
  Radio: z.object({
    Channel: z.int(),
    /** MHz. */
    Freq: z.int(),
    /** Generations that the access point offers: `n`, `ac`, `ax`, `be`. */
    Modes: z.array(z.string()).optional(),
    Stations: z.int(),
  }).optional(),
  Groups: z.array(z.string()).optional(),
  Policies: z.array(z.string()).optional(),
  Tags: z.array(z.string()).optional(),
  Signal: z.object({
    /** dBm. */
    RSSI: z.int(),
    /** 100 kbit/s, as hostapd counts. */
    TxRate: z.int(),
    RxRate: z.int(),
    /** `HT`, `VHT`, `HE`, `EHT`. */
    Caps: z.array(z.string()).optional(),
  }).optional(),
  Online: z.boolean(),
  /** Disabled or in quarantine: it has no access whatever its policies say. */
  Isolated: z.boolean().optional(),
  Style,
  DHCPFirstTime: z.string().optional(),
  DHCPLastTime: z.string().optional(),
}).meta({ id: "TopologyNode" });
export type TopologyNode = z.output<typeof TopologyNode>;

/** A connection between two nodes, or access that a policy, a group or an endpoint gives. */
export const TopologyEdge = z.object({
  From: z.string(),
  To: z.string(),
  Layer: z.enum(["l1", "policy"]),
  /** `uplink`, `wifi`, `wired`, `wg`; `policy:wan`, `policy:lan`, `group:<name>`, `endpoint:<rule>`. */
  Kind: z.string(),
  /** Of a Wi-Fi connection its signal in dBm. */
  Metric: z.number().optional(),
  /** Access in both directions. */
  Bidir: z.boolean().optional(),
}).meta({ id: "TopologyEdge" });
export type TopologyEdge = z.output<typeof TopologyEdge>;

/** A way out of the network that a plugin offers. */
const TopologySink = z.object({
  ID: z.string(),
  Name: z.string(),
  Iface: z.string(),
  IP: z.string().optional(),
  Online: z.boolean(),
}).meta({ id: "TopologySink" });

/** What is connected where, and who may reach whom. */
export const Topology = z.object({
  GeneratedAt: z.string(),
  Nodes: z.array(TopologyNode),
  Edges: z.array(TopologyEdge),
  Sinks: z.array(TopologySink).optional(),
}).meta({ id: "Topology" });
export type Topology = z.output<typeof Topology>;

import { DEFAULT_INSIGHTS } from "../../../system/traffic/schema.ts";
import { geoBlockDocument } from "../../../system/geo/document.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { Updates } from "../../../system/machine/schema.ts";
import type { Config } from "../../../system/config.ts";
import { NO_ADMISSIONS } from "../../../system/dhcp/admission/admission_document.ts";
import { DEFAULT_LOG_CONFIG } from "../../../system/dns/log/schema.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import { DEFAULT_BLOCK_CONFIG } from "../../../system/dns/block/document.ts";
import { DEFAULT_RULES } from "../../../system/alerts/default_rules.ts";
import { STORED_BY_DEFAULT } from "../../../system/events/settings_schema.ts";
import { NO_DYNDNS } from "../../../system/dyndns/schema.ts";
import { NO_MESH } from "../../../system/mesh/schema.ts";
import { NO_PACKET_LOG } from "../../../system/firewall/packet_log/schema.ts";
import { DEFAULT_FIREWALL } from "../../../system/firewall/schema.ts";
import { blankDevice } from "../../../system/devices/device.ts";
import type { Device } from "../../../system/devices/schema.ts";
import { DEFAULT_WIREGUARD } from "../../../system/wireguard/schema.ts";
import { NO_GUESTS } from "../../../system/wifi/guests/schema.ts";
import { DEFAULT_ROAMING } from "../../../system/wifi/roaming/schema.ts";
import { Interface } from "../../../system/network/interfaces/schema.ts";

/** A card's address by number: `mac(1)` is 02:00:00:00:00:01. */
export function mac(n: number): string {
  return `02:00:00:00:${[n >> 8, n & 255].map((b) => b.toString(16).padStart(2, "0")).join(":")}`;
}

/** WireGuard public keys of nobody. */
export const KEY = "p0jJYyUhGhGQMQLBPFjYSbE0Y0/1mxjPmJkVOLrRVHs=";
export const OTHER_KEY = "QEsTCV3GkVQHnBqb3BPJCzwdrvB4GIz/Jzh4M5hsLlA=";

/** A device with these fields decided. */
export function device(identity: string, fields: Partial<Device> = {}): Device {
  return { ...blankDevice(identity), ...fields };
}

/** A whole configuration: 192.168.2.0/24, uplink `wan0`, downlink `lan0`, access point `wlan0`. */
export function configWith(parts: Partial<Config> = {}): Config {
  const link = (Name: string, Type: Interface["Type"]) =>
    Interface.parse({ Name, Type, Enabled: true });
  return {
    devices: {},
    groups: [],
    dhcp: { TinyNets: ["192.168.2.0/24"], LeaseTime: "24h0m0s" },
    admissions: NO_ADMISSIONS,
    interfaces: [link("wan0", "Uplink"), link("lan0", "Downlink"), link("wlan0", "AP")],
    radios: {},
    roaming: DEFAULT_ROAMING,
    guests: NO_GUESTS,
    ppp: [],
    wpa: [],
    wan: DEFAULT_UPLINK_SETTINGS,
    firewall: { ...DEFAULT_FIREWALL, ServicePorts: [], PingLan: true, PingWan: false },
    packetLog: NO_PACKET_LOG,
    users: {},
    limitedUsers: {},
    names: [],
    hostName: "",
    updates: Updates.parse({}),
    themes: [],
    geoBlock: geoBlockDocument.fallback,
    multicast: { Disabled: false, Addresses: [], DisableMDNSAdvertise: false, MDNSName: "" },
    dns: DEFAULT_SETTINGS,
    hostnames: [],
    dnsLog: DEFAULT_LOG_CONFIG,
    dnsBlock: DEFAULT_BLOCK_CONFIG,
    reachTests: [],
    wireguard: DEFAULT_WIREGUARD,
    dyndns: NO_DYNDNS,
    mesh: NO_MESH,
    alerts: DEFAULT_RULES,
    alertChannels: [],
    eventStore: STORED_BY_DEFAULT,
    insights: DEFAULT_INSIGHTS,
    plugins: { Plugins: [] },
    composePaths: [],
    ...parts,
  };
}

import type { z } from "zod";
import { RadioState } from "../../wifi/plan_schema.ts";
import { SupplicantState } from "../../wifi/supplicant/schema.ts";
import * as payloads from "./payloads.ts";

/** What is known of a topic, or of all topics that begin alike. */
export interface Topic {
  /** The topic, or with a colon or `*` at its end the beginning of several. */
  readonly name: string;
  /** When it comes, in a few words. */
  readonly what: string;
  /** The path of the API that shows the same by GET; the right to read it covers the events. */
  readonly path: string;
  readonly payload: z.ZodType;
  /** Not kept in the event store unless its settings name the topic. */
  readonly passing?: true;
}

const document = (name: string, path: string, what: string): Topic => ({
  ...{ name, path, payload: payloads.DocumentEvent },
  what: `${what} changed`,
});

/** Every topic, in the order of their names; the longest that fits an event counts. */
export const TOPICS: readonly Topic[] = [
  document("admissions", "/dhcp/admissions", "who is let in as an unknown device"),
  {
    name: "alert:",
    what: "a notice opens, or an alert rule fires",
    path: "/alerts",
    payload: payloads.AlertEvent,
  },
  document("alerts", "/alerts", "alert rules"),
  {
    name: "audit",
    what: "who changed what in the configuration, before and after",
    path: "/changes",
    payload: payloads.AuditEntry,
  },
  {
    name: "auth:failure",
    what: "a sign-in failed",
    path: "/auth/sessions",
    payload: payloads.SignIn,
  },
  {
    name: "auth:lock",
    what: "a source is locked out after failed sign-ins",
    path: "/auth/sessions",
    payload: payloads.SourceLocked,
  },
  {
    name: "auth:logout",
    what: "sign-ins of a user or token ended",
    path: "/auth/sessions",
    payload: payloads.SignOut,
  },
  {
    name: "auth:success",
    what: "a sign-in; of requests with the same credentials, one in ten minutes",
    path: "/auth/sessions",
    payload: payloads.SignIn,
  },
  {
    name: "auth:token:delete",
    what: "an API token was deleted or expired",
    path: "/tokens",
    payload: payloads.TokenDeleted,
  },
  {
    name: "auth:webauthn:",
    what: "a passkey was registered (`register`) or deleted (`delete`)",
    path: "/webauthn/status",
    payload: payloads.PasskeyEvent,
  },
  {
    name: "changes",
    what: "the configuration changed, or a change was confirmed",
    path: "/changes",
    payload: payloads.ChangeEvent,
  },
  {
    name: "device:delete",
    what: "a device was deleted",
    path: "/devices",
    payload: payloads.DeviceEvent,
  },
  {
    name: "device:groups:update",
    what: "groups of a device changed",
    path: "/devices",
    payload: payloads.DeviceEvent,
  },
  {
    name: "device:save",
    what: "a device was added",
    path: "/devices",
    payload: payloads.DeviceEvent,
  },
  {
    name: "device:tags:update",
    what: "tags of a device changed",
    path: "/devices",
    payload: payloads.DeviceEvent,
  },
  {
    name: "device:update",
    what: "a device changed",
    path: "/devices",
    payload: payloads.DeviceEvent,
  },
  {
    name: "device:vpn:",
    what: "a VPN peer came (`online`) or went (`offline`)",
    path: "/devices",
    payload: payloads.VpnConnection,
  },
  document("devices", "/devices", "devices"),
  {
    name: "devices:save",
    what: "devices changed: every device by its identity",
    path: "/devices",
    payload: payloads.DevicesEvent,
    passing: true,
  },
  document("dhcp", "/subnetConfig", "DHCP settings"),
  {
    name: "dhcp:decline",
    what: "a client declined its address",
    path: "/dhcp/leases",
    payload: payloads.DhcpDeclined,
  },
  {
    name: "dhcp:exhausted",
    what: "no address was free",
    path: "/dhcp/pools",
    payload: payloads.DhcpExhausted,
  },
  {
    name: "dhcp:request",
    what: "a client asks for an address",
    path: "/dhcp/leases",
    payload: payloads.DhcpRequested,
  },
  {
    name: "dhcp:response",
    what: "a client was leased an address",
    path: "/dhcp/leases",
    payload: payloads.DhcpAnswered,
  },
  {
    name: "dhcp:serve",
    what: "an admin serves DHCP beside another server",
    path: "/dhcp/pools",
    payload: payloads.DhcpServed,
  },
  {
    name: "dhcp:spoof",
    what: "a client asked in the name of another",
    path: "/dhcp/leases",
    payload: payloads.DhcpSpoofed,
  },
  document("dns", "/plugins/dns/block/config", "DNS settings, custom rules or block lists"),
  {
    name: "dns:block:event",
    what: "a query was blocked",
    path: "/plugins/dns/log/entries",
    payload: payloads.DnsBlocked,
    passing: true,
  },
  {
    name: "dns:blockrebind:event",
    what: "a response with a local address was blocked",
    path: "/plugins/dns/log/entries",
    payload: payloads.DnsRebinding,
    passing: true,
  },
  {
    name: "dns:override:event",
    what: "a query was rewritten",
    path: "/plugins/dns/log/entries",
    payload: payloads.DnsOverridden,
    passing: true,
  },
  {
    name: "dns:serve:",
    what: "a query was answered; the topic ends in the client's address",
    path: "/plugins/dns/log/entries",
    payload: payloads.DnsServed,
    passing: true,
  },
  {
    name: "dns:skipped",
    what: "so many queries came too fast to be published",
    path: "/plugins/dns/log/entries",
    payload: payloads.DnsSkipped,
    passing: true,
  },
  document("dyndns", "/plugins/dyndns/config", "dynamic DNS settings"),
  {
    name: "dyndns:update",
    what: "a host name was updated, or could not be",
    path: "/plugins/dyndns/status",
    payload: payloads.DyndnsUpdate,
  },
  document("events", "/plugins/db/config", "settings of the event store"),
  document("groups", "/groups", "groups"),
  document("guests", "/wifi/guests", "the guest network"),
  document("hostname", "/info/hostname", "the router's name"),
  document("interfaces", "/interfacesConfiguration", "interfaces"),
  {
    name: "leases",
    what: "a device came, left or got an address",
    path: "/dhcp/leases",
    payload: payloads.LeaseEvent,
  },
  { name: "log:api", what: "a line of the api's log", path: "/logs", payload: payloads.LogLine },
  document("multicast", "/multicastSettings", "discovery settings"),
  document("names", "/interfacesConfiguration", "names of interfaces"),
  {
    name: "network",
    what: "how the network is applied changed",
    path: "/network",
    payload: payloads.NetworkEvent,
  },
  {
    name: "network:uplinks",
    what: "an uplink's interface came up or went down",
    path: "/network",
    payload: payloads.RunningUplinks,
  },
  {
    name: "notices",
    what: "a notice opened or was resolved",
    path: "/notices",
    payload: payloads.NoticeEvent,
  },
  {
    name: "packages",
    what: "Debian packages are being installed, or that has ended",
    path: "/packages",
    payload: payloads.PackagesInstalling,
  },
  document("ppp", "/uplink/ppp", "PPPoE accounts"),
  {
    name: "radio",
    what: "the state of a radio changed",
    path: "/wifi/radios",
    payload: RadioState,
  },
  {
    name: "radio:present",
    what: "a radio was plugged in or out",
    path: "/wifi/radios",
    payload: payloads.RadiosPresent,
  },
  document("radios", "/wifi/radios", "Wi-Fi settings"),
  document("reach", "/reach/tests", "access tests"),
  document("roaming", "/hostapd/roaming/config", "roaming settings"),
  document("rules", "/firewall/config", "firewall rules"),
  {
    name: "system:restart",
    what: "an admin restarts Sluice",
    path: "/status",
    payload: payloads.By,
  },
  {
    name: "system:time:set",
    what: "the clock was set by hand",
    path: "/time",
    payload: payloads.TimeSet,
  },
  {
    name: "system:time:sync",
    what: "an admin had the clock synchronised",
    path: "/time",
    payload: payloads.TimeSynced,
  },
  document("themes", "/customThemes", "colour themes"),
  document("updates", "/autoupdate", "update settings"),
  {
    name: "uplink:lease",
    what: "an uplink got or lost its address",
    path: "/wan/status",
    payload: payloads.UplinkLease,
  },
  {
    name: "uplink:portal",
    what: "an uplink by Wi-Fi is behind a captive portal, or is no longer",
    path: "/uplink/wifi/status",
    payload: payloads.UplinkPortal,
  },
  {
    name: "uplink:wifi",
    what: "the connection of an uplink by Wi-Fi changed",
    path: "/uplink/wifi/status",
    payload: SupplicantState,
  },
  document("users", "/auth/sessions", "admins or their passwords"),
  document("wan", "/wan/config", "uplink settings"),
  {
    name: "wan:failover",
    what: "an uplink was taken out of use, or is back",
    path: "/wan/status",
    payload: payloads.Failover,
  },
  {
    name: "wan:speedtest",
    what: "a speed test ended",
    path: "/wan/speedtest",
    payload: payloads.SpeedTest,
  },
  {
    name: "wan:speedtest:start",
    what: "a speed test began",
    path: "/wan/speedtest",
    payload: payloads.UplinkUp,
  },
  {
    name: "wan:uplink:down",
    what: "an uplink is down",
    path: "/wan/status",
    payload: payloads.UplinkDown,
  },
  {
    name: "wan:uplink:up",
    what: "an uplink is up again",
    path: "/wan/status",
    payload: payloads.UplinkUp,
  },
  {
    name: "wg:update",
    what: "a VPN peer was added, changed or removed",
    path: "/plugins/wireguard/peers",
    payload: payloads.VpnPeer,
  },
  {
    name: "wifi:auth:fail",
    what: "a station could not associate",
    path: "/wifi/radios",
    payload: payloads.StationRefused,
  },
  {
    name: "wifi:auth:success",
    what: "a station associated",
    path: "/wifi/radios",
    payload: payloads.StationEvent,
  },
  {
    name: "wifi:psk:reload",
    what: "existing clients asked to load passwords anew",
    path: "/wifi/networks",
    payload: payloads.Nothing,
  },
  {
    name: "wifi:station:disconnect",
    what: "a station disassociated",
    path: "/wifi/radios",
    payload: payloads.StationEvent,
  },
  document("wireguard", "/plugins/wireguard/config", "VPN settings"),
  {
    name: "wireguard:status",
    what: "how the VPN tunnels run changed",
    path: "/plugins/wireguard/status",
    payload: payloads.TunnelStatus,
  },
  document("wpa", "/uplink/wifi", "Wi-Fi networks to join"),
  {
    name: "zeroconf:device",
    what: "a device announced services by mDNS or SSDP",
    path: "/multicast/discovered",
    payload: payloads.Heard,
  },
];

const exact = new Map(TOPICS.map((topic) => [topic.name, topic]));
const beginnings = TOPICS.filter(({ name }) => name.endsWith(":"));

/** What is known of an event's topic; null for one that another program made up. */
export function topicOf(name: string): Topic | null {
  return exact.get(name) ?? beginnings.find((topic) => name.startsWith(topic.name)) ?? null;
}

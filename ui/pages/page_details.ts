import { DNS_DETAILS } from "./dns_details.ts";
import { NETWORK_DETAILS } from "./network_details.ts";
import { type PageDetails, SETUP } from "./page_record.ts";
import { t } from "../text/language.ts";

/**
 * What the palette and the token form say of each page, by its path: apart from the records, which the
 * first page loads.
 */
export const DETAILS: Readonly<Record<string, PageDetails>> = {
  "/admin": {
    note: t("What needs attention"),
    reads: [
      ...["/devices", "/notices", "/changes", "/interfacesConfiguration", "/ip/addr"],
      ...["/wan/status", "/wan/history/{interface}", "/traffic_rates"],
      ...["/traffic_insights/overview", "/plugins/dns/log/status", "/info/resources"],
      ...["/info/uptime", "/wifi/clients"],
    ],
    writes: [
      ...["PUT /device", "PUT /devices/approve", "PUT /notices/{id}/resolve"],
      ...["PUT /notices/{id}/reopen", "PUT /notices/{id}/snooze"],
    ],
  },
  "/admin/devices": {
    note: t("All devices and their access"),
    words: t("clients hosts"),
    reads: [
      ...["/devices", "/groups", "/plugins/lookup/classifications"],
      ...["/traffic_insights/overview", "/wifi/clients"],
    ],
    writes: ["PUT /device", "DELETE /device", "PUT /devices/approve"],
  },
  "/admin/devices/add": {
    note: t("With its own Wi-Fi password, or by MAC address"),
    words: t("new client qr code join"),
    reads: ["/devices", "/wifi/networks"],
    writes: ["PUT /device"],
  },
  "/admin/devices/import": {
    note: t("From a CSV file"),
    reads: ["/devices"],
    writes: ["PUT /devices"],
  },
  "/admin/devices/:identity": {
    reads: [
      ...["/devices", "/groups", "/plugins/dns/log/entries", "/plugins/dns/log/status"],
      ...["/plugins/db/items/{name}", "/changes"],
      ...["/wifi/clients", "/wifi/networks"],
      ...["/traffic_rates", "/traffic_insights/device/{ip}", "/flows"],
    ],
    writes: [
      ...["PUT /device", "DELETE /device", "PUT /devices/approve"],
      "DELETE /plugins/dns/log/entries",
    ],
  },
  "/admin/alerts": {
    note: t("What needs attention, and the rules for it"),
    words: t("notifications notices inbox email webhook ntfy push"),
    reads: ["/notices", "/alerts", "/alerts/channels", "/alerts/deliveries", "/alerts/push"],
    writes: [
      "PUT /notices/{id}/resolve",
      "PUT /notices/{id}/act/{act}",
      "PUT /notices/{id}/reopen",
      "PUT /notices/{id}/snooze",
      "PUT /devices/approve",
      "PUT /alerts",
      "PUT /alerts/try",
      "PUT /alerts/{index}",
      "DELETE /alerts/{index}",
      "PUT /alerts/channels",
      "DELETE /alerts/channels/{id}",
      "POST /alerts/channels/{id}/test",
    ],
  },
  "/admin/firewall": {
    note: t("Port forwarding, blocked traffic, open ports"),
    words: t("port forward nat open port rules block"),
    reads: ["/firewall/config"],
    writes: [
      "PUT /firewall/rules",
      "PUT /firewall/forward",
      "PUT /firewall/block",
      "PUT /firewall/block_forward",
      "PUT /firewall/block_output",
      "PUT /firewall/service_port",
      "PUT /firewall/endpoint",
      "PUT /firewall/multicast",
      "PUT /firewall/icmp",
    ],
  },
  "/admin/groups": {
    note: t("Devices with the same access, and those that reach each other"),
    words: t("kids family members zone"),
    reads: ["/groups", "/devices"],
    writes: ["PUT /groups", "DELETE /groups"],
  },
  "/admin/groups/:name": {
    reads: ["/groups", "/devices"],
    writes: ["PUT /groups", "DELETE /groups"],
  },
  "/admin/firewall/countries": {
    note: t("Countries, networks and lists that are blocked"),
    words: t("geo geoip asn country"),
    reads: [
      "/firewall/geo_block/config",
      "/firewall/geo_block/status",
      "/plugins/lookup/asn_search/{query}",
    ],
    writes: [
      "PUT /firewall/geo_block/config",
      "PUT /firewall/geo_block/country/{cc}",
      "DELETE /firewall/geo_block/country/{cc}",
      "PUT /firewall/geo_block/asn/{asn}",
      "DELETE /firewall/geo_block/asn/{asn}",
    ],
  },
  "/admin/reach": {
    note: t("Whether a connection is allowed, and why"),
    words: t("can reach why blocked test connection"),
    reads: ["/reach", "/reach/tests"],
    writes: ["PUT /reach/tests"],
  },
  "/admin/reach/matrix": {
    note: t("Access between all devices at a glance"),
    words: t("who can reach whom"),
    reads: ["/reach/matrix", "/devices"],
    writes: [],
  },
  "/admin/help/:id?": {
    note: t("The manual of the router"),
    words: t("help manual docs documentation"),
    reads: [],
    writes: [],
  },
  "/admin/machine": {
    note: t("Device, updates, HTTPS, support"),
    words: t("tls ssl https certificate reboot restart update upgrade version ntp clock time"),
    reads: [
      "/info/hostname",
      "/info/uptime",
      "/time",
      "/release",
      "/releasesAvailable",
      "/checkupdates",
      "/certificate",
      "/interfacesConfiguration",
    ],
    writes: [
      "PUT /info/hostname",
      "PUT /restart",
      "PUT /time/sync",
      "PUT /time",
      "PUT /checkupdates",
      "DELETE /checkupdates",
      "PUT /firewall/enableTLS",
      "DELETE /firewall/enableTLS",
      "PUT /ping/{interface}/{address}",
    ],
  },
  "/admin/events": {
    note: t("What happens, live and stored"),
    words: t("live packet log"),
    reads: [
      "/events",
      "/firewall/packet_log",
      "/plugins/db/topics",
      "/plugins/db/server",
      "/plugins/db/items/{name}",
    ],
    writes: ["PUT /firewall/packet_log"],
  },
  "/admin/changes/:id?": {
    note: t("Who changed what, and revert"),
    words: t("history revert audit log"),
    reads: ["/changes"],
    writes: ["PUT /changes/{id}/undo", "PUT /changes/{id}/confirm"],
  },
  "/admin/access": {
    note: t("Password, second factor, sessions, users, API tokens"),
    words: t("password 2fa otp passkey session token api key user account"),
    reads: ["/auth/sessions", "/auth/users", "/otp_status", "/tokens", "/webauthn/status"],
    writes: [
      "PUT /auth/password",
      "DELETE /auth/sessions/{id}",
      "PUT /auth/users/{name}",
      "DELETE /auth/users/{name}",
      "PUT /tokens",
      "DELETE /tokens",
      "PUT /otp_register",
      "PUT /otp_validate",
      "DELETE /webauthn/credential",
    ],
  },
  "/admin/machine/logs": {
    note: t("Services and kernel"),
    words: t("syslog journal kernel"),
    reads: ["/logs", "/plugins/mesh/leafLogs"],
    writes: [],
  },
  "/admin/plugins": {
    note: t("Programs of others, and what each may do"),
    reads: ["/plugins_api", "/plugin/status"],
    writes: [
      "PUT /plugin/review",
      "PUT /plugin/install",
      "PUT /startPlusExtension",
      "PUT /stopPlusExtension",
      "DELETE /plugins_api/{name}",
      "PUT /plugins_api/{name}/restart",
    ],
  },
  "/admin/plugins/:name": {
    reads: ["/plugins_api"],
    writes: ["PUT /plugin/ui_session", "DELETE /plugin/ui_session/{session}"],
  },
  "/admin/backup": {
    note: t("Back up or restore settings"),
    words: t("restore export import settings"),
    reads: ["/backup", "/backup/{name}", "/backup/{name}/report"],
    writes: [
      "PUT /backup",
      "DELETE /backup/{name}",
      "PUT /backup/upload",
      "PUT /backup/{name}/restore",
    ],
  },
  [SETUP]: {
    reads: [
      ...["/interfacesConfiguration", "/ip/addr", "/subnetConfig", "/devices", "/packages"],
      ...["/wifi/radios", "/wifi/networks", "/wifi/countries"],
    ],
    writes: [
      "PUT /setup",
      "PUT /setup_done",
      "PUT /link/config",
      "PUT /uplink/ip",
      "PUT /subnetConfig",
      "PUT /firewall/service_port",
      "PUT /hostapd/{interface}/enable",
      "PUT /device",
    ],
  },
  ...NETWORK_DETAILS,
  ...DNS_DETAILS,
};

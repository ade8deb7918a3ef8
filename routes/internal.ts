/** The routes of each unix socket; who can reach the file may call them, whatever access they name. */
export { consoleRoutes } from "./internal/console.ts";
export { dhcpSocketRoutes } from "./internal/dhcp.ts";
export { dnsSocketRoutes } from "./internal/dns.ts";
export { dnsBlockSocketRoutes } from "./internal/dns_block.ts";
export { dnsControlSocketRoutes } from "./internal/dns_control.ts";
export { dnsLogSocketRoutes } from "./internal/dns_log.ts";
export { multicastSocketRoutes } from "./internal/multicast.ts";
export { uplinkSocketRoutes } from "./internal/uplink.ts";
export { stationReportRoutes, wifiSocketRoutes } from "./internal/wifi.ts";
export { superdSocketRoutes } from "./internal/superd.ts";
export { wireguardSocketRoutes } from "./internal/wireguard.ts";

import type { HttpSocketName } from "../system/processes.ts";
import type { Route } from "./http/route.ts";
import { consoleRoutes } from "./internal/console.ts";
import { dhcpSocketRoutes } from "./internal/dhcp.ts";
import { dnsSocketRoutes } from "./internal/dns.ts";
import { dnsBlockSocketRoutes } from "./internal/dns_block.ts";
import { dnsControlSocketRoutes } from "./internal/dns_control.ts";
import { dnsLogSocketRoutes } from "./internal/dns_log.ts";
import { lookupSocketRoutes } from "./internal/lookup.ts";
import { meshControlSocketRoutes, meshSocketRoutes } from "./internal/mesh.ts";
import { multicastSocketRoutes } from "./internal/multicast.ts";
import { notifySocketRoutes } from "./internal/notify.ts";
import { superdSocketRoutes } from "./internal/superd.ts";
import { tunnelsSocketRoutes } from "./internal/tunnels.ts";
import { uplinkSocketRoutes } from "./internal/uplink.ts";
import { wifiSocketRoutes } from "./internal/wifi.ts";
import { wifiControlSocketRoutes } from "./internal/wifi_control.ts";
import { wireguardSocketRoutes } from "./internal/wireguard.ts";

/**
 * The routes of each unix socket that responds to HTTP; who can reach the file may call them, whatever
 * access they name.
 */
export const SOCKET_ROUTES = {
  console: consoleRoutes,
  dhcp: dhcpSocketRoutes,
  dns: dnsSocketRoutes,
  dnsBlock: dnsBlockSocketRoutes,
  dnsControl: dnsControlSocketRoutes,
  dnsLog: dnsLogSocketRoutes,
  lookup: lookupSocketRoutes,
  mesh: meshSocketRoutes,
  meshControl: meshControlSocketRoutes,
  multicast: multicastSocketRoutes,
  notify: notifySocketRoutes,
  superd: superdSocketRoutes,
  tunnels: tunnelsSocketRoutes,
  uplink: uplinkSocketRoutes,
  wifi: wifiSocketRoutes,
  wifiControl: wifiControlSocketRoutes,
  wireguard: wireguardSocketRoutes,
} as const satisfies { readonly [S in HttpSocketName]: (deps: never) => readonly Route[] };

/** What the routes of the api's sockets need from outside. */
export type ApiSocketDeps = {
  readonly [S in HttpSocketName<"api">]: Parameters<(typeof SOCKET_ROUTES)[S]>[0];
};

import { sockets } from "../../system/processes.ts";
import { externalRoutes } from "../app.ts";
import type { Route } from "../http/route.ts";
import * as internal from "../internal.ts";
import { type ApiVersions, type Audience, type OpenApi, openApi } from "./document.ts";
import { undelivered } from "./undelivered.ts";

/** An internal unix socket that answers HTTP. */
interface InternalSocket {
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly routes: () => readonly Route[];
}

const paths = sockets("");

/** The internal sockets by the name of their document. */
export const INTERNAL_SOCKETS = {
  console: {
    title: "Console",
    description: "The router's own console, for root.",
    path: paths.console,
    routes: () => internal.consoleRoutes(undelivered),
  },
  dhcp: {
    title: "DHCP",
    description: "What dhcpd asks of the api.",
    path: paths.dhcp,
    routes: () => internal.dhcpSocketRoutes(undelivered),
  },
  dns: {
    title: "DNS configuration",
    description: "What dnsd asks of the api.",
    path: paths.dns,
    routes: () => internal.dnsSocketRoutes(undelivered),
  },
  "dns-block": {
    title: "DNS blocking",
    description: "What dnsd alone knows of its block lists.",
    path: paths.dnsBlock,
    routes: () => internal.dnsBlockSocketRoutes(undelivered),
  },
  "dns-control": {
    title: "DNS status",
    description: "Status of dnsd, and its cache.",
    path: paths.dnsControl,
    routes: () => internal.dnsControlSocketRoutes(undelivered),
  },
  "dns-log": {
    title: "Query log",
    description: "The query log of dnsd.",
    path: paths.dnsLog,
    routes: () => internal.dnsLogSocketRoutes(undelivered),
  },
  multicast: {
    title: "Multicast",
    description: "What multicastd asks of the api.",
    path: paths.multicast,
    routes: () => internal.multicastSocketRoutes(undelivered),
  },
  superd: {
    title: "Versions",
    description: "Versions, as existing services ask for them.",
    path: paths.superd,
    routes: () => internal.superdSocketRoutes(undelivered),
  },
  uplink: {
    title: "Uplinks",
    description: "What uplinkd asks of the api.",
    path: paths.uplink,
    routes: () => internal.uplinkSocketRoutes(undelivered),
  },
  wifi: {
    title: "Wi-Fi",
    description: "What access points report.",
    path: paths.wifi,
    routes: () => internal.wifiSocketRoutes(undelivered),
  },
  wireguard: {
    title: "WireGuard",
    description: "What the WireGuard plugin reports.",
    path: paths.wireguard,
    routes: () => internal.wireguardSocketRoutes(undelivered),
  },
} as const satisfies Readonly<Record<string, InternalSocket>>;

/** Name of an internal socket's document. */
export type InternalSocketName = keyof typeof INTERNAL_SOCKETS;

/** The document of an internal socket. */
export function internalOpenApi(name: InternalSocketName, versions: ApiVersions): OpenApi {
  const { title, description, path, routes }: InternalSocket = INTERNAL_SOCKETS[name];
  const audience: Audience = {
    title: `Sluice internal: ${title}`,
    description:
      `${description} Whoever can reach the socket may call it; no credentials are checked.`,
    server: { url: "http://localhost", description: `Unix socket ${path} below SLUICE_HOME` },
    guarded: false,
  };
  return openApi(routes(), versions, audience);
}

/** The document of the external API without a router behind it. */
export function externalOpenApi(versions: ApiVersions): OpenApi {
  return openApi(externalRoutes(undelivered), versions);
}

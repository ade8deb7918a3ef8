import type { Hono } from "hono";
import { join } from "node:path";
import { createDhcpFeed } from "../../system/dhcp/feed.ts";
import type { ForeignServers } from "../../system/dhcp/server/foreign_servers.ts";
import { createHealthIssueNotices } from "../../system/dns/config/health_issue_notices.ts";
import { createDnsFeed } from "../../system/dns/config/feed.ts";
import { readTrustedCertificates } from "../../system/dns/upstream/trusted_certificates.ts";
import { createRelayFeed } from "../../system/multicast/feed.ts";
import type { KnownAdapters } from "../../system/network/interfaces/known_adapters.ts";
import type { HttpSocketName } from "../../system/processes.ts";
import { createWifiFeed } from "../../system/wifi/feed.ts";
import { createTunnelFeed } from "../../system/wireguard/tunnels/feed.ts";
import type { AppDeps } from "../app.ts";
import { socketApp } from "../http/socket_app.ts";
import { type ApiSocketDeps, SOCKET_ROUTES } from "../internal.ts";

/** What the internal sockets need beside the parts of the external app. */
export interface InternalParts
  extends
    Pick<ApiSocketDeps["dhcp"], "leases" | "decide">,
    Pick<ApiSocketDeps["wifi"], "radios" | "supplicants">,
    Pick<ApiSocketDeps["multicast"], "discovered">,
    Pick<ApiSocketDeps["tunnels"], "tunnels">,
    Pick<ApiSocketDeps["wireguard"], "peers"> {
  readonly home: string;
  /** What the process mesh follows and reports to. */
  readonly meshSocket: ApiSocketDeps["mesh"];
  readonly foreign: ForeignServers;
  /** What uplinkd follows and reports to. */
  readonly uplink: ApiSocketDeps["uplink"];
  /** By which the interfaces of a machine are recognised. */
  readonly known: KnownAdapters["known"];
}

/** One app for each internal socket: the feed of its service, and what that service reports. */
export function internalApps(
  deps: AppDeps & InternalParts,
): Readonly<Record<HttpSocketName<"api">, Hono>> {
  const { engine, bus, ending, log, home } = deps;
  const followed = { engine, bus, ending };
  const needs: ApiSocketDeps = {
    wifi: { ...deps, plan: createWifiFeed({ ...followed, known: deps.known }) },
    dhcp: {
      ...deps,
      snapshot: createDhcpFeed({ ...deps, serveAnyway: deps.foreign.confirmedInterfaces }),
    },
    dns: {
      snapshot: createDnsFeed({
        ...followed,
        names: deps.names,
        trusted: () =>
          readTrustedCertificates(
            join(home, "configs/dns/upstream_ca.pem"),
            (error) =>
              log.warn(
                "dns.upstream_ca_unreadable",
                "configs/dns/upstream_ca.pem cannot be read",
                { error },
              ),
          ),
      }),
      reportHealthIssues: createHealthIssueNotices(deps.notices),
    },
    multicast: {
      discovered: deps.discovered,
      plan: createRelayFeed({ ...followed, hostName: Deno.hostname() }),
    },
    tunnels: {
      tunnels: deps.tunnels,
      plan: createTunnelFeed({ ...followed, tunnels: deps.tunnels }),
    },
    notify: deps,
    mesh: deps.meshSocket,
    uplink: deps.uplink,
    wireguard: { peers: deps.peers },
    superd: { ...deps.machineDeps, engine, plugins: deps.plugins },
    console: deps,
  };
  const apps = Object.entries(needs).map(([name, socket]) => {
    const routes = SOCKET_ROUTES[name as HttpSocketName<"api">](socket as never);
    const app = socketApp(routes, {
      by: name,
      engine,
      log: (error) =>
        log.error("ipc.request_failed", "An internal request failed", { error, socket: name }),
    });
    return [name, app] as const;
  });
  return Object.fromEntries(apps) as Record<HttpSocketName<"api">, Hono>;
}

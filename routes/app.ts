import { type Context, Hono } from "hono";
import type { Access } from "../system/access/open.ts";
import type { Deliveries } from "../system/alerts/delivery/deliveries.ts";
import type { Config } from "../system/config.ts";
import type { Bus } from "../system/core/events/bus.ts";
import type { Engine } from "../system/core/engine/engine.ts";
import { Problem } from "../system/core/errors/problem.ts";
import type { Log } from "../system/core/log/log.ts";
import type { ForeignServers } from "../system/dhcp/server/foreign_servers.ts";
import type { UseRecord } from "../system/firewall/counters/use_record.ts";
import type { DiscoveredSenders } from "../system/multicast/discovered_senders.ts";
import type { Notices } from "../system/notices/board.ts";
import type { AirScans } from "../system/wifi/air/scans.ts";
import type { SupplicantStates } from "../system/wifi/supplicant/states.ts";
import type { RadioStates } from "../system/wifi/radio_states.ts";
import type { Stations } from "../system/wifi/stations.ts";
import { alertsRoutes } from "./alerts.ts";
import { type Ask, batchRoutes } from "./http/batch.ts";
import { accessRoutes } from "./access.ts";
import { type MachineDeps, machineRoutes } from "./machine.ts";
import { changesRoutes } from "./changes.ts";
import { devicesRoutes } from "./devices.ts";
import { dhcpRoutes } from "./dhcp.ts";
import { dnsRoutes } from "./dns.ts";
import { type DnsBlockRouteDeps, dnsBlockRoutes } from "./dns/block.ts";
import { bodyLimit } from "./http/body.ts";
import { documentScopes } from "./http/document_scopes.ts";
import { type DyndnsDeps, dyndnsRoutes } from "./uplink/dyndns.ts";
import type { OpenedServer } from "../system/events/server/open.ts";
import { bucketsRoutes } from "./events/buckets.ts";
import { eventsRoutes } from "./events.ts";
import { firewallRoutes } from "./firewall.ts";
import { groupsRoutes } from "./devices/groups.ts";
import { lookupRoutes } from "./lookup.ts";
import type { RecentTraffic } from "../system/geo/effects.ts";
import type { GeoBlocking } from "../system/geo/geo_blocking.ts";
import type { LookupClient } from "../system/lookup/client.ts";
import type { EventStore } from "../system/events/store/event_store.ts";
import { topicAccess } from "../system/events/topics/topic_access.ts";
import { leasedNetworks } from "../system/uplink/leases.ts";
import { errorAnswer } from "./http/answer.ts";
import { authenticate, identityOf } from "./http/authentication.ts";
import { authorizer } from "./http/authorization.ts";
import { securityHeaders } from "./http/headers.ts";
import { redirectTo, registeredPaths } from "./http/registered_path.ts";
import { requestLimit } from "./http/limits.ts";
import { mount } from "./http/mount.ts";
import type { ApiVersions } from "./openapi/document.ts";
import { documentRoutes } from "./openapi/routes.ts";
import { OwnAddresses } from "./http/own_addresses.ts";
import { originGuard } from "./http/origin.ts";
import type { PeerEnv } from "./http/peer.ts";
import type { Route } from "./http/route.ts";
import type { ServiceClient } from "./http/service_client.ts";
import { setupWriteRoutes } from "./setup.ts";
import { stationReportRoutes } from "./internal/wifi.ts";
import { interfacesRoutes } from "./network/interfaces.ts";
import { type MetricsDeps, metricsRoutes } from "./traffic/metrics.ts";
import type { MeshParts } from "./mesh/deps.ts";
import { meshRoutes } from "./mesh/mesh.ts";
import { multicastRoutes } from "./multicast.ts";
import { networkRoutes } from "./network/network.ts";
import { nftRoutes } from "./network/nft.ts";
import { noticesRoutes } from "./notices.ts";
import { reachRoutes } from "./reach.ts";
import { isUiPath, mountUi, type UiAssets } from "./ui.ts";
import { type TrafficDeps, trafficRoutes } from "./traffic/traffic.ts";
import { type TopologyDeps, topologyRoutes } from "./topology.ts";
import { pluginListAlias, type PluginsDeps, pluginsRoutes } from "./plugins.ts";
import { proxyRequest } from "./plugins/proxy.ts";
import { wifiRoutes } from "./wifi.ts";
import { type WifiUplinkDeps, wifiUplinkRoutes } from "./uplink/wifi.ts";
import { pppRoutes } from "./uplink/ppp.ts";
import { type UplinkDeps, uplinkRoutes } from "./uplink/uplink.ts";
import { webSocketRoutes } from "./events/websocket.ts";
import { wireguardRoutes } from "./wireguard.ts";
import type { WireguardDeps } from "./wireguard/deps.ts";

/** Dependencies of the external app. */
export interface AppDeps {
  readonly engine: Engine<Config>;
  readonly access: Access;
  readonly bus: Bus;
  /** What was published, for those who were away and for searches. */
  readonly eventStore: EventStore;
  /** The history on a server; null where it is sent to none. */
  readonly historyServer: Pick<OpenedServer, "items" | "state"> | null;
  readonly notices: Notices;
  /** What is sent to the channels of alerts. */
  readonly deliveries: Deliveries;
  readonly stations: Stations;
  /** State of the radios, as wifid reports it. */
  readonly radios: RadioStates;
  /** State of the uplinks by Wi-Fi, as wifid reports it. */
  readonly supplicants: SupplicantStates;
  /** Networks that radios received around them. */
  readonly scans: AirScans;
  /** wifid's control socket. */
  readonly wifid: ServiceClient;
  /** Foreign DHCP servers. */
  readonly foreign: Pick<ForeignServers, "serve">;
  /** Uses of firewall rules. */
  readonly uses: Pick<UseRecord, "sample">;
  /** Senders discovered by multicast. */
  readonly discovered: DiscoveredSenders;
  /** The resolver's socket for block lists. */
  readonly dnsFilter: DnsBlockRouteDeps["dnsFilter"];
  readonly listFiles: DnsBlockRouteDeps["listFiles"];
  /** Dependencies of the machine routes. */
  readonly machineDeps: MachineDeps;
  /** The resolver's query log. */
  readonly queryLog: ServiceClient;
  /** The resolver's status and cache. */
  readonly resolver: ServiceClient;
  /** Networks, countries and vendors of addresses. */
  readonly lookup: LookupClient;
  /** Blocking by country and network. */
  readonly geo: GeoBlocking;
  readonly recentTraffic: RecentTraffic;
  /** The lookup service's own socket. */
  readonly lookupTables: ServiceClient;
  /** Dynamic DNS. */
  readonly dyndns: DyndnsDeps["dyndns"];
  /** How the VPN tunnels run. */
  readonly tunnels: WireguardDeps["tunnels"];
  /** Addresses reserved for VPN peers to come. */
  readonly reservations: WireguardDeps["reservations"];
  /** The health of uplinks. */
  readonly uplinks: UplinkDeps["uplinks"] & WifiUplinkDeps["uplinks"];
  /** Leaf routers, or the parent of this leaf. */
  readonly mesh: MeshParts;
  /** What devices send and receive. */
  readonly traffic: TrafficDeps["traffic"];
  /** What is connected where. */
  readonly topology: TopologyDeps["topology"];
  /** What metrics tell of the api itself. */
  readonly tallies: MetricsDeps["tallies"];
  /** Plugins: their connections and the sessions of their pages. */
  readonly plugins: PluginsDeps["plugins"];
  readonly ui: UiAssets;
  readonly versions: ApiVersions;
  /** Names under which the router answers. */
  readonly names: () => ReadonlySet<string>;
  /** Port of the listener, where the `Host` of a request does not say. */
  readonly port?: (tls: boolean) => number;
  /** Answers one of several reads that came in one request. */
  readonly ask?: Ask;
  /** Receives the addresses that a previewed change would give the router. */
  readonly foresee?: (addresses: readonly string[]) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** Unix milliseconds by the trusted clock. */
  readonly counted: () => number;
  /** Key of the entity tags of single devices. */
  readonly tagKey: Uint8Array;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  /** Aborted when the process is about to end: streams close. */
  readonly ending: AbortSignal;
}

/** Every route of the external API, in the order of the API document. */
export function externalRoutes(deps: AppDeps): Route[] {
  const permits = documentScopes(() => routes);
  const routes: Route[] = [
    ...devicesRoutes({ ...deps, now: deps.counted }),
    ...groupsRoutes(deps),
    ...dhcpRoutes({
      ...deps,
      otherAddresses: () => [
        ...deps.engine.desired.facts?.addresses ?? [],
        ...leasedNetworks(deps.engine.observed, deps.engine.config),
      ],
    }),
    ...firewallRoutes(deps),
    ...wifiRoutes(deps),
    ...stationReportRoutes({
      ...deps,
      reporter: async (c) => {
        const { principal } = await identityOf(c);
        const tokens = principal?.kind === "token" ? principal.tokens : [];
        return deps.mesh.tokens.reporter(tokens.map(({ id }) => id));
      },
    }),
    ...changesRoutes({ ...deps, permits }),
    ...alertsRoutes({ ...deps, identity: identityOf }),
    ...noticesRoutes(deps),
    ...eventsRoutes({
      ...deps,
      store: deps.eventStore,
      reads: async (c) => topicAccess(await identityOf(c)),
      holds: async (c) => deps.access.holds(await identityOf(c)),
    }),
    ...bucketsRoutes({ ...deps, identity: identityOf }),
    ...webSocketRoutes({
      ...deps,
      log: (error) => deps.log.error("http.request_failed", "A request failed inside", { error }),
    }),
    ...reachRoutes(deps),
    ...multicastRoutes(deps),
    ...dnsRoutes(deps),
    ...dnsBlockRoutes(deps),
    ...lookupRoutes(deps),
    ...interfacesRoutes(deps),
    ...pppRoutes(deps),
    ...wifiUplinkRoutes(deps),
    ...uplinkRoutes(deps),
    ...trafficRoutes(deps),
    ...metricsRoutes(deps),
    ...wireguardRoutes(deps),
    ...dyndnsRoutes(deps),
    ...meshRoutes(deps),
    ...networkRoutes(deps),
    ...topologyRoutes(deps),
    ...nftRoutes(deps),
    ...pluginsRoutes({
      ...{ ...deps, identity: identityOf },
      holds: (identity) => deps.access.holds(identity),
    }),
    ...machineRoutes({ ...deps, permits }),
    ...accessRoutes({
      access: deps.access,
      engine: deps.engine,
      created: (token) => deps.mesh.tokens.adopt(token),
      proved: () => deps.machineDeps.clock.keep(),
    }),
    ...setupWriteRoutes(deps),
    ...batchRoutes({ ask: deps.ask, routes: () => routes }),
    ...documentRoutes(() => routes, deps.versions),
  ];
  return routes;
}

/** The app behind the external listeners: guards in this order, the UI, then the API. */
export function externalApp(deps: AppDeps): Hono<{ Bindings: PeerEnv }> {
  const app = new Hono<{ Bindings: PeerEnv }>();
  const log = (error: unknown) =>
    deps.log.error("http.request_failed", "A request failed inside", { error });
  const authorize = authorizer({
    access: deps.access,
    ...(deps.port ? { port: deps.port } : {}),
  });
  const addresses = new OwnAddresses(() => deps.engine.desired, deps.now);
  const foresee = (list: readonly string[]) => addresses.foresee(list);
  const took = deps.tallies.request.bind(deps.tallies);
  app.use(securityHeaders(() => addresses.list()));
  app.use(requestLimit({ took }));
  app.use(bodyLimit());
  app.use(originGuard({ names: deps.names }));
  app.use(authenticate(deps.access, {
    confirms: (change, token) => deps.engine.window.matches(token, change),
  }));
  const holds: Access["holds"] = (identity) => deps.access.holds(identity);
  const proxy = (c: Context<{ Bindings: PeerEnv }>) =>
    proxyRequest(c, { ...deps.plugins, ...{ authorize, holds } });
  app.all("/admin/custom_plugin/*", async (c, next) => await proxy(c) ?? await next());
  mountUi(app, deps.ui);
  const ask: Ask = async (c, request) => await app.fetch(request, c.env);
  const routes = externalRoutes({ ...deps, foresee, ask });
  const aliases = pluginListAlias({ ...deps, identity: identityOf, holds });
  mount(app, [...routes, ...aliases], {
    engine: deps.engine,
    authorize,
    ...{ log, foresee, took },
  });
  // Behind the routes of our own below `/plugins/`, which keep their paths.
  app.all("/plugins/*", async (c, next) => await proxy(c) ?? await next());
  const registered = registeredPaths(routes, isUiPath);
  app.notFound(async (c) => {
    const meant = registered(c.req.url);
    if (meant?.isPublic) return redirectTo(c, meant.path);
    try {
      await authorize(c, null);
      throw new Error("A path without a route was let in");
    } catch (error) {
      // Which paths exist is for callers with credentials, whom a path without a route answers 404.
      const isKnown = error instanceof Problem && error.status === 404;
      return meant !== null && isKnown ? redirectTo(c, meant.path) : errorAnswer(error, log);
    }
  });
  return app;
}

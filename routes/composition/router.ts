import type { Hono } from "hono";
import { startExpiries } from "./expiries.ts";
import { join } from "node:path";
import { lookAlikeGuard } from "../../system/devices/look_alikes.ts";
import { lastAdmin, userNames } from "../../system/access/rules.ts";
import { type Access, openAccess } from "../../system/access/open.ts";
import type { Config } from "../../system/config.ts";
import { storedKey } from "../../system/access/store.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import { openClockFile } from "../../system/core/time/clock_file.ts";
import { type Engine, openEngine } from "../../system/core/engine/engine.ts";
import { publishedLog } from "../../system/core/log/published_log.ts";
import { type HttpSocketName, type SocketName, sockets } from "../../system/processes.ts";
import { createExchanges } from "../../system/dhcp/server/exchanges.ts";
import { openForeignServers } from "../../system/dhcp/server/foreign_servers.ts";
import { createLeases } from "../../system/dhcp/leases/leases.ts";
import { Offers } from "../../system/dhcp/server/offers.ts";
import { Reservations } from "../../system/dhcp/leases/reservations.ts";
import { ListFiles } from "../../system/dns/block/lists/list_files.ts";
import { documents } from "../../system/documents.ts";
import { DyndnsResults } from "../../system/dyndns/results.ts";
import { publishClassifications } from "../../system/lookup/classifications.ts";
import { DiscoveredSenders } from "../../system/multicast/discovered_senders.ts";
import { type ServiceClient, serviceClient } from "../http/service_client.ts";
import { LookupClient } from "../../system/lookup/client.ts";
import { RecentTraffic } from "../../system/geo/effects.ts";
import { BlockedNow, withBlocked } from "../../system/geo/blocked_now.ts";
import { openGeoBlocking } from "./geo_blocking.ts";
import { networkPlanner } from "../../system/network/planner.ts";
import { followAddresses } from "../../system/network/addresses/follow.ts";
import { settleUpdate } from "../../system/machine/update_request.ts";
import { DiskRoom } from "../../system/machine/disk_room.ts";
import {
  type KnownAdapters,
  openKnownAdapters,
} from "../../system/network/interfaces/known_adapters.ts";
import { followPeers, vpnGuard } from "../../system/wireguard/changes_elsewhere.ts";
import { Tunnels } from "../../system/wireguard/tunnels/tunnels.ts";
import { followAll } from "../../system/core/engine/decide.ts";
import { Tallies } from "../../system/metrics/tallies.ts";
import { recoveryNotice } from "../../system/access/otp/recovery.ts";
import { Notices } from "../../system/notices/board.ts";
import { reachGuard } from "../../system/reach/tests.ts";
import { watchReach } from "../../system/reach/watch.ts";
import { countRules } from "../../system/firewall/counters/count_rules.ts";
import { UseRecord } from "../../system/firewall/counters/use_record.ts";
import { openUplinks } from "../../system/uplink/open.ts";
import type { ServerCertificate } from "../../system/certificates/server_certificate.ts";
import { createReportedStates } from "../../system/wifi/reported_states.ts";
import { createStations } from "../../system/wifi/stations.ts";
import { StationLines, StatusLines } from "../../system/wifi/control_schema.ts";
import { TopologyView } from "../../system/topology/view.ts";
import { createPeers } from "../../system/wireguard/peers/peers.ts";
import { type AppDeps, externalApp, externalRoutes } from "../app.ts";
import { openMachineDeps } from "./machine.ts";
import type { RouterOptions } from "./router_options.ts";
import { openCertificates } from "./certificates.ts";
import { absentInterfaces } from "../../system/network/interfaces/absent_links.ts";
import { EFFECTS } from "./effects.ts";
import { internalApps } from "./internal_apps.ts";
import { firstApplyBy } from "./packages.ts";
import { openDeliveries } from "./deliveries.ts";
import { openMesh } from "./mesh.ts";
import { StationPlaces } from "../../system/mesh/leaf_paths.ts";
import { openPlugins, pluginSessions } from "./plugins.ts";
import { openBus } from "./events.ts";
import { publishPackets } from "./packet_log.ts";
import { openHomeStore } from "./store.ts";
import { historyKeeperOf, trafficOf } from "./traffic.ts";
import type { PeerEnv } from "../http/peer.ts";
import type { Route } from "../http/route.ts";
import { ask } from "../wifi/service_call.ts";

/** The whole management plane in one process: everything but listeners. */
export interface Router {
  readonly engine: Engine<Config>;
  /** By which the interfaces of a machine are recognised. */
  readonly adapters: KnownAdapters;
  readonly access: Access;
  readonly bus: Bus;
  readonly notices: Notices;
  /** Serves TLS once it is started. */
  readonly certificates: ServerCertificate;
  readonly external: Hono<{ Bindings: PeerEnv }>;
  /** Routes of the external app. */
  readonly routes: readonly Route[];
  /** One app for each internal socket. */
  readonly internal: Readonly<Record<HttpSocketName<"api">, Hono>>;
  /**
   * Runs due tasks: expires devices and overrides, marks absent devices as offline, checks access
   * tests and uplinks.
   */
  runDueTasks(): Promise<void>;
  /** Resolves when the store was found damaged; the next open sets it aside. */
  readonly storeDamaged: Promise<void>;
  /** Ends event streams and long polls, so that listeners can close. */
  endStreams(): void;
  /** Ends streams and timers, and writes pending state. The kernel stays as it is. */
  close(): Promise<void>;
}

/** Assembles the management plane over a home and a kernel. */
export async function openRouter(options: RouterOptions): Promise<Router> {
  const { home, host } = options;
  const now = options.now ?? Date.now;
  const steady = options.steady ?? options.now ?? (() => performance.now());
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const live = options.engine?.live ?? true;
  const opened = await openBus({ ...options, now, live });
  const { bus } = opened;
  const log = publishedLog(options.log, bus, now);
  const homeStore = await openHomeStore({ home, log, live });
  const { store, copy } = homeStore;
  const { db } = store;
  const tagKey = await storedKey(db, "etag-key", random);
  const kept = await openClockFile({
    path: join(home, "state/api/clock.json"),
    wall: now,
    steady,
    failed: (error) =>
      log.warn(
        "clock.trusted_time_not_saved",
        "Could not save the trusted time for the next start",
        { error },
      ),
    live,
  });
  const { clock } = kept;
  const notices = new Notices({ db, bus, now: clock.now });
  const tallies = new Tallies(bus, steady);
  const [blocked, recentTraffic] = [new BlockedNow(), new RecentTraffic()];
  const engine: Engine<Config> = await openEngine({
    ...options.engine,
    crash: (point) => {
      tallies.step(point);
      options.engine?.crash?.(point);
    },
    documents,
    home,
    db,
    host,
    planner: withBlocked(networkPlanner({ ...options, scheduleTimes: clock.possible }), blocked),
    bus,
    notices,
    log,
    now: clock.now,
    surely: clock.surely,
    tagKey,
    guards: [lastAdmin, reachGuard, lookAlikeGuard, vpnGuard],
    follow: followAll([followAddresses, followPeers]),
    effects: [
      ...EFFECTS,
      recentTraffic.effects,
      ({ before, after }) =>
        absentInterfaces(before, after, engine.desired.facts?.links ?? new Map()),
    ],
    firstApply: firstApplyBy(options.machine?.packages),
  });
  const ending = new AbortController();
  const outgoing = await openDeliveries({
    ...{ home, db, engine, bus, notices, log, random },
    now: clock.now,
    ending: ending.signal,
    certificateNames: () => certificates.names,
    port: options.app.port ?? ((tls) => tls ? 443 : 80),
  });
  const { deliveries } = outgoing;
  const send = deliveries.send.bind(deliveries);
  const stored = opened.keep({ engine, notices, send, log });
  const { eventStore, historyServer } = stored;
  const historyKeeper = historyKeeperOf({ home, eventStore, log });
  await homeStore.settle(userNames(engine.config), { notices, random });
  const adapters = await openKnownAdapters({
    ...{ engine, documents, notices, log },
    path: join(home, "state/api/adapters.json"),
  });
  const config = (): Config => engine.config;
  const sessions = pluginSessions({ config, random, now, steady });
  const access = await openAccess({
    ...options.access,
    engine,
    db,
    bus,
    ...{ log, home, now, clock, steady },
    adminPassword: options.adminPassword,
    ...{ pages: sessions, recoveryCodes: recoveryNotice(notices, log) },
  });
  const plugins = openPlugins({
    ...{ home, bus, log, random, now, steady, sessions, access, config },
    ...{ options: options.plugins, machine: () => machineDeps.machine() },
  });
  const reservations = new Reservations();
  const parts = {
    ...{ engine, bus, notices, reservations, now: clock.now, steady },
    ...{ offers: new Offers(), places: new StationPlaces() },
  };
  const leases = createLeases(parts);
  const foreign = await openForeignServers({
    ...{ engine, bus, notices },
    path: join(home, "state/dhcp/confirmed.json"),
  });
  const reported = createReportedStates(parts);
  const discovered = new DiscoveredSenders({ config: () => engine.config, bus, now });
  const expiries = startExpiries({ engine, bus, clock, log, saveTime: kept.save });
  const reachWatch = watchReach({
    ...{ engine, bus, notices },
    log: (error) =>
      log.error("reach.tests_failed", "The tests of reach could not be looked at", { error }),
  });
  const diskRoom = new DiskRoom({
    folder: home,
    notices,
    live,
    failed: (error) =>
      log.warn("machine.disk_room_unknown", "Could not tell how full the disk is", { error }),
  });
  const certificates = openCertificates({
    ...{ home, now, notices, log, bus, config },
    serve: options.machine?.serveTls,
  });
  const machineDeps = openMachineDeps({
    ...{ certificates, random, config },
    ...options.machine,
    ...{ home, now },
    version: options.app.versions.program,
    host: () => engine.host,
    time: {
      attempts: access.attempts,
      wall: now,
      steady,
      counted: clock.now,
      isProven: () => clock.isProven,
      endCodes: (until) => access.otp.endCodes(until),
      ...{ notices, bus, log },
    },
  });
  const { releases } = machineDeps;
  await settleUpdate({ engine, releases, notices }).catch((error) =>
    log.error("notices.write_failed", "Could not save a notice", { error })
  );
  const wan = await openUplinks({
    engine,
    bus,
    notices,
    now,
    steady,
    uptime: options.engine?.bootClock ?? (() => Deno.osUptime()),
    isApplied: options.isApplied ?? ((): boolean => true),
    keeper: historyKeeper,
    log: (error) =>
      log.error("uplink.check_failed", "The uplinks could not be looked at", { error }),
    ending: ending.signal,
    live,
  });
  const uses = await UseRecord.open({
    path: join(home, "state/api/rule_uses.json"),
    count: (signal) =>
      countRules({
        firewall: engine.config.firewall,
        devices: Object.values(engine.config.devices),
        ruleset: engine.desired.ruleset,
        host: engine.host,
      }, signal),
    now: clock.now,
    failed: (error) =>
      log.warn("firewall.counters_failed", "Uses of rules could not be looked at or kept", {
        error,
      }),
    live,
  });
  const dyndns = new DyndnsResults({ engine, bus, notices, ending: ending.signal });
  const stopPackets = publishPackets({ engine, bus, log, now });
  const { isApplied, hasTunnels } = options;
  const signals = { now, ending: ending.signal };
  const tunnels = new Tunnels({ engine, bus, notices, hasTunnels, ...signals });
  const service = (name: string, socket: SocketName): ServiceClient =>
    serviceClient({ name, socket: sockets(home)[socket], isApplied });
  const services = {
    dnsFilter: service("The resolver", "dnsBlock"),
    queryLog: service("The resolver", "dnsLog"),
    resolver: service("The resolver", "dnsControl"),
    wifid: service("The Wi-Fi service", "wifiControl"),
    lookupTables: serviceClient({ name: "The lookup service", socket: sockets(home).lookup }),
    meshControl: service("The mesh service", "meshControl"),
  };
  const { mesh, ...meshed } = await openMesh({
    ...{ ...parts, db, access, certificates, tunnels, log, ending: ending.signal },
    ...{ service: services.meshControl, wifid: services.wifid },
    version: options.app.versions.program,
  });
  const stations = createStations({ ...parts, ...meshed.stationsElsewhere });
  const lookup = new LookupClient({ socket: sockets(home).lookup, ending: ending.signal });
  const stopTypes = publishClassifications({
    ...{ engine, bus, discovered, lookup, now },
    failed: (error) =>
      log.debug("lookup.not_classified", "Could not tell types of devices", { error }),
  });
  const topology = new TopologyView({
    ...{ engine, tunnels, leaves: mesh.leaves, now, steady },
    name: Deno.hostname(),
    status: (name) => ask(services.wifid, StatusLines, { path: `/bss/${name}/status` }),
    stations: (name) => ask(services.wifid, StationLines, { path: `/bss/${name}/stations` }),
  });
  const traffic = trafficOf({ home, engine, bus, eventStore, lookup, log }, {
    ...{ now: clock.now, steady, live },
  });
  const geo = await openGeoBlocking({ engine, bus, blocked, log, now, live, home, services });
  const deps: AppDeps = {
    ...options.app,
    machineDeps,
    engine,
    access,
    bus,
    ...{ historyServer, eventStore },
    notices,
    deliveries,
    stations,
    ...reported,
    discovered,
    ...services,
    lookup,
    geo,
    listFiles: new ListFiles(join(home, "state/dns/lists")),
    foreign,
    uplinks: wan,
    dyndns,
    tunnels,
    ...{ topology, mesh },
    reservations,
    steady,
    uses,
    ...{ traffic, recentTraffic, tallies },
    plugins,
    now,
    counted: clock.now,
    tagKey,
    random,
    log,
    ending: ending.signal,
  };
  const internal = internalApps({
    ...deps,
    ...{ home, leases, foreign, uplink: { ...wan, dyndns }, known: adapters.known },
    ...{ decide: createExchanges({ ...parts, leases }), meshSocket: meshed.socket },
    peers: createPeers(parts),
  });
  return {
    engine,
    adapters,
    notices,
    access,
    bus,
    certificates,
    external: externalApp(deps),
    routes: externalRoutes(deps),
    internal,
    async runDueTasks() {
      await expiries.tick();
      await reachWatch.check();
      await wan.health.check();
    },
    storeDamaged: store.damaged,
    endStreams: () => ending.abort(),
    async close() {
      ending.abort();
      expiries.stop();
      await stored.stopEvents();
      await outgoing.close();
      stopPackets();
      stopTypes();
      meshed.stop();
      await plugins.close();
      diskRoom.close();
      await machineDeps.clock.close();
      await reachWatch.stop();
      await certificates.close();
      await wan.close();
      await uses.close();
      await traffic.close();
      tallies.close();
      await geo.close();
      await access.close();
      await engine.close();
      await stored.close();
      await kept.close();
      await copy.close();
      store.close();
      for (const service of Object.values(services)) service.close();
      lookup.close();
    },
  };
}

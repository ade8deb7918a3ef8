import { join } from "node:path";
import program from "../../deno.json" with { type: "json" };
import { PROCESSES, type SocketName, sockets } from "../../system/processes.ts";
import { Bus } from "../../system/core/events/bus.ts";
import type { Running } from "../../system/core/process/lifetime.ts";
import { type Log, standardLog } from "../../system/core/log/log.ts";
import { controlClient } from "../../system/core/process/control.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { serveUnix } from "../../system/core/ipc/unix_socket.ts";
import {
  type ListenerWatch,
  listenerWatch,
  type WatchedServer,
} from "../../system/core/ipc/watched_server.ts";
import { type EventSocket, serveEvents } from "../../system/events/socket.ts";
import { adminPorts, sshdPorts } from "../../system/firewall/admin_ports.ts";
import { dpkgQuery } from "../../system/host/tools/apt.ts";
import { sshdConfig } from "../../system/host/tools/sshd_config.ts";
import { hasJournal, journalRecords } from "../../system/host/tools/journal.ts";
import { netdMachine } from "../../system/host/kernel/netd_machine.ts";
import { journalSource } from "../../system/machine/logs/journal_source.ts";
import { relayQueryEvents } from "../../system/dns/log/live/event_relay.ts";
import { within } from "../../system/core/time/timeouts.ts";
import { hostNames } from "../http/host_names.ts";
import { drain } from "../http/front/front.ts";
import { type Listener, listenerVariable, listeningText, listenTcp } from "../http/listen.ts";
import { peerOf } from "../http/peer.ts";
import { readUi } from "../ui.ts";
import { chooseKernel } from "../composition/kernel.ts";
import { openPackages, type Packages } from "../composition/packages.ts";
import type { MachineOptions } from "../composition/machine.ts";
import { launchedPrograms } from "../composition/programs.ts";
import { tlsListener } from "../composition/https.ts";
import { openRouter, type Router } from "../composition/router.ts";
import { wireguard } from "../../system/wireguard/process.ts";

/** Version of the API. */
const API_VERSION = "0.3.0";

/** For dpkg-query, which waits for nobody. */
const QUERY_TIMEOUT_MS = 10_000;

/** At a stop, milliseconds that a running change may wait for the kernel. */
const FINISH = 1500;

/** Starts the process `api`: the management plane with its listeners. */
export async function start(settings: Settings): Promise<Running> {
  const { home, root } = settings;
  const log = standardLog("api");
  const bus = new Bus();
  const packages = openPackages({
    processes: PROCESSES,
    settings,
    launcher: controlClient(sockets(home).launcher),
    launchedByRoot: () => launchedByRoot(settings),
    query: (names) => dpkgQuery(names, AbortSignal.timeout(QUERY_TIMEOUT_MS)),
    notices: () => router.notices,
    bus,
    log,
  });
  const kernel = chooseKernel({
    ...{ settings, bus, log, packages },
    adapters: () => router.adapters,
  });
  const watch = listenerWatch(log, () => router.notices);
  const https = tlsListener(
    (tls, address) =>
      listenOutside(router, { listener: { ...settings.https, ...address }, tls, watch }),
    settings.https.port,
  );
  const router: Router = await openRouter({
    home,
    host: kernel.first,
    isApplied: () => kernel.isReal,
    log,
    bus,
    adminPorts: adminPorts([settings.http, settings.https], sshdPorts(sshdConfig())),
    hasTunnels: wireguard.autostart(settings),
    adminPassword: settings.secrets.adminPassword,
    history: settings.database === null
      ? undefined
      : { url: settings.database, token: settings.secrets.databaseToken },
    plugins: {
      launcher: settings.attached ? controlClient(sockets(home).launcher) : null,
    },
    machine: boxOptions(settings, { log, packages, serveTls: (pair) => https.serve(pair) }),
    app: {
      ui: await readUi(join(root, "ui/dist")),
      versions: { api: API_VERSION, program: program.version },
      names: () =>
        hostNames({
          hostName: Deno.hostname(),
          chosenName: router.engine.config.hostName,
          mdnsName: router.engine.config.multicast.MDNSName || null,
          certificateNames: router.certificates.names,
          configured: router.engine.config.names,
          setupOpen: router.access.setup.isOpen,
        }),
      port: (tls) => (tls ? settings.https : settings.http).port,
    },
  });
  let following: Promise<void> | null = null;
  const listeners: Listener[] = [];
  const internal: WatchedServer[] = [];
  let events: EventSocket | null = null;
  const ending = new AbortController();
  const stop = async (): Promise<void> => {
    ending.abort();
    router.endStreams();
    await Promise.all([
      following,
      ...listeners.map((listener) => listener.close()),
      https.close(),
      ...internal.map(drain),
      events?.close(),
    ]);
    const closed = router.close();
    await within(FINISH, closed);
    await kernel.close();
    await closed;
  };
  try {
    internal.push(...await listenInside(router, home, watch));
    events = await serveEvents({ path: sockets(home).events, bus, watch });
    listeners.push(await listenOutside(router, { listener: settings.http, tls: null, watch }));
    await router.certificates.start();
  } catch (error) {
    await stop();
    throw error;
  }
  for (const tls of [false, true]) {
    for (const address of tls ? [https.address] : listeners.map((one) => one.address)) {
      if (address !== null) log.info("http.listening", listeningText(address, tls), { address });
    }
  }
  if (settings.network !== "off" && settings.services.includes("dnsd")) {
    following = relayQueryEvents({
      socket: sockets(home).dnsLog,
      engine: router.engine,
      awaitsConfirm: () => router.engine.window.current() !== null,
      bus,
      ending: ending.signal,
    });
  }
  void kernel.follow(router.engine).then(async () => {
    tellNetwork(router, log);
    if (router.engine.network.state === "model") await packages.notify();
  }).catch((error) =>
    log.warn("packages.check_failed", "The Debian packages could not be looked after", { error })
  );
  const ended = router.storeDamaged.then(() => {
    log.error("store.damaged", "state/sluice.db is damaged: the api restarts and sets it aside");
    return 1;
  });
  return { stop, ended };
}

/** What this process knows of its machine. */
function boxOptions(
  settings: Settings,
  { log, packages, serveTls }:
    & { readonly log: Log; readonly packages: Packages }
    & Pick<
      MachineOptions,
      "serveTls"
    >,
): MachineOptions {
  const { home, root, services } = settings;
  const paths = sockets(home);
  const runs = (name: string): boolean => services.includes(name);
  return {
    root,
    features: [
      "dns",
      ...(runs("wifid") ? ["wifi"] : []),
      ...(runs("uplinkd") ? ["ppp"] : []),
      ...(runs("wireguard") ? ["wireguard"] : []),
    ],
    programs: launchedPrograms({
      launcher: controlClient(paths.launcher),
      log,
      since: Date.now(),
    }),
    packages,
    machine: netdMachine(paths.netd),
    serveTls,
    journal: async () => await hasJournal() ? journalSource(journalRecords) : null,
  };
}

/** A launcher's socket belongs to the user that runs it. */
async function launchedByRoot({ attached, home }: Settings): Promise<boolean> {
  if (!attached) return false;
  try {
    return (await Deno.lstat(sockets(home).launcher)).uid === 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function tellNetwork(router: Router, log: Log): void {
  const { state, detail } = router.engine.network;
  log.info(
    "network.state",
    state === "model"
      ? "Nothing is applied: this machine's network stays as it is"
      : `The network is ${state}`,
    detail === null ? {} : { detail },
  );
}

async function listenInside(
  router: Router,
  home: string,
  watch: ListenerWatch,
): Promise<WatchedServer[]> {
  const paths = sockets(home);
  const servers: WatchedServer[] = [];
  for (const [name, app] of Object.entries(router.internal)) {
    servers.push(
      await serveUnix(paths[name as SocketName], (request) => app.fetch(request), watch),
    );
  }
  return servers;
}

/** Opens an external listener; throws Problem when it cannot. */
function listenOutside(
  router: Router,
  options: {
    readonly listener: Settings["http"];
    readonly tls: { readonly cert: string; readonly key: string } | null;
    readonly watch: ListenerWatch;
  },
): Promise<Listener> {
  const { listener, tls, watch } = options;
  return listenTcp({
    ...listener,
    variable: listenerVariable(tls !== null),
    handler: (request, info) =>
      router.external.fetch(request, {
        peer: peerOf(info.remoteAddr, { ...listener, ...info, tls: tls !== null }),
      }),
    ...(tls === null ? {} : { tls }),
    watch,
  });
}

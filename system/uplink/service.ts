import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../core/log/log.ts";
import { feedPoll, followFeed, type Poll } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import { pause } from "../core/time/pause.ts";
import { endOrphanedClients, runDhcpClient } from "../host/tools/dhcp_client.ts";
import { download } from "../host/tools/download.ts";
import { connectPppd, disconnectPppd, pppdRunning } from "../host/tools/pppd.ts";
import { probe } from "../host/sockets/probe.ts";
import { DhcpClients } from "./dhcp/dhcp_clients.ts";
import {
  type LeaseReport,
  type PortalReport,
  type ProbeReport,
  problemDetail,
  type ProblemReport,
  type SpeedReport,
  type SpeedTestRequest,
  UplinkPlan,
} from "./plan_schema.ts";
import { PppConnections } from "./ppp/ppp_connections.ts";
import { openPppFiles } from "./ppp/ppp_files.ts";
import { DyndnsUpdater } from "../dyndns/updater.ts";
import { DyndnsPlan, type DyndnsReport } from "../dyndns/schema.ts";
import { webRequest } from "../host/tools/web_request.ts";
import { requestPage } from "../host/tools/page_request.ts";
import { PortalChecks } from "./health/portal_checks.ts";
import { probeRound } from "./health/probes.ts";
import { ReportQueue } from "../core/ipc/report_queue.ts";

/** Milliseconds before a retry. */
const RETRY_DELAY_MS = 500;
/** Milliseconds between checks that pppd still runs. */
const PPP_CHECK_INTERVAL_MS = 5000;
/** Milliseconds between looks whether a check for a captive portal is due. */
const PORTAL_LOOK_INTERVAL_MS = 1000;
/** Limits of a speed test. */
const SPEED_TEST_LIMITS = { seconds: 30, bytes: 64 * 1024 * 1024 } as const;

/** Seconds between two looks at dynamic DNS where there is none. */
const IDLE_SECONDS = 3600;

const NO_PLAN: UplinkPlan = {
  tag: "",
  decided: false,
  dhcp: [],
  ppp: [],
  probes: [],
  intervalSeconds: 5,
  portals: [],
  speed: null,
};

/** The api for uplinkd. Calls throw while it is away. */
interface UplinkApi {
  readonly plan: Poll<UplinkPlan>;
  lease(report: LeaseReport): Promise<void>;
  probes(report: ProbeReport): Promise<void>;
  reportProblem(report: ProblemReport): Promise<void>;
  speed(report: SpeedReport): Promise<void>;
  portal(report: PortalReport): Promise<void>;
  readonly dyndns: Poll<DyndnsPlan>;
  dyndnsReport(report: DyndnsReport): Promise<void>;
  close(): void;
}

/** Connects to the api's socket; calls end with the signal. */
function uplinkApi(socket: string, ending: AbortSignal): UplinkApi {
  const client = socketClient({ name: "The api", socket, ending });
  const report = (path: string) => async (body: unknown): Promise<void> => {
    await client.call(path, body);
  };
  return {
    plan: feedPoll(client, "/plan", UplinkPlan),
    lease: report("/lease"),
    probes: report("/probes"),
    reportProblem: ({ name, detail }) =>
      report("/problem")({ name, detail: problemDetail(detail) }),
    speed: report("/speed"),
    portal: report("/portal"),
    dyndns: feedPoll(client, "/dyndns", DyndnsPlan),
    dyndnsReport: report("/dyndns"),
    close: client.close,
  };
}

/** Options of {@link startUplinkd}. */
export interface UplinkdOptions {
  /** The api's socket for uplinkd. */
  readonly socket: string;
  /** Folder of pppd's option files and logs. */
  readonly pppFolder: string;
  readonly log: Log;
}

/**
 * Starts uplinkd: keeps DHCP clients and PPPoE connections running on the uplinks of the api's plan,
 * probes them, and reports leases to the api. It configures no interface itself; pppd configures the
 * one that it creates. While the api is away or starting, the last plan stays active.
 */
export function startUplinkd(options: UplinkdOptions): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const api = uplinkApi(options.socket, signal);
  const folder = dirname(options.socket);
  const reports = new ReportQueue({
    pause: (ms) => pause(ms, signal),
    ended: () => signal.aborted,
  });
  const clients = new DhcpClients({
    start: (client, { line: onLine, error: onError }) =>
      runDhcpClient({
        link: client.link,
        lastAddress: client.lastAddress,
        folder,
        script: fileURLToPath(new URL("./dhcp/report.sh", import.meta.url)),
        onLine,
        onError,
      }),
    lease: (report) => {
      log.info(
        "uplink.lease_changed",
        report.lease === null
          ? `${report.name} lost its DHCP lease`
          : `${report.name} got the DHCP lease ${report.lease.address}`,
        { uplink: report.name },
      );
      reports.enqueue(`lease ${report.name}`, () => api.lease(report));
    },
    reportProblem: (report) => {
      if (report.detail !== "") {
        log.warn("uplink.lease_problem", `${report.name}: ${report.detail}`);
      }
      reports.enqueue(`problem ${report.name}`, () => api.reportProblem(report));
    },
    later: (run, milliseconds) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  });
  const files = openPppFiles(options.pppFolder);
  const connections = new PppConnections({
    ...files,
    running: (file) => pppdRunning(files.path(file)),
    connect: (file) => connectPppd(files.path(file)),
    disconnect: (file) => disconnectPppd(files.path(file)),
    reportProblem: (report) => {
      if (report.detail !== "") {
        log.warn("uplink.pppoe_problem", `${report.name}: ${report.detail}`);
      }
      reports.enqueue(`problem ${report.name}`, () => api.reportProblem(report));
      return Promise.resolve();
    },
  });
  let plan = NO_PLAN;
  let measured = "";

  async function follow(): Promise<void> {
    await endOrphanedClients(folder).catch((error) =>
      log.error(
        "uplink.clients_not_stopped",
        "DHCP clients of an earlier run could not be stopped",
        {
          error,
        },
      )
    );
    await followFeed({
      poll: api.plan,
      async apply(next) {
        plan = next;
        await clients.reconcile(plan.dhcp);
        if (plan.speed !== null && plan.speed.id !== measured) measure(plan.speed);
      },
      log,
      ending: signal,
    });
  }

  async function keepConnected(): Promise<void> {
    let applied = "";
    while (!signal.aborted) {
      const { ppp } = plan;
      const wanted = JSON.stringify(ppp);
      const changed = wanted !== applied;
      let failed = false;
      // Without a plan, running connections stay as they are.
      if (plan !== NO_PLAN && (changed || ppp.length > 0)) {
        try {
          await connections.reconcile(ppp);
          applied = wanted;
        } catch (error) {
          // Disconnecting must be retried as well.
          applied = "";
          failed = true;
          log.error("uplink.pppoe_check_failed", "The PPPoE connections could not be checked", {
            error,
          });
        }
      }
      await pause(changed && !failed ? RETRY_DELAY_MS : PPP_CHECK_INTERVAL_MS, signal);
    }
  }

  async function probeUplinks(): Promise<void> {
    while (!signal.aborted) {
      const round = pause(plan.intervalSeconds * 1000, signal);
      const report = await probeRound(plan.probes, probe);
      // An outdated result is of no use: it is not queued.
      if (report.items.length > 0) await api.probes(report).catch(() => {});
      await round;
    }
  }

  async function checkPortals(): Promise<void> {
    const checks = new PortalChecks({
      request: requestPage,
      report: (result) => api.portal(result),
      now: () => performance.now(),
    });
    while (!signal.aborted) {
      await checks.check(plan.portals);
      await pause(PORTAL_LOOK_INTERVAL_MS, signal);
    }
  }

  async function keepNames(): Promise<void> {
    const updater = new DyndnsUpdater({
      send: webRequest,
      steady: () => performance.now(),
      now: Date.now,
    });
    let names: DyndnsPlan | null = null;
    let news = Promise.withResolvers<void>();
    const following = followFeed<DyndnsPlan>({
      poll: api.dyndns,
      apply: (next) => {
        names = next;
        news.resolve();
      },
      log,
      ending: signal,
    });
    while (!signal.aborted) {
      news = Promise.withResolvers<void>();
      const current: DyndnsPlan | null = names;
      if (current !== null) {
        const result = await updater.check(current);
        await api.dyndnsReport(result).catch(() => {});
      }
      const seconds = (current as DyndnsPlan | null)?.settings?.interval ?? IDLE_SECONDS;
      await Promise.race([pause(seconds * 1000, signal), news.promise]);
    }
    await following;
  }

  function measure(request: SpeedTestRequest): void {
    measured = request.id;
    download({ ...request, ...SPEED_TEST_LIMITS })
      .catch((error) => ({ bytes: 0, seconds: 0, error: oneLine(String(error.message)) }))
      .then((result) => reports.enqueue("speed", () => api.speed({ id: request.id, ...result })));
  }

  const work = [
    follow(),
    keepConnected(),
    probeUplinks(),
    checkPortals(),
    keepNames(),
    reports.run(),
  ];
  return {
    async stop() {
      ending.abort();
      await clients.stop();
      await Promise.all(work);
      api.close();
    },
  };
}

/** An error message as one line. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").slice(0, 400).toWellFormed();
}

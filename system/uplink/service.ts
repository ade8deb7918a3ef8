import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Log } from "../core/log/log.ts";
import { followFeed } from "../core/ipc/feed.ts";
import { pause } from "../core/time/pause.ts";
import { endOrphanedClients, runDhcpClient } from "../host/tools/dhcp_client.ts";
import { download } from "../host/tools/download.ts";
import { connectPppd, disconnectPppd, pppdRunning } from "../host/tools/pppd.ts";
import { probe } from "../host/sockets/probe.ts";
import { uplinkApi } from "./api_client.ts";
import { DhcpClients } from "./dhcp/dhcp_clients.ts";
import type { SpeedAsk, UplinkPlan } from "./plan_schema.ts";
import { PppConnections } from "./ppp/ppp_connections.ts";
import { openPppFiles } from "./ppp/ppp_files.ts";
import { probeRound } from "./health/probes.ts";
import { Reports } from "./report_queue.ts";

/** Milliseconds before the api is asked again. */
const RETRY_DELAY_MS = 500;
/** Milliseconds between looks whether pppd still runs. */
const PPP_CHECK_INTERVAL_MS = 5000;
/** Most seconds and bytes of a speed test. */
const SPEED_TEST_LIMITS = { seconds: 30, bytes: 64 * 1024 * 1024 } as const;

const NOTHING: UplinkPlan = {
  tag: "",
  decided: false,
  dhcp: [],
  ppp: [],
  probes: [],
  intervalSeconds: 5,
  speed: null,
};

/** What uplinkd is started with. */
export interface UplinkdOptions {
  /** The api's socket for us. */
  readonly socket: string;
  /** Folder for what pppd reads, ours alone. */
  readonly pppFolder: string;
  readonly log: Log;
}

/**
 * Starts uplinkd: keeps DHCP clients and PPPoE connections running on the uplinks that the api names,
 * and asks them for life. It sets nothing itself but what pppd sets on the link that it makes; what
 * was leased it tells the api. While the api is away it goes on as it was told last, and so it does while an api that starts does not know yet.
 */
export function startUplinkd(options: UplinkdOptions): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const api = uplinkApi(options.socket, signal);
  const folder = dirname(options.socket);
  const reports = new Reports({ pause: (ms) => pause(ms, signal), ended: () => signal.aborted });
  const clients = new DhcpClients({
    start: (client, { line: onLine, complain: onError }) =>
      runDhcpClient({
        link: client.link,
        lastAddress: client.last,
        folder,
        script: fileURLToPath(new URL("./dhcp/report.sh", import.meta.url)),
        onLine,
        onError,
      }),
    lease: (report) => {
      log.info(
        "uplink.lease_changed",
        report.lease === null
          ? `${report.name} has no DHCP lease any more`
          : `${report.name} got the DHCP lease ${report.lease.address}`,
        { uplink: report.name },
      );
      reports.set(`lease ${report.name}`, () => api.lease(report));
    },
    reportProblem: (report) => {
      if (report.detail !== "") {
        log.warn("uplink.lease_problem", `${report.name}: ${report.detail}`);
      }
      reports.set(`problem ${report.name}`, () => api.reportProblem(report));
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
    dial: (file) => connectPppd(files.path(file)),
    hangUp: (file) => disconnectPppd(files.path(file)),
    reportProblem: (report) => {
      if (report.detail !== "") {
        log.warn("uplink.pppoe_problem", `${report.name}: ${report.detail}`);
      }
      reports.set(`problem ${report.name}`, () => api.reportProblem(report));
      return Promise.resolve();
    },
  });
  let plan = NOTHING;
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
        await clients.adapt(plan.dhcp);
        if (plan.speed !== null && plan.speed.id !== measured) measure(plan.speed);
      },
      log,
      ending: signal,
    });
  }

  async function dial(): Promise<void> {
    let done = "";
    while (!signal.aborted) {
      const { ppp } = plan;
      const wanted = JSON.stringify(ppp);
      const changed = wanted !== done;
      let failed = false;
      // Before the api has said anything, what runs stays as it is.
      if (plan !== NOTHING && (changed || ppp.length > 0)) {
        try {
          await connections.adapt(ppp);
          done = wanted;
        } catch (error) {
          // Also what is to end must be tried again.
          done = "";
          failed = true;
          log.error("uplink.pppoe_check_failed", "The PPPoE connections could not be checked", {
            error,
          });
        }
      }
      await pause(changed && !failed ? RETRY_DELAY_MS : PPP_CHECK_INTERVAL_MS, signal);
    }
  }

  async function ask(): Promise<void> {
    while (!signal.aborted) {
      const round = pause(plan.intervalSeconds * 1000, signal);
      const report = await probeRound(plan.probes, probe);
      // A round that nobody took is of no use later.
      if (report.items.length > 0) await api.probes(report).catch(() => {});
      await round;
    }
  }

  function measure(asked: SpeedAsk): void {
    measured = asked.id;
    download({ ...asked, ...SPEED_TEST_LIMITS })
      .catch((error) => ({ bytes: 0, seconds: 0, error: oneLine(String(error.message)) }))
      .then((result) => reports.set("speed", () => api.speed({ id: asked.id, ...result })));
  }

  const work = [follow(), dial(), ask(), reports.run()];
  return {
    async stop() {
      ending.abort();
      await clients.stop();
      await Promise.all(work);
      api.close();
    },
  };
}

/** Words for people as the api takes them. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").slice(0, 400).toWellFormed();
}

import type { Log } from "../core/log/log.ts";
import { feedPoll, followFeed } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import { pause } from "../core/time/pause.ts";
import { lookUpName } from "../host/tools/name_lookup.ts";
import { addWg, readWg, removeWgPeers } from "../host/tools/wg.ts";
import {
  createWireguardLink,
  deleteWireguardLink,
  wireguardBackend,
} from "../host/tools/wireguard_links.ts";
import { EndpointNames } from "./tunnels/endpoint_names.ts";
import { OwnedLinks } from "./tunnels/owned_links.ts";
import { TunnelPlan, type TunnelReport, type TunnelState } from "./tunnels/plan_schema.ts";
import { TunnelKeeper } from "./tunnels/tunnel_keeper.ts";

/** Milliseconds between two looks at the tunnels: counters, handshakes, and whether all still runs. */
const ROUND_INTERVAL_MS = 5000;
/** Seconds after a handshake in which every look is reported, so that the api sees a peer leave. */
const RECENT_SECONDS = 600;
/** Milliseconds that a report may take. */
const REPORT_TIMEOUT_MS = 10_000;

const NO_PLAN: TunnelPlan = { tag: "", decided: false, tunnels: [] };

/** Options of {@link startWireguard}. */
export interface WireguardOptions {
  /** The api's socket for us. */
  readonly socket: string;
  /** Folder that names the interfaces which we created. */
  readonly folder: string;
  readonly log: Log;
}

/**
 * Starts the process `wireguard`: keeps the tunnels of the api's plan, and reports how they run. It
 * creates interfaces and sets their keys and peers; addresses, routes and rules are netd's. Tunnels
 * outlive it, and stay as they are while the api is away.
 */
export function startWireguard(options: WireguardOptions): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const api = socketClient({
    name: "The api",
    socket: options.socket,
    ending: signal,
    patience: REPORT_TIMEOUT_MS,
  });
  const names = new EndpointNames({
    lookUp: lookUpName,
    now: () => performance.now(),
    changed: () => void round(),
  });
  const keeper = new TunnelKeeper({
    owned: new OwnedLinks(options.folder),
    names,
    backend: wireguardBackend,
    create: createWireguardLink,
    remove: deleteWireguardLink,
    read: readWg,
    add: addWg,
    removePeers: removeWgPeers,
    now: Date.now,
    done: (event, name, backend) => {
      if (event === "removed") {
        log.info("wireguard.tunnel_removed", `The tunnel ${name} is down`, { tunnel: name });
        return;
      }
      const carrier = backend === "kernel" ? "the kernel" : backend;
      log.info("wireguard.tunnel_created", `The tunnel ${name} is carried by ${carrier}`, {
        tunnel: name,
        backend,
      });
    },
  });
  let plan = NO_PLAN;
  /** The last report that arrived, as text; "" where the api may know none. */
  let reported = "";
  const problems = new Map<string, string>();
  let working: Promise<boolean> = Promise.resolve(true);

  /** One round after the one that runs; false where a tunnel is not as planned. */
  function round(): Promise<boolean> {
    working = working.then(async () => {
      if (plan === NO_PLAN || signal.aborted) return true;
      try {
        const { tag, tunnels } = plan;
        const items = await keeper.round(tunnels);
        logProblems(items);
        await report({ tag, items: [...items] });
        return items.every(({ problem }) => problem === "");
      } catch (error) {
        log.error("wireguard.round_failed", "The tunnels could not be checked", { error });
        return false;
      }
    });
    return working;
  }

  function logProblems(items: readonly TunnelState[]): void {
    for (const { name, problem } of items) {
      if (problem !== "" && problems.get(name) !== problem) {
        log.warn("wireguard.tunnel_failed", `The tunnel ${name} does not run: ${problem}`, {
          tunnel: name,
        });
      }
      problems.set(name, problem);
    }
  }

  async function report(next: TunnelReport): Promise<void> {
    const text = JSON.stringify(next);
    if (text === reported && !isRecent(next)) return;
    try {
      await api.call("/report", next);
      reported = text;
    } catch (error) {
      reported = "";
      log.debug("ipc.api_unreachable", "The api is not reachable", { error });
    }
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await pause(ROUND_INTERVAL_MS, signal);
      if (plan.tunnels.length > 0) await round();
    }
  }

  const work = [
    followFeed<TunnelPlan>({
      poll: feedPoll(api, "/plan", TunnelPlan),
      apply: async (next) => {
        plan = next;
        // What failed is tried again at the next look.
        await round();
      },
      lost: () => void (reported = ""),
      log,
      ending: signal,
    }),
    watch(),
  ];
  return {
    async stop() {
      ending.abort();
      await Promise.all(work);
      await working;
      await names.settled();
      api.close();
    },
  };
}

/** True where a peer was active lately. */
function isRecent({ items }: TunnelReport): boolean {
  const since = Date.now() / 1000 - RECENT_SECONDS;
  return items.some(({ peers }) => peers.some(({ latestHandshake }) => latestHandshake > since));
}

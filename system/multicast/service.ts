import type { Log } from "../core/log/log.ts";
import { formatIpv4 } from "../core/net/net.ts";
import { feedPoll, followFeed } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import { pause } from "../core/time/pause.ts";
import { MulticastSockets } from "../host/sockets/multicast_sockets.ts";
import { formatDatagram, parseDatagram } from "./datagram.ts";
import { RelayLimits } from "./relay_limits.ts";
import { type Arrival, isOwnAddress, relayTargets } from "./relay_rules.ts";
import { MDNS, Responder } from "./responder.ts";
import { type DiscoveryReport, formatGroup, RelayPlan } from "./schema.ts";
import { descriptionOf, servicesOf } from "./services.ts";

/** Milliseconds between reports of discovered senders. */
const REPORT_INTERVAL_MS = 2000;
/** Limits of one report, as its schema has them. */
const MAX_SENDERS = 256, MAX_SERVICES = 32;
/** Milliseconds between checks for interfaces that appeared or changed. */
const CHECK_INTERVAL_MS = 2000;

const IDLE: RelayPlan = { tag: "", decided: false, links: [], groups: [], name: null };

/** Options of {@link startMulticastd}. */
export interface MulticastdOptions {
  /** The api's socket for us. */
  readonly socket: string;
  readonly log: Log;
}

/**
 * Starts multicastd: reflects the groups of the api's plan between the interfaces of the plan, and responds
 * for our mDNS name there. Without interfaces it opens no socket.
 */
export function startMulticastd({ socket, log }: MulticastdOptions): { stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const api = socketClient({ name: "The api", socket, ending: signal });
  const poll = feedPoll(api, "/plan", RelayPlan);
  const sockets = new MulticastSockets();
  const now = (): number => performance.now();
  const limits = new RelayLimits(now);
  const batch = new DiscoveryBatch();
  let plan = IDLE;
  let next = IDLE;
  let looked = -Infinity;
  let responders = new Map<string, Responder>();

  function applyPlan(): void {
    const changed = next !== plan;
    if (!changed && now() - looked < CHECK_INTERVAL_MS) return;
    looked = now();
    const groups = new Set(next.groups.map(({ address }) => address));
    if (next.name !== null) groups.add(MDNS.address);
    const wanted = groups.size === 0 ? [] : next.links.map(({ name }) => name);
    for (const link of sockets.links) if (!wanted.includes(link)) sockets.leave(link);
    for (const link of wanted) {
      try {
        sockets.listen(link, [...groups]);
      } catch (error) {
        log.warn("multicast.interface_failed", `Multicast cannot be received on ${link}`, {
          link,
          error,
        });
      }
    }
    if (changed) updateResponders(next);
    plan = next;
  }

  /** Starts a new responder on interfaces where the name or our addresses changed. */
  function updateResponders({ name, links }: RelayPlan): void {
    const inputs = (of: RelayPlan, link: string): string =>
      JSON.stringify([of.name, of.links.find((one) => one.name === link)?.addresses]);
    responders = new Map(
      name === null ? [] : links.map((link) => {
        const before = responders.get(link.name);
        const same = before && inputs(plan, link.name) === inputs(next, link.name);
        return [link.name, same ? before : new Responder(`${name}.local`, link, now())];
      }),
    );
  }

  function take(arrival: Arrival): void {
    const { link, datagram } = arrival;
    if (isOwnAddress(plan, datagram.source)) return;
    const targets = relayTargets(plan, arrival);
    const responder = datagram.port === MDNS.port ? responders.get(link) : undefined;
    if (targets.length === 0 && responder === undefined && !plan.groups.some(isGroupOf(arrival))) {
      return;
    }
    if (!limits.admit(datagram)) return;
    if (plan.groups.some(isGroupOf(arrival))) batch.add(arrival);
    for (const target of targets) {
      const packet = formatDatagram({ ...datagram, destination: target.destination });
      sockets.send(target.link, packet, target.destination);
    }
    const wasTaken = responder?.taken;
    const response = responder?.handle(datagram);
    if (response) sockets.send(link, formatDatagram(response), response.destination);
    if (responder?.taken && !wasTaken) {
      log.warn(
        "multicast.name_conflict",
        `${plan.name}.local is in use by another host on ${link}; not responding there`,
        {
          link,
        },
      );
    }
  }

  async function relay(): Promise<void> {
    while (!signal.aborted) {
      applyPlan();
      for (const [link, responder] of responders) {
        const due = responder.tick(now());
        if (due !== null) sockets.send(link, formatDatagram(due), due.destination);
      }
      for (const { link, bytes } of await sockets.receive()) {
        const datagram = parseDatagram(bytes);
        if (datagram !== null) take({ link, datagram });
      }
    }
  }

  async function report(): Promise<void> {
    while (!signal.aborted) {
      await pause(REPORT_INTERVAL_MS, signal);
      const report = batch.take();
      if (report === null || signal.aborted) continue;
      await api.call("/discovered", report satisfies DiscoveryReport).catch((error) =>
        log.debug("ipc.api_unreachable", "The api is not reachable", { error })
      );
    }
  }

  const work = [
    relay(),
    followFeed({ poll, apply: (plan) => void (next = plan), log, ending: signal }),
    report(),
  ];
  return {
    async stop() {
      ending.abort();
      await Promise.all(work);
      sockets.close();
      api.close();
    },
  };
}

/** True for the group that the datagram was sent to. */
function isGroupOf({ datagram }: Arrival): (group: RelayPlan["groups"][number]) => boolean {
  const address = formatIpv4(datagram.destination);
  return (group) => group.address === address && group.port === datagram.port;
}

/** Collects senders between two reports; what does not fit is dropped. */
class DiscoveryBatch {
  readonly #senders = new Map<string, DiscoveryReport["items"][number]>();

  /** Adds the sender of a group's datagram. */
  add({ link, datagram }: Arrival): void {
    const address = formatGroup({
      address: formatIpv4(datagram.destination),
      port: datagram.port,
    });
    const source = formatIpv4(datagram.source);
    const key = `${address} ${source}`;
    const before = this.#senders.get(key);
    if (before === undefined && this.#senders.size >= MAX_SENDERS) return;
    const services = [...new Set([...before?.services ?? [], ...servicesOf(datagram)])];
    const { txt, ssdp } = descriptionOf(datagram);
    this.#senders.set(key, {
      ...{ address, source, link },
      services: services.slice(-MAX_SERVICES),
      txt: { ...before?.txt, ...txt },
      ssdp: { ...before?.ssdp, ...ssdp },
    });
  }

  /** Everything since the last call, or null for nothing. */
  take(): DiscoveryReport | null {
    if (this.#senders.size === 0) return null;
    const items = [...this.#senders.values()];
    this.#senders.clear();
    return { items };
  }
}

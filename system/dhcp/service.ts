import type { Log } from "../core/log/log.ts";
import { followFeed } from "../core/ipc/feed.ts";
import { pause } from "../core/time/pause.ts";
import { Problem } from "../core/errors/problem.ts";
import { interfaceFacts, interfaceIndex } from "../host/sockets/interface_facts.ts";
import { InterfaceSockets } from "../host/sockets/interface_sockets.ts";
import { LinkWatch } from "../host/sockets/link_watch.ts";
import { listenForPackets } from "../host/datagrams/packet_listener.ts";
import { openPacketSocket, type PacketSocket } from "../host/sockets/packet_socket.ts";
import { dhcpApi } from "./api_client.ts";
import type { ClientMessage, LeaseDecision } from "./api_schema.ts";
import { ApiContact } from "./contact.ts";
import { dhcpPacket } from "./server/frame.ts";
import { LeaseCache } from "./lease_cache.ts";
import { isStationInterface } from "../network/interfaces/vlan_links.ts";
import { answersArp, type Neighbour } from "./server/arp_probe.ts";
import {
  type AnnouncingLink,
  GatewayAnnouncements,
  type LastPaths,
  lastPaths,
  movedDevices,
} from "./server/gateway_announcement.ts";
import { PreviousInterfaces } from "./server/previous_interfaces.ts";
import { probeForServer } from "./server/server_probe.ts";
import { Renewals } from "./renewals.ts";
import { ServedInterfaces } from "./server/served_interfaces.ts";
import { DhcpServer } from "./server/server.ts";
import { Turns } from "./server/turns.ts";

/** RFC 2131 4.1. */
const SERVER_PORT = 67, CLIENT_PORT = 68;
/** Milliseconds between two checks of which interfaces are present, where no event tells of them. */
const LINK_CHECK_INTERVAL_MS = 250;
/** Offers to unknown clients of one interface that the api is asked for at the same time. */
const OFFERS_AT_ONCE = 8;
/** Milliseconds after which the snapshot of an earlier run is used: the api is away, not starting. */
const API_TIMEOUT_MS = 10_000;
/** Milliseconds between two reports of foreign senders on one interface. */
const FOREIGN_SENDER_INTERVAL_MS = 60_000;

/** What dhcpd is started with. */
export interface DhcpdOptions {
  /** The api's socket for dhcpd. */
  readonly socket: string;
  /** Where the last snapshot is stored. */
  readonly snapshot: string;
  readonly log: Log;
}

/**
 * Starts dhcpd: one socket for each interface that the api names, bound to it, so that nothing is
 * received or sent elsewhere. While the api is away, known devices renew from its last snapshot, and
 * others wait.
 */
export function startDhcpd(options: DhcpdOptions): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const api = dhcpApi(options.socket, signal);
  const cache = new LeaseCache(options.snapshot);
  const sockets = new InterfaceSockets(SERVER_PORT);
  const open = new Map<
    string,
    { readonly server: DhcpServer; readonly sender: PacketSocket }
  >();
  const links = new ServedInterfaces({
    open: serve,
    close(link) {
      sockets.close(link);
      renewals.forget(link);
      const at = open.get(link);
      if (at === undefined) return;
      log.info("dhcp.statistics", `DHCP statistics of ${link}`, { link, ...at.server.counts });
      at.sender.close();
      open.delete(link);
    },
    isPresent: (link) => open.has(link) ? sockets.isPresent(link) : interfaceIndex(link) !== 0,
    probe: (link) => probeInterface(link, signal),
    reportForeign: api.reportForeign,
    clock: () => performance.now(),
    ending: signal,
    log,
  });
  const previous = new PreviousInterfaces({
    answers: (link, neighbour) => probeAddress(link, neighbour, signal),
    report: ({ neighbour: { mac }, from, to }) =>
      send(api.reportDuplicate({ mac, link: from, claimed: to })),
    clock: () => performance.now(),
  });
  const announcements = new GatewayAnnouncements({
    open: openAnnouncing,
    failed: (link, error) =>
      log.debug("dhcp.gateway_not_announced", "A gateway cannot be announced", { link, error }),
    ending: signal,
  });
  const renewals = new Renewals({ last: (mac) => cache.last(mac), decide: api.decide });
  const contact = new ApiContact(() => performance.now());
  /** True once a snapshot of the api was taken over. */
  let hasSnapshot = false;
  let paths: LastPaths = new Map();

  async function ask(question: ClientMessage, offers: Turns): Promise<LeaseDecision | null> {
    const { mac, link, wanted } = question;
    const renewed = renewals.answer(question);
    if (renewed !== null) return renewed;
    const known = cache.last(mac);
    if (known !== null && known.link !== null && known.link !== link && links.has(known.link)) {
      const neighbour = { mac, address: known.lease.IP };
      if (!await previous.isGone({ neighbour, from: known.link, to: link })) return null;
    }
    const decision = known === null && question.kind === "discover"
      ? await offers.run(() => api.decide(question))
      : await api.decide(question);
    if (decision === null || decision.IP !== wanted) return decision;
    cache.store(question, decision);
    renewals.granted(question, decision);
    return decision;
  }

  /** Logs a report that did not reach the api. */
  function send(report: Promise<void>): void {
    void report.catch((error) =>
      log.debug("ipc.api_unreachable", "The api is not reachable", { error })
    );
  }

  /** Reports a foreign sender on an interface, at most once in a while. */
  function foreignSenders(link: string): (mac: string) => void {
    let quietUntil = -Infinity;
    return (mac) => {
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + FOREIGN_SENDER_INTERVAL_MS;
      send(api.reportForeignSender({ mac, link }));
    };
  }

  function serve(link: string): void {
    const sender = openPacketSocket(link, "ip");
    renewals.forget(link);
    try {
      sockets.open(link);
    } catch (error) {
      sender.close();
      throw error;
    }
    // Of unknown clients that come at once, those that take an offer go before those that want one.
    const offers = new Turns(OFFERS_AT_ONCE);
    const server = new DhcpServer(link, {
      decide: (question) => ask(question, offers),
      cachedLease: (mac) => cache.get(mac, link),
      mtu: () => interfaceFacts(link)?.mtu ?? null,
      foreignSender: foreignSenders(link),
      log: log.warn,
    });
    open.set(link, { server, sender });
  }

  async function read(): Promise<void> {
    while (!signal.aborted) {
      for (const { link, bytes, foreign } of await sockets.receive()) {
        const at = open.get(link);
        if (foreign) at?.server.takeForeign(bytes);
        else {void at?.server.take(bytes, (reply) =>
            at.sender.send(
              dhcpPacket(reply, { from: SERVER_PORT, to: CLIENT_PORT }),
              reply.mac,
            ));}
      }
    }
  }

  const followSnapshots = (): Promise<void> =>
    followFeed({
      poll: api.snapshot,
      apply(next) {
        if (!contact.accepts(cache.snapshot.links, next)) return false;
        if (hasSnapshot) announcements.announce(movedDevices(paths, next));
        paths = lastPaths(paths, next);
        cache.replace(next);
        hasSnapshot = true;
        links.reconcile(cache.snapshot);
        return true;
      },
      lost: () => contact.lost(),
      log,
      ending: signal,
    });

  /** Waits for the kernel to tell of interfaces; those of stations are listened to from then on. */
  async function followInterfaces(watch: LinkWatch | null): Promise<void> {
    if (watch === null) return await pause(LINK_CHECK_INTERVAL_MS, signal);
    for (const link of await watch.next(LINK_CHECK_INTERVAL_MS)) {
      if (!isStationInterface(cache.snapshot.points, link) || links.has(link)) continue;
      try {
        sockets.prepare(link);
      } catch (error) {
        // It is gone already, or cannot be used: then it is not served later, either.
        log.debug("dhcp.interface_not_ready", "An interface cannot be served yet", { link, error });
      }
    }
    sockets.keepPrepared((link) => isStationInterface(cache.snapshot.points, link));
  }

  async function checkInterfaces(): Promise<void> {
    const started = performance.now();
    const watch = openWatch(log);
    while (!signal.aborted) {
      const away = !contact.isUp && performance.now() - started >= API_TIMEOUT_MS;
      if (hasSnapshot || away) links.reconcile(cache.snapshot);
      await followInterfaces(watch);
    }
    watch?.close();
  }

  const work = cache.read().then(() => Promise.all([read(), followSnapshots(), checkInterfaces()]));
  return {
    async stop() {
      ending.abort();
      await work;
      await links.close();
      await previous.settled();
      await renewals.settled();
      await announcements.settled();
      await cache.settled();
      sockets.closeAll();
      api.close();
    },
  };
}

/** Null where the kernel tells nothing of interfaces: then they are looked at from time to time. */
function openWatch(log: Log): LinkWatch | null {
  try {
    return new LinkWatch();
  } catch (error) {
    log.debug("dhcp.interfaces_unreadable", "The interfaces of the machine cannot be read", {
      error,
    });
    return null;
  }
}

/** Probes an interface for another DHCP server. Throws Problem when the interface cannot be used. */
async function probeInterface(link: string, signal: AbortSignal): Promise<string | null> {
  const facts = interfaceFacts(link);
  if (facts === null) throw new Problem(502, `${link} is missing`);
  // A packet socket sees replies that the firewall drops.
  const listener = listenForPackets(link, CLIENT_PORT);
  try {
    const sender = openPacketSocket(link, "ip");
    try {
      return await probeForServer({
        send: (message) =>
          sender.send(
            dhcpPacket(message, { from: CLIENT_PORT, to: SERVER_PORT }),
            message.mac,
          ),
        receive: () => listener.receive(),
        clock: () => performance.now(),
        mac: facts.mac,
      }, signal);
    } finally {
      sender.close();
    }
  } finally {
    listener.close();
  }
}

/** True when a neighbour answers ARP on an interface. Throws Problem when the interface cannot be used. */
async function probeAddress(
  link: string,
  neighbour: Neighbour,
  signal: AbortSignal,
): Promise<boolean> {
  const facts = interfaceFacts(link);
  if (facts === null) return false;
  const socket = openPacketSocket(link, "arp", true);
  try {
    return await answersArp(
      {
        mac: facts.mac,
        send: (packet, mac) => socket.send(packet, mac),
        receive: () => socket.receive(),
        clock: () => performance.now(),
      },
      neighbour,
      signal,
    );
  } finally {
    socket.close();
  }
}

/** An interface to announce gateways on; null for a missing one. Throws Problem when it cannot be used. */
function openAnnouncing(link: string): AnnouncingLink | null {
  const facts = interfaceFacts(link);
  if (facts === null) return null;
  const socket = openPacketSocket(link, "arp");
  return {
    mac: facts.mac,
    send: (packet, mac) => void socket.send(packet, mac),
    close: () => socket.close(),
  };
}

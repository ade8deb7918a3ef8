import type { Log } from "../core/log/log.ts";
import { pause } from "../core/time/pause.ts";
import { linkFacts, linkIndex } from "../host/kernel/link_facts.ts";
import { LinkSockets } from "../host/sockets/link_sockets.ts";
import { listenForPackets } from "../host/datagrams/packet_listener.ts";
import { openPacketSocket, type PacketSocket } from "../host/sockets/packet_socket.ts";
import { dhcpApi } from "./api_client.ts";
import type { Ask, Told } from "./ask_schema.ts";
import { Contact } from "./contact.ts";
import { dhcpPacket } from "./server/frame.ts";
import { LeaseMemory } from "./memory.ts";
import { answersStill, type Owner } from "./server/arp_probe.ts";
import { probe } from "./server/probe.ts";
import { ServedLinks } from "./server/served_links.ts";
import { DhcpServer } from "./server/server.ts";

/** Ports of servers and of clients (RFC 2131 4.1). */
const SERVER_PORT = 67, CLIENT_PORT = 68;
/** Milliseconds before the api is asked again. */
const RETRY = 500;
/** Milliseconds between two looks at which links are there. */
const LOOK = 250;
/** Milliseconds after which a snapshot of an earlier run counts: the api is not merely starting. */
const AWAY_AFTER = 10_000;
/** Moves that are looked into at the same time; more go by unseen. */
const MOST_MOVES = 16;

/** What dhcpd is started with. */
export interface DhcpdOptions {
  /** The api's socket for us. */
  readonly socket: string;
  /** Where the last snapshot lies. */
  readonly snapshot: string;
  readonly log: Log;
}

/**
 * Starts dhcpd: one socket for each link that the api names, bound to it, so that nothing is ever
 * heard or said elsewhere. Links come and go, by the api's word and by themselves. While the api is
 * away, devices that are known renew from its last snapshot, and others wait.
 */
export function startDhcpd(options: DhcpdOptions): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const api = dhcpApi(options.socket, signal);
  const memory = new LeaseMemory(options.snapshot);
  const sockets = new LinkSockets(SERVER_PORT);
  const open = new Map<
    string,
    { readonly server: DhcpServer; readonly sender: PacketSocket }
  >();
  const links = new ServedLinks({
    open: serve,
    close(link) {
      sockets.close(link);
      const at = open.get(link);
      if (at === undefined) return;
      log.info("dhcp.counters", `What clients on ${link} got`, { link, ...at.server.counts });
      at.sender.close();
      open.delete(link);
    },
    isThere: (link) => open.has(link) ? sockets.isThere(link) : linkIndex(link) !== 0,
    probe: (link) => probeLink(link, signal),
    foreign: api.foreign,
    ending: signal,
    log,
  });
  const moves = new Set<Promise<void>>();
  const contact = new Contact(() => performance.now());
  /** True once a word of the api's was taken. */
  let heard = false;

  async function ask(question: Ask): Promise<Told | null> {
    const { mac, link, kind, wanted } = question;
    const before = memory.placeOf(mac);
    const told = await api.ask(question);
    if (told === null || told.IP !== wanted) return told;
    memory.remember(question, told);
    if (kind === "request" && before !== null && before !== link && links.has(before)) {
      lookBack(before, { mac, address: told.IP });
    }
    return told;
  }

  /** Tells the api of a device that moved and is still where it was. */
  function lookBack(link: string, owner: Owner): void {
    if (moves.size >= MOST_MOVES) return;
    const look = answersOn(link, owner, signal)
      .then((still) => still ? api.stillThere({ mac: owner.mac, link }) : undefined)
      .catch((error) =>
        log.debug("dhcp.move_check_failed", "A move could not be looked into", { link, error })
      )
      .finally(() => moves.delete(look));
    moves.add(look);
  }

  function serve(link: string): void {
    const sender = openPacketSocket(link, "ip");
    try {
      sockets.open(link);
    } catch (error) {
      sender.close();
      throw error;
    }
    const server = new DhcpServer(link, {
      ask,
      remembered: (mac) => memory.of(mac, link),
      mtu: () => linkFacts(link)?.mtu ?? null,
      log: log.warn,
    });
    open.set(link, { server, sender });
  }

  async function read(): Promise<void> {
    while (!signal.aborted) {
      for (const { link, bytes } of await sockets.receive()) {
        const at = open.get(link);
        void at?.server.take(bytes, (answer) =>
          at.sender.send(
            dhcpPacket(answer, { from: SERVER_PORT, to: CLIENT_PORT }),
            answer.mac,
          ));
      }
    }
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const next = await api.snapshot(heard ? memory.snapshot.tag : "");
        if (!contact.counts(memory.snapshot.links, next.links)) {
          await pause(RETRY, signal);
          continue;
        }
        memory.replace(next);
        heard = true;
        links.adapt(memory.snapshot);
      } catch (error) {
        if (signal.aborted) return;
        contact.lost();
        log.debug("ipc.api_unreachable", "The api does not answer", { error });
        await pause(RETRY, signal);
      }
    }
  }

  async function watch(): Promise<void> {
    const started = performance.now();
    while (!signal.aborted) {
      const away = !contact.stands && performance.now() - started >= AWAY_AFTER;
      if (heard || away) links.adapt(memory.snapshot);
      await pause(LOOK, signal);
    }
  }

  const work = memory.read().then(() => Promise.all([read(), follow(), watch()]));
  return {
    async stop() {
      ending.abort();
      await work;
      await links.close();
      await Promise.all(moves);
      await memory.settled();
      sockets.closeAll();
      api.close();
    },
  };
}

/** Looks for another server on a link. Throws Problem when the link cannot be used. */
async function probeLink(link: string, signal: AbortSignal): Promise<string | null> {
  // A firewall that lets no server's answers in does not keep them from being seen.
  const listener = listenForPackets(link, CLIENT_PORT);
  try {
    const sender = openPacketSocket(link, "ip");
    try {
      return await probe({
        send: (message) =>
          sender.send(
            dhcpPacket(message, { from: CLIENT_PORT, to: SERVER_PORT }),
            message.mac,
          ),
        receive: () => listener.receive(),
        clock: () => performance.now(),
      }, signal);
    } finally {
      sender.close();
    }
  } finally {
    listener.close();
  }
}

/** True when a card answers for its address on a link. Throws Problem when the link cannot be used. */
async function answersOn(link: string, owner: Owner, signal: AbortSignal): Promise<boolean> {
  const facts = linkFacts(link);
  if (facts === null) return false;
  const socket = openPacketSocket(link, "arp", true);
  try {
    return await answersStill(
      {
        mac: facts.mac,
        send: (packet, mac) => socket.send(packet, mac),
        receive: () => socket.receive(),
        clock: () => performance.now(),
      },
      owner,
      signal,
    );
  } finally {
    socket.close();
  }
}

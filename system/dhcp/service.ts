import type { Log } from "../core/log.ts";
import { bindSocket, type BoundSocket } from "../host/bound_socket.ts";
import { listenForPackets } from "../host/packet_listener.ts";
import { dhcpApi } from "./api_client.ts";
import type { Ask } from "./ask_schema.ts";
import { LeaseMemory } from "./memory.ts";
import { probe } from "./probe.ts";
import { DhcpServer } from "./server.ts";

/** Ports of servers and of clients (RFC 2131 4.1). */
const SERVER_PORT = 67, CLIENT_PORT = 68;
/** Milliseconds before the api is asked again. */
const RETRY = 500;
/** Milliseconds after which a snapshot of an earlier run counts: the api is not merely starting. */
const AWAY_AFTER = 10_000;

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
 * heard or said elsewhere. Links come and go as the api says. While the api is away, devices that are
 * known renew from its last snapshot, and others wait.
 */
export function startDhcpd(options: DhcpdOptions): { stop(): Promise<void> } {
  const { log } = options;
  const ending = new AbortController();
  const api = dhcpApi(options.socket, ending.signal);
  const memory = new LeaseMemory(options.snapshot);
  const served = new Map<string, BoundSocket>();
  /** Links with another server on them. */
  const silent = new Set<string>();
  const probing = new Set<string>();
  const work = new Set<Promise<void>>();

  function track(job: Promise<void>): void {
    const done = job.finally(() => work.delete(done));
    work.add(done);
  }

  async function ask(question: Ask) {
    const told = await api.ask(question);
    if (told !== null && told.IP === question.wanted) memory.remember(question, told);
    return told;
  }

  function serve(link: string): void {
    const server = new DhcpServer(link, {
      ask,
      remembered: (mac) => memory.of(mac, link),
      log: log.warn,
    });
    const socket = bindSocket(link, SERVER_PORT);
    served.set(link, socket);
    track(read(server, socket));
    log.info(`Leasing addresses on ${link}`, { link });
  }

  async function read(server: DhcpServer, socket: BoundSocket): Promise<void> {
    for (let bytes = await socket.receive(); bytes !== null; bytes = await socket.receive()) {
      void server.take(bytes, (answer, address, port) => socket.send(answer, address, port));
    }
  }

  /** Serves a link unless another server answers there. */
  async function begin(link: string): Promise<void> {
    try {
      const { confirmed } = memory.snapshot;
      const other = confirmed.includes(link) ? null : await probeLink(link, ending.signal);
      if (ending.signal.aborted || !memory.snapshot.links.includes(link)) return;
      if (other !== null && await api.foreign({ link, server: other })) {
        silent.add(link);
        log.warn(`Another DHCP server answers on ${link}, so none of ours does`, {
          link,
          server: other,
        });
      } else serve(link);
    } catch (error) {
      // A link that is configured but not there yet, or an api that is away: tried again.
      log.debug("A link cannot be served yet", { link, error });
    }
  }

  function adapt(): void {
    const { links, confirmed } = memory.snapshot;
    for (const [link, socket] of served) {
      if (links.includes(link)) continue;
      socket.close();
      served.delete(link);
      log.info(`No addresses are leased on ${link} any more`, { link });
    }
    for (const link of silent) {
      if (!links.includes(link) || confirmed.includes(link)) silent.delete(link);
    }
    for (const link of links) {
      if (served.has(link) || silent.has(link) || probing.has(link)) continue;
      probing.add(link);
      track(begin(link).finally(() => probing.delete(link)));
    }
  }

  async function follow(): Promise<void> {
    const started = performance.now();
    await memory.read();
    let heard = false;
    while (!ending.signal.aborted) {
      try {
        const { tag, links } = memory.snapshot;
        // While a link waits to be served it is looked at again soon.
        const idle = heard && links.every((link) => served.has(link) || silent.has(link));
        memory.replace(await api.snapshot(idle ? tag : ""));
        heard = true;
      } catch (error) {
        if (ending.signal.aborted) return;
        log.debug("The api does not answer", { error });
      }
      if (heard || performance.now() - started >= AWAY_AFTER) adapt();
      await pause(RETRY, ending.signal);
    }
  }

  const following = follow();
  return {
    async stop() {
      ending.abort();
      for (const socket of served.values()) socket.close();
      await following;
      await Promise.all(work);
      await memory.settled();
      api.close();
    },
  };
}

/** Looks for another server on a link. Throws Problem when the link cannot be used. */
async function probeLink(link: string, signal: AbortSignal): Promise<string | null> {
  // A firewall that lets no server's answers in does not keep them from being seen.
  const listener = listenForPackets(link, CLIENT_PORT);
  try {
    const socket = bindSocket(link, CLIENT_PORT);
    try {
      return await probe({
        send: socket.send.bind(socket),
        receive: () => listener.receive(),
        clock: () => performance.now(),
      }, signal);
    } finally {
      socket.close();
    }
  } finally {
    listener.close();
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

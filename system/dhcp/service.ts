import type { Log } from "../core/log.ts";
import { Problem } from "../core/problem.ts";
import { bindSocket, type BoundSocket } from "../host/bound_socket.ts";
import type { DhcpAnswer } from "./schema.ts";
import { DhcpServer, type LeaseQuestion } from "./server.ts";

/** Port of servers (RFC 2131 4.1). */
const SERVER_PORT = 67;
/** Milliseconds before the api is asked again after it did not answer. */
const RETRY = 500;
/** Milliseconds after which a request for an address is given up; the client asks again. */
const PATIENCE = 8000;

type ApiInit = RequestInit & { readonly client: Deno.HttpClient };

/** What dhcpd is started with. */
export interface DhcpdOptions {
  /** The api's socket for us. */
  readonly socket: string;
  readonly log: Log;
}

/**
 * Starts dhcpd: one socket for each link that the api names, bound to it, so that nothing is ever
 * heard or said elsewhere. Links come and go as the api says.
 */
export function startDhcpd(options: DhcpdOptions): { stop(): Promise<void> } {
  const { log } = options;
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: options.socket } });
  const ending = new AbortController();
  const served = new Map<string, BoundSocket>();
  const readers = new Set<Promise<void>>();

  async function api(path: string, body?: unknown): Promise<unknown> {
    const late = body === undefined ? [] : [AbortSignal.timeout(PATIENCE)];
    const init: ApiInit = {
      client,
      signal: AbortSignal.any([ending.signal, ...late]),
      ...(body === undefined ? {} : { method: "PUT", body: JSON.stringify(body) }),
    };
    const response = await fetch(`http://127.0.0.1${path}`, init);
    const answer = await response.json();
    if (!response.ok) throw new Problem(response.status, answer.detail);
    return answer;
  }

  function serve(link: string): void {
    const server = new DhcpServer(link, {
      lease: (question: LeaseQuestion) => api("/dhcpRequest", question) as Promise<DhcpAnswer>,
      log: log.warn,
    });
    const socket = bindSocket(link, SERVER_PORT);
    served.set(link, socket);
    const reader = read(server, socket).finally(() => readers.delete(reader));
    readers.add(reader);
    log.info(`Leasing addresses on ${link}`, { link });
  }

  async function read(server: DhcpServer, socket: BoundSocket): Promise<void> {
    for (let bytes = await socket.receive(); bytes !== null; bytes = await socket.receive()) {
      void server.take(bytes, (answer, address, port) => socket.send(answer, address, port));
    }
  }

  async function follow(): Promise<void> {
    let known: readonly string[] = [];
    while (!ending.signal.aborted) {
      try {
        const links = await api(`/downlinks?known=${known.join(",")}`) as string[];
        known = adapt(links);
      } catch (error) {
        if (ending.signal.aborted) return;
        // While the api is away the links that are served stay so; clients that renew wait for it.
        log.debug("The api does not answer yet", { error });
      }
      if (known.length !== served.size) known = [];
      await pause(RETRY, ending.signal);
    }
  }

  function adapt(links: readonly string[]): readonly string[] {
    for (const [link, socket] of served) {
      if (links.includes(link)) continue;
      socket.close();
      served.delete(link);
      log.info(`No addresses are leased on ${link} any more`, { link });
    }
    for (const link of links) {
      if (served.has(link)) continue;
      try {
        serve(link);
      } catch (error) {
        // A link that is configured but not there yet is tried again.
        log.debug("A link cannot be served yet", { link, error });
      }
    }
    return links.filter((link) => served.has(link));
  }

  const following = follow();
  return {
    async stop() {
      ending.abort();
      for (const socket of served.values()) socket.close();
      await following;
      await Promise.all(readers);
      client.close();
    },
  };
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

import { join } from "node:path";
import { Problem } from "../core/errors/problem.ts";
import type { Log } from "../core/log/log.ts";
import { FeedFile, followFeed } from "../core/ipc/feed.ts";
import { pause } from "../core/time/pause.ts";
import { dnsSockets } from "../host/datagrams/dns_sockets.ts";
import { machineClock } from "../host/kernel/machine_clock.ts";
import { udpLimit } from "./codec/response_encoder.ts";
import { dnsApi } from "./config/api_client.ts";
import type { ReplyChannel } from "./resolver/pending_queries.ts";
import { DnsFilter } from "./block/verdict/dns_filter.ts";
import { type FetchDeps, fetchList } from "./block/lists/fetch_list.ts";
import { ListError } from "./block/lists/list_error.ts";
import { invalidSource } from "./block/lists/source.ts";
import { rebinds } from "./block/verdict/verdict.ts";
import { healthIssues, issuesKey } from "./config/health_issues.ts";
import { DEFAULT_LOG_CONFIG } from "./log/schema.ts";
import { LogStore } from "./log/writer/store.ts";
import { Listeners } from "./resolver/listeners.ts";
import { Resolver } from "./resolver/resolver.ts";
import { type DnsSnapshot, SnapshotShape } from "./config/snapshot_schema.ts";
import type { DnsStatus } from "./config/status_schema.ts";
import { StreamServer } from "./resolver/stream_server.ts";
import type { DatagramSocket } from "../core/net/transport.ts";
import { isClockUntrusted } from "./upstream/untrusted_clock.ts";
import { TYPE } from "./codec/constants.ts";

const DNS_PORT = 53;
/** How long listeners stay while the api does not know the addresses yet: longer than its start takes. */
const UNKNOWN_LISTEN_TIMEOUT_MS = 20_000;

/** Interval of health checks; issues that last for two are reported. */
const HEALTH_INTERVAL_MS = 5000;

/** What dnsd is started with. */
export interface DnsdOptions {
  /** The api's socket for dnsd. */
  readonly socket: string;
  /** The folder of dnsd: the last snapshot, block lists, the query log. */
  readonly folder: string;
  readonly log: Log;
  /** Milliseconds before another attempt to open the query log. */
  readonly logRetry?: number;
}

/** dnsd as its sockets serve it. */
export interface Dnsd {
  readonly filter: DnsFilter;
  /** Null while the log cannot be opened. */
  readonly queryLog: () => LogStore | null;
  status(): DnsStatus;
  /** Flushes the cache. */
  flush(): void;
  /**
   * Downloads a text file of at most `maxBytes`, as a block list is downloaded. Throws Problem 502 with the
   * reason.
   */
  download(uri: string, maxBytes: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  stop(): Promise<void>;
}

/**
 * Starts dnsd: answers queries on the addresses of its snapshot. It works from the last snapshot while
 * the api is away, and listens nowhere while the network is not applied.
 */
export async function startDnsd(
  { socket, folder, log, logRetry = 10_000 }: DnsdOptions,
): Promise<Dnsd> {
  const started = Date.now();
  const ending = new AbortController();
  const { signal } = ending;
  const api = dnsApi(socket, signal);
  const file = new FeedFile(join(folder, "snapshot.json"), SnapshotShape);
  let snapshot = await file.read();
  const sockets = dnsSockets(log);
  let apiConnected = false;
  let trusted: readonly string[] = [];
  const fetchDeps = (): FetchDeps => ({
    resolve: addressesOf,
    connect: sockets.upstream.connect,
    isAllowed: (address) =>
      !rebinds(address) && !resolver.isLocalAddress(address) &&
      !snapshot?.routerAddresses?.includes(address),
    extraCaCertificates: trusted,
  });
  const filter = await DnsFilter.open({
    folder: join(folder, "lists"),
    fetch: (options) => fetchList(options, fetchDeps()),
    now: Date.now,
    log,
    isLocal: (name) => resolver.isLocal(name),
    cnameChain: (name, client) => resolver.aliasesOf(name, client),
  });
  let queryLog: LogStore | null = null;
  const resolver = new Resolver({
    network: sockets.upstream,
    clock: machineClock,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    unixNow: Date.now,
    block: () => filter.compiled,
    log: {
      record(query) {
        filter.countQuery(query.verdict === "block");
        queryLog?.record(query);
      },
    },
  });
  const server = new StreamServer(
    (query, out, from, channel) => resolver.handle(query, out, from, channel),
    machineClock,
  );
  const listeners = new Listeners({
    open: (address) => {
      const datagrams = sockets.datagrams(address, DNS_PORT);
      try {
        return { datagrams, streams: sockets.streams(address, DNS_PORT) };
      } catch (error) {
        datagrams.close();
        throw error;
      }
    },
    receive,
    server,
    log,
  });

  async function addressesOf(name: string): Promise<readonly string[]> {
    const found = await resolver.addresses(name);
    return found.length > 0 ? found : await resolver.addresses(name, TYPE.AAAA);
  }

  async function receive(datagrams: DatagramSocket): Promise<void> {
    const channel: ReplyChannel = {
      stream: false,
      limit: udpLimit,
      send: (bytes, to) => bytes === null || datagrams.send(bytes, to),
    };
    await datagrams.receive((query, answer, from) => resolver.handle(query, answer, from, channel));
  }

  function use(next: DnsSnapshot): void {
    snapshot = next;
    trusted = next.trusted;
    resolver.configure(next);
    filter.configure(next.block, next.clients);
    queryLog?.configure(next.log).catch((error) =>
      log.warn("query_log.configure_failed", "The query log could not apply its settings", {
        error,
      })
    );
  }

  async function follow(): Promise<void> {
    let addresses = snapshot?.listen ?? [];
    let unknownSince = performance.now();
    let tag = "";
    if (snapshot !== null) use(snapshot);
    listeners.listen(addresses);
    await followFeed({
      poll: api.snapshot,
      apply(next) {
        apiConnected = true;
        const listen = next.listen ?? addresses;
        if (next.tag !== tag) {
          use(next);
          tag = next.tag;
          file.write({ ...next, listen });
        }
        if (next.listen !== null) unknownSince = performance.now();
        const keepsAddresses = performance.now() - unknownSince < UNKNOWN_LISTEN_TIMEOUT_MS;
        addresses = next.listen ?? (keepsAddresses ? addresses : []);
        // An address that cannot be bound yet is tried again soon.
        return listeners.listen(addresses);
      },
      lost() {
        apiConnected = false;
        tag = "";
        unknownSince = performance.now();
        listeners.listen(addresses);
      },
      log,
      ending: signal,
    });
  }

  /** Reports lasting health issues to the api, and their end. */
  async function reportHealth(): Promise<void> {
    let before = "", reported: string | null = null;
    while (!signal.aborted) {
      await pause(HEALTH_INTERVAL_MS, signal);
      if (!apiConnected) reported = null;
      const issues = [...healthIssues(listeners.errors, resolver.upstreams.state, Date.now())];
      const now = issuesKey(issues);
      const lasts = now === before;
      before = now;
      if (!apiConnected || !lasts || now === reported) continue;
      try {
        await api.reportHealthIssues({ items: issues });
        reported = now;
      } catch {
        // The api is away; it gets the report when it is back.
      }
    }
  }

  async function openQueryLog(): Promise<void> {
    for (let warned = false; !signal.aborted; warned = true) {
      try {
        const store = await LogStore.open({
          path: join(folder, "log.db"),
          config: snapshot?.log ?? DEFAULT_LOG_CONFIG,
          log,
        });
        if (signal.aborted) return await store.close();
        queryLog = store;
        if (snapshot !== null) {
          await store.configure(snapshot.log).catch((error) =>
            log.warn(
              "query_log.configure_failed",
              "The query log could not apply its settings",
              { error },
            )
          );
        }
        return;
      } catch (error) {
        // A full disk or a locked file may pass; queries until then are not logged.
        if (!warned) {
          log.error(
            "query_log.open_failed",
            "The query log cannot be opened: queries are answered but not logged",
            {
              error,
            },
          );
        }
        await pause(logRetry, signal);
      }
    }
  }

  async function download(
    uri: string,
    maxBytes: number,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const problem = invalidSource(uri);
    if (problem !== null) throw new Problem(400, problem);
    const target = join(folder, `download.${crypto.randomUUID()}`);
    try {
      const deps = { ...fetchDeps(), limits: { maxBytes } };
      await fetchList({ uri, target, known: null, signal }, deps);
      const file = await Deno.open(target);
      // What is open is read to its end although it has no name any more.
      await Deno.remove(target);
      return file.readable;
    } catch (error) {
      if (error instanceof ListError) throw new Problem(502, error.message, { cause: error });
      throw error;
    }
  }

  const following = Promise.all([follow(), reportHealth()]);
  const opening = openQueryLog();
  return {
    filter,
    queryLog: () => queryLog,
    status: () => ({
      started,
      apiConnected,
      listening: [...listeners.addresses],
      listenErrors: Object.fromEntries(
        Object.entries(listeners.errors).map(([address, { message }]) => [address, message]),
      ),
      upstreams: resolver.upstreams.state.map(({ name, resolvers }) => ({
        name,
        resolvers: resolvers.map((one) => ({ ...one })),
        clockUntrusted: isClockUntrusted(resolvers),
      })),
      cache: { entries: resolver.cache.entries, bytes: resolver.cache.bytes },
      pending: resolver.lookups.running,
      connections: server.connections,
      counters: { ...resolver.counters },
      unlogged: queryLog?.dropped ?? 0,
    }),
    flush: () => resolver.flush(),
    download,
    async stop() {
      ending.abort();
      server.close();
      await listeners.close();
      resolver.close();
      await following;
      await opening;
      await filter.close();
      await queryLog?.close();
      await file.settled();
      api.close();
    },
  };
}

import { Hono } from "hono";
import { socketApp } from "../../../routes/http/socket_app.ts";
import { dnsBlockSocketRoutes } from "../../../routes/internal/dns_block.ts";
import { sockets } from "../../../system/processes.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { DnsFilter, type DnsFilterDeps } from "../../../system/dns/block/verdict/dns_filter.ts";
import { relayQueryEvents } from "../../../system/dns/log/live/event_relay.ts";
import type { DnsStatus } from "../../../system/dns/config/status_schema.ts";
import { runDnsLog, type RunningLog } from "./query_log.ts";
import type { TestRouter } from "../router.ts";

/** A resolver beside a router, as its sockets show it: its log, its block lists, how it does. */
export interface RunningResolver extends AsyncDisposable {
  readonly log: RunningLog;
}

/** What a resolver beside a router is made of. */
export interface ResolverOptions {
  /** How block lists are fetched. */
  readonly fetch: DnsFilterDeps["fetch"];
  /** How it says that it does; without it nobody answers to that. */
  readonly status?: () => DnsStatus;
}

/** Runs what a resolver has beside its packets, until it is disposed. */
export async function runResolver(
  router: TestRouter,
  { fetch, status }: ResolverOptions,
): Promise<RunningResolver> {
  const paths = sockets(router.home);
  const faults: unknown[] = [];
  const log = await runDnsLog(router.home);
  const blocking = await DnsFilter.open({
    folder: `${router.home}/state/dns/lists`,
    fetch,
    now: Date.now,
    log: { info() {}, warn() {} },
  });
  const follow = () => blocking.configure(router.engine.config.dnsBlock, []);
  follow();
  const unsubscribe = router.bus.subscribe(follow);
  const block = socketApp(dnsBlockSocketRoutes({ filter: blocking }), {
    by: "test",
    log: (error) => faults.push(error),
  });
  const control = new Hono().get("/status", (c) => c.json(status!())).put(
    "/flush",
    () => new Response(null, { headers: { "content-length": "0" } }),
  );
  const servers = [await serveUnix(paths.dnsBlock, (request) => block.fetch(request))];
  if (status !== undefined) {
    servers.push(await serveUnix(paths.dnsControl, (request) => control.fetch(request)));
  }
  const ending = new AbortController();
  const following = relayQueryEvents({
    socket: paths.dnsLog,
    engine: router.engine,
    awaitsConfirm: () => false,
    bus: router.bus,
    ending: ending.signal,
  });
  return {
    log,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await following;
      unsubscribe();
      await Promise.all(servers.map((server) => server.shutdown()));
      await blocking.close();
      await log[Symbol.asyncDispose]();
      if (faults.length > 0) throw new Error("The resolver complained", { cause: faults });
    },
  };
}

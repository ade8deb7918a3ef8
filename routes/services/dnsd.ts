import type { Hono } from "hono";
import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { dnsFolder } from "../../system/dns/process.ts";
import { sockets } from "../../system/processes.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { serveUnix } from "../../system/core/ipc/unix_socket.ts";
import { listenerWatch, type WatchedServer } from "../../system/core/ipc/watched_server.ts";
import { type Dnsd, startDnsd } from "../../system/dns/service.ts";
import { problemAnswer } from "../http/answer.ts";
import { drain } from "../http/front/front.ts";
import { socketApp } from "../http/socket_app.ts";
import { SOCKET_ROUTES } from "../internal.ts";

/** Starts the process `dnsd`: the resolver of the LAN, which reports its health to the api. */
export async function start(settings: Settings): Promise<Running> {
  const own = sockets(settings.home);
  const log = standardLog("dnsd");
  const failed = (error: unknown): void =>
    log.error("http.request_failed", "A request failed inside", { error });
  const dnsd = await startDnsd({ socket: own.dns, folder: dnsFolder(settings.home), log });
  const watch = listenerWatch(log);
  const servers: WatchedServer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map(drain));
    await dnsd.stop();
  };
  try {
    const options = { by: "dns", log: failed };
    const control = socketApp(SOCKET_ROUTES.dnsControl(dnsd), options);
    const block = socketApp(SOCKET_ROUTES.dnsBlock(dnsd), options);
    servers.push(
      await serveUnix(own.dnsControl, (request) => control.fetch(request), watch),
      await serveUnix(own.dnsBlock, (request) => block.fetch(request), watch),
      await serveUnix(own.dnsLog, logHandler(dnsd, failed), watch),
    );
    // One that was put there before its teller could reach us.
    dnsd.filter.lists.checkUploads();
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** The app of the query log, once that is open. */
function logHandler(
  dnsd: Dnsd,
  log: (error: unknown) => void,
): (request: Request) => Response | Promise<Response> {
  let app: Hono | null = null;
  return (request) => {
    const store = dnsd.queryLog();
    if (store === null) return problemAnswer(new Problem(503, "The query log cannot be used now"));
    app ??= socketApp(SOCKET_ROUTES.dnsLog({ store, now: Date.now }), { by: "dns", log });
    return app.fetch(request);
  };
}

import { join } from "node:path";
import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { serveUnix } from "../../system/core/ipc/unix_socket.ts";
import { listenerWatch } from "../../system/core/ipc/watched_server.ts";
import { lookupFolder } from "../../system/lookup/process.ts";
import { startLookup } from "../../system/lookup/service.ts";
import { sockets } from "../../system/processes.ts";
import { drain } from "../http/front/front.ts";
import { socketApp } from "../http/socket_app.ts";
import { SOCKET_ROUTES } from "../internal.ts";

/** Starts the process `lookup`: networks, countries and vendors of addresses. */
export async function start(settings: Settings): Promise<Running> {
  const log = standardLog("lookup");
  const lookup = await startLookup({
    folder: lookupFolder(settings.home),
    packages: join(settings.root, "node_modules"),
    log,
  });
  const app = socketApp(SOCKET_ROUTES.lookup(lookup), {
    by: "lookup",
    log: (error) => log.error("http.request_failed", "A request failed inside", { error }),
  });
  try {
    const server = await serveUnix(
      sockets(settings.home).lookup,
      (request) => app.fetch(request),
      listenerWatch(log),
    );
    return {
      async stop() {
        await drain(server);
        await lookup.stop();
      },
    };
  } catch (error) {
    await lookup.stop();
    throw error;
  }
}

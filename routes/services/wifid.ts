import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { serveUnix } from "../../system/core/ipc/unix_socket.ts";
import { listenerWatch } from "../../system/core/ipc/watched_server.ts";
import { sockets } from "../../system/processes.ts";
import { hostapdFolder, wifiFolder } from "../../system/wifi/process.ts";
import { startWifid } from "../../system/wifi/service.ts";
import { drain } from "../http/front/front.ts";
import { socketApp } from "../http/socket_app.ts";
import { SOCKET_ROUTES } from "../internal.ts";

/** Starts the process `wifid`: the radios that are access points. */
export async function start(settings: Settings): Promise<Running> {
  const own = sockets(settings.home);
  const log = standardLog("wifid");
  const wifid = await startWifid({
    socket: own.wifi,
    folder: wifiFolder(settings.home),
    hostapdFolder: hostapdFolder(settings),
    log,
  });
  const app = socketApp(SOCKET_ROUTES.wifiControl(wifid), {
    by: "wifi",
    log: (error) => log.error("http.request_failed", "A request failed inside", { error }),
  });
  try {
    const server = await serveUnix(
      own.wifiControl,
      (request) => app.fetch(request),
      listenerWatch(log),
    );
    return {
      async stop() {
        await drain(server);
        await wifid.stop();
      },
    };
  } catch (error) {
    await wifid.stop();
    throw error;
  }
}

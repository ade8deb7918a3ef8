import { serveUnix } from "../../system/core/ipc/unix_socket.ts";
import { listenerWatch } from "../../system/core/ipc/watched_server.ts";
import { standardLog } from "../../system/core/log/log.ts";
import type { Running } from "../../system/core/process/lifetime.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { startMesh } from "../../system/mesh/service.ts";
import { sockets } from "../../system/processes.ts";
import { drain } from "../http/front/front.ts";
import { socketApp } from "../http/socket_app.ts";
import { SOCKET_ROUTES } from "../internal.ts";

/** Starts the process `mesh`: leaf routers of a parent, or the parent of a leaf. */
export async function start(settings: Settings): Promise<Running> {
  const own = sockets(settings.home);
  const log = standardLog("mesh");
  const mesh = startMesh({ socket: own.mesh, log });
  const app = socketApp(SOCKET_ROUTES.meshControl(mesh), {
    by: "mesh",
    log: (error) => log.error("http.request_failed", "A request failed inside", { error }),
  });
  try {
    const server = await serveUnix(
      own.meshControl,
      (request) => app.fetch(request),
      listenerWatch(log),
    );
    return {
      async stop() {
        await drain(server);
        await mesh.stop();
      },
    };
  } catch (error) {
    await mesh.stop();
    throw error;
  }
}

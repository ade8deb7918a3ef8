import { standardLog } from "../../system/core/log/log.ts";
import type { Running } from "../../system/core/process/lifetime.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { startPlugind } from "../../system/plugins/deno/service.ts";
import { sockets } from "../../system/processes.ts";

/** Starts the process `plugind`: runs approved Deno plugins. */
export function start({ home }: Settings): Promise<Running> {
  return startPlugind({
    home,
    socket: sockets(home).plugind,
    log: standardLog("plugind"),
    logOf: (name) => standardLog(`plugin:${name}`),
  });
}

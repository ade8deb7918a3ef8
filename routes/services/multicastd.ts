import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import { sockets } from "../../system/processes.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { startMulticastd } from "../../system/multicast/service.ts";

/** Starts the process `multicastd`: reflects multicast between LAN interfaces. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(startMulticastd({
    socket: sockets(settings.home).multicast,
    log: standardLog("multicastd"),
  }));
}

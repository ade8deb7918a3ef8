import { startNotifyd } from "../../system/alerts/delivery/service.ts";
import { standardLog } from "../../system/core/log/log.ts";
import type { Running } from "../../system/core/process/lifetime.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { sockets } from "../../system/processes.ts";

/** Starts the process `notifyd`: sends alerts to the channels. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(startNotifyd({
    socket: sockets(settings.home).notify,
    log: standardLog("notifyd"),
  }));
}

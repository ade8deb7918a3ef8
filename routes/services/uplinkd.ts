import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import { pppFolder } from "../../system/uplink/process.ts";
import { sockets } from "../../system/processes.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { startUplinkd } from "../../system/uplink/service.ts";

/** Starts the process `uplinkd`: DHCP clients, PPPoE connections and health checks of the uplinks. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(startUplinkd({
    socket: sockets(settings.home).uplink,
    pppFolder: pppFolder(settings),
    log: standardLog("uplinkd"),
  }));
}

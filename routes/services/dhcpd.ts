import type { Running } from "../../system/core/process/lifetime.ts";
import { standardLog } from "../../system/core/log/log.ts";
import { dhcpSnapshot } from "../../system/dhcp/process.ts";
import { sockets } from "../../system/processes.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { startDhcpd } from "../../system/dhcp/service.ts";

/** Starts the process `dhcpd`: leases addresses to the clients of every downlink. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(startDhcpd({
    socket: sockets(settings.home).dhcp,
    snapshot: dhcpSnapshot(settings.home),
    log: standardLog("dhcpd"),
  }));
}

import { standardLog } from "../../system/core/log/log.ts";
import type { Running } from "../../system/core/process/lifetime.ts";
import type { Settings } from "../../system/core/process/settings.ts";
import { sockets } from "../../system/processes.ts";
import { tunnelFolder } from "../../system/wireguard/process.ts";
import { startWireguard } from "../../system/wireguard/service.ts";

/** Starts the process `wireguard`: the tunnels of the VPN. */
export function start(settings: Settings): Promise<Running> {
  return Promise.resolve(startWireguard({
    socket: sockets(settings.home).tunnels,
    folder: tunnelFolder(settings),
    log: standardLog("wireguard"),
  }));
}

import { join } from "node:path";
import { api } from "./api/process.ts";
import type { ProcessDescriptor, StateFolder } from "./core/process/descriptor.ts";
import { LAUNCHER_SOCKET } from "./core/process/control.ts";
import { dhcpd } from "./dhcp/process.ts";
import { dnsd } from "./dns/process.ts";
import { install } from "./install/process.ts";
import { multicastd } from "./multicast/process.ts";
import { netd } from "./network/process.ts";
import { uplinkd } from "./uplink/process.ts";

/** Paths of every internal socket below `state/`. */
const SOCKETS = {
  launcher: LAUNCHER_SOCKET,
  ...netd.sockets,
  ...api.sockets,
  ...dhcpd.sockets,
  ...dnsd.sockets,
  ...multicastd.sockets,
  ...uplinkd.sockets,
} as const;

/** Absolute paths of the internal sockets. */
export type Sockets = Readonly<Record<keyof typeof SOCKETS, string>>;

/** Where each internal socket lies in a live tree. */
export function sockets(home: string): Sockets {
  const paths = Object.entries(SOCKETS).map(([name, path]) => [name, join(home, "state", path)]);
  return Object.fromEntries(paths);
}

/** The processes of Sluice, in the order in which the launcher starts them. */
export const PROCESSES: readonly ProcessDescriptor[] = [
  install,
  netd,
  withEverySocket(api),
  dhcpd,
  dnsd,
  multicastd,
  uplinkd,
];

/** Names that `SLUICE_SERVICES` accepts. */
export const SERVICES: readonly string[] = PROCESSES.filter(({ optional }) => optional)
  .map(({ name }) => name);

/** Folders below `state/` that the processes share or keep to themselves. */
export const STATE_FOLDERS: readonly StateFolder[] = PROCESSES.flatMap(({ folders }) => folders);

/** The api listens or calls on every internal socket. */
function withEverySocket(process: ProcessDescriptor): ProcessDescriptor {
  return {
    ...process,
    permissions: (settings) => {
      const own = process.permissions(settings);
      const unix = Object.values(sockets(settings.home)).map((path) => `unix:${path}`);
      return { ...own, net: own.net === true ? true : [...own.net, ...unix] };
    },
  };
}

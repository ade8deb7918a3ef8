import { join } from "node:path";
import { notifyd } from "./alerts/delivery/process.ts";
import { api } from "./api/process.ts";
import type { ProcessDescriptor, ProcessSocket, StateFolder } from "./core/process/descriptor.ts";
import { LAUNCHER_SOCKET } from "./core/process/control.ts";
import { dhcpd } from "./dhcp/process.ts";
import { dnsd } from "./dns/process.ts";
import { install } from "./install/process.ts";
import { lookup } from "./lookup/process.ts";
import { mesh } from "./mesh/process.ts";
import { multicastd } from "./multicast/process.ts";
import { netd } from "./network/process.ts";
import { plugind } from "./plugins/deno/process.ts";
import { uplinkd } from "./uplink/process.ts";
import { wifid } from "./wifi/process.ts";
import { wireguard } from "./wireguard/process.ts";

/** The descriptors, in the order in which the launcher starts the processes. */
const DESCRIPTORS = [
  ...[install, netd, api, dhcpd, dnsd] as const,
  ...[multicastd, uplinkd, wifid, wireguard, lookup] as const,
  ...[notifyd, plugind, mesh] as const,
] as const;

type SocketsOf<P> = P extends { readonly sockets: infer S } ? S : never;
type NamesOf<S> = S extends unknown ? keyof S : never;
type HttpNamesOf<S, By> = S extends unknown
  ? { [N in keyof S]: S[N] extends { readonly http: { readonly by: By } } ? N : never }[keyof S]
  : never;
type OwnSockets = SocketsOf<(typeof DESCRIPTORS)[number]>;

/** Name of an internal socket. */
export type SocketName = "launcher" | NamesOf<OwnSockets>;

/** Processes that respond to HTTP on sockets of their own. */
type Server = NonNullable<ProcessSocket["http"]>["by"];

/** Name of an internal socket that the process responds to with HTTP. */
export type HttpSocketName<By extends Server = Server> = HttpNamesOf<
  OwnSockets,
  By
>;

const SOCKETS: Readonly<Record<SocketName, ProcessSocket>> = Object.assign(
  { launcher: { path: LAUNCHER_SOCKET } },
  ...DESCRIPTORS.map((process) => process.sockets),
);

/** Absolute paths of the internal sockets. */
export type Sockets = Readonly<Record<SocketName, string>>;

/** Where each internal socket lies in a live tree. */
export function sockets(home: string): Sockets {
  const paths = Object.entries(SOCKETS).map(([name, socket]) =>
    [name, join(home, "state", socket.path)] as const
  );
  return Object.fromEntries(paths) as Record<SocketName, string>;
}

/** The internal sockets that respond to HTTP, by the name of their API document. */
export const HTTP_SOCKETS: ReadonlyMap<
  string,
  { readonly name: HttpSocketName } & NonNullable<ProcessSocket["http"]>
> = new Map(
  Object.entries(SOCKETS).flatMap(([name, { http }]) =>
    http ? [[documentName(name), { name: name as HttpSocketName, ...http }] as const] : []
  ).sort(([a], [b]) => a < b ? -1 : 1),
);

/** `dnsBlock` is documented as `dns-block`. */
function documentName(socket: string): string {
  return socket.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The processes of Sluice, in the order in which the launcher starts them. */
export const PROCESSES: readonly ProcessDescriptor[] = DESCRIPTORS.map((process) =>
  process === api ? withEverySocket(api) : process
);

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

import { isAbsolute, join } from "node:path";
import { NOTIFY_SOCKET, ROOT_SOCKETS, TOOL_FOLDERS } from "./machine_paths.ts";
import { SECRET_VARIABLES, type Settings, VARIABLES } from "./settings.ts";

/** Permission lists of Deno. An empty list grants nothing, `true` everything. */
export interface Permissions {
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** `true`: every address, since no list can name all of IPv6. */
  readonly net: readonly string[] | true;
  readonly run: readonly string[];
  readonly ffi: readonly string[];
  readonly env: readonly string[];
  /** Facts about the machine. `true` since `umask` cannot be named on the command line. */
  readonly sys: readonly string[] | true;
}

/** A folder below `state/` of the live tree. */
export interface StateFolder {
  readonly path: string;
  /** User and group that an installed router gives it (mode 2770); absent: the api's alone. */
  readonly owner?: { readonly user: string; readonly group: string };
  /** Only who made a file in it may put another in its place (mode 3770); default no. */
  readonly sticky?: boolean;
}

/** A unix socket that processes of Sluice talk through. */
export interface ProcessSocket {
  /** Below `state/`. */
  readonly path: string;
  /** Of its API document, where it responds to HTTP; `by`: the process that listens. */
  readonly http?: {
    readonly by: "api" | "dnsd" | "wifid" | "lookup" | "mesh";
    readonly title: string;
    readonly description: string;
  };
}

/** A Debian package that a process needs, and the reason that operators read. */
export interface Package {
  readonly name: string;
  readonly reason: string;
}

/** The account that a process runs as. */
export interface Account {
  readonly user: string;
  readonly group: string;
  /**
   * Numbers user and group where the launcher runs it and they have no names (see
   * {@link import("./accounts.ts").FIRST_ID}): its own, for good, since files keep it.
   */
  readonly number: number;
  /** Supplementary groups. */
  readonly memberOf?: readonly string[];
}

/** How systemd runs a process, beyond what holds for all of them. */
export interface UnitDescriptor {
  readonly account: Account;
  /** Ordering: units that start before it, and after it. */
  readonly after: readonly string[];
  readonly before?: readonly string[];
  readonly restart: "always" | "on-failure";
  readonly capabilities: readonly string[];
  readonly addressFamilies: readonly string[];
  /** Folders that it may write to. */
  readonly writable: readonly string[];
  /** Default: systemd's. */
  readonly maxOpenFiles?: number;
  /** Devices that it opens; default none. */
  readonly devices?: readonly string[];
  /** It reads the process table; default no. */
  readonly seesProcesses?: boolean;
  /** It writes to `/proc/sys`; default no. */
  readonly writesSysctls?: boolean;
  /** Its child processes outlive it; default no. */
  readonly keepsChildren?: boolean;
  /**
   * It has files that only it may replace: what acts as root reads them. Below `state/` the owner of
   * the parent folder could put others in their place.
   */
  readonly privateState?: boolean;
  /** Permissions that cannot be known before systemd has read `/etc/default/sluice`. */
  readonly permissions?: Partial<Permissions>;
}

/**
 * One process: what it is for, what it may do, and how it is started. The launcher's flags, the
 * systemd units, users and folders are all derived from it.
 */
export interface ProcessDescriptor {
  readonly name: string;
  /** What it does, in a few words; without a colon, since the list of users cannot hold one. */
  readonly purpose: string;
  /** `SLUICE_SERVICES` chooses whether it runs. */
  readonly optional: boolean;
  /**
   * `always`: restarted whenever it ends; `onDemand`: the same, once the api has requested it;
   * `once`: does its work and ends.
   */
  readonly runs: "always" | "onDemand" | "once";
  /** The launcher starts it only after that process has ended. */
  readonly startsAfter?: string;
  /** The launcher starts it at its own start. */
  readonly autostart: (settings: Settings) => boolean;
  /** Receives the secrets of the settings. */
  readonly secrets?: boolean;
  /** Seconds without a sign of life after which it is ended and restarted, once it has started. Default 60. */
  readonly maxSilence?: number;
  /** Flags of V8. */
  readonly engineFlags?: readonly string[];
  /** In addition to the program files and the environment variables of every process. */
  readonly permissions: (settings: Settings) => Permissions;
  /** Sockets of the systemd units that act as root for it. */
  readonly rootSockets?: readonly (keyof typeof ROOT_SOCKETS)[];
  readonly folders: readonly StateFolder[];
  /** Its unix sockets by name. */
  readonly sockets: Readonly<Record<string, ProcessSocket>>;
  readonly packages: readonly Package[];
  /** Null: systemd has no unit for it. */
  readonly unit: UnitDescriptor | null;
  /** Where the launcher runs it, beside those of its unit; those that the launcher has. */
  readonly capabilities?: readonly string[];
}

/** True where the configuration may be applied to this machine. */
export function mayApply({ network }: Pick<Settings, "network">): boolean {
  return network !== "off";
}

/**
 * V8 flags of a process that makes much garbage beside little that stays: room for young objects in
 * megabytes (16 by default), and how much the heap may grow before it is collected, in percent of
 * what stayed (up to 300 by default). With a thousand devices half of the memory, for some five percent
 * of the processor time.
 */
export const SMALL_HEAP: readonly string[] = [
  "--max-semi-space-size=4",
  "--heap-growing-percent=50",
];

/** The same for a process that has little to do. */
export const QUIET_HEAP: readonly string[] = [
  "--max-semi-space-size=1",
  "--heap-growing-percent=50",
];

/** Environment variables that libsql and packages that look for a colour terminal read. */
export const LIBRARY_VARIABLES = ["LIBSQL_JS_DEV", "NODE_ENV", "NO_COLOR", "FORCE_COLOR", "TERM"];

/** The base of a process's permissions: none. */
export const NO_PERMISSIONS: Permissions = {
  read: [],
  write: [],
  net: [],
  run: [],
  ffi: [],
  env: [],
  sys: [],
};

/** Host that fetch through a unix socket is granted by, besides the socket. */
export const UNIX_FETCH_HOST = "127.0.0.1:80";

/** The permissions of a process that calls a socket of the api, and has these files and folders. */
export function socketPermissions(socket: string, files: readonly string[] = []): Permissions {
  const paths = [socket, ...files];
  return { ...NO_PERMISSIONS, read: paths, write: paths, net: [`unix:${socket}`, UNIX_FETCH_HOST] };
}

/** Every path of a tool; an absolute path stands for itself. */
function toolPaths(tool: string): readonly string[] {
  return isAbsolute(tool) ? [tool] : TOOL_FOLDERS.map((folder) => join(folder, tool));
}

/** Everything that a process may do under these settings; tools by each of their paths. */
export function grantedPermissions(process: ProcessDescriptor, settings: Settings): Permissions {
  const own = process.permissions(settings);
  const root = [
    ...(process.rootSockets ?? []).map((name) => ROOT_SOCKETS[name]),
    // A datagram is sent from a socket of one's own.
    ...(settings.watchdog === null ? [] : [NOTIFY_SOCKET, settings.watchdog]),
  ];
  return {
    read: [settings.root, ...own.read, ...root],
    // Connecting to a socket needs write permission for its file.
    write: [...own.write, ...root],
    net: own.net === true ? true : [...own.net, ...root.map((path) => `unix:${path}`)],
    run: own.run.flatMap(toolPaths),
    ffi: own.ffi,
    env: [...VARIABLES, ...SECRET_VARIABLES, ...own.env],
    sys: own.sys,
  };
}

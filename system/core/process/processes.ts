import { join } from "node:path";
import { formatListener, SECRET_VARIABLES, type Settings, VARIABLES } from "./settings.ts";

/** The processes that this version has. */
export const PROCESSES = [
  "install",
  "netd",
  "api",
  "dhcpd",
  "dnsd",
  "multicastd",
  "uplinkd",
] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** What a process may do: the permission lists of Deno. An empty list grants nothing, `true` all. */
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

/**
 * How the launcher treats a process. `always`: runs from the start; `asked`: runs when the api asks
 * for it, or from the start when the network is applied in any case; `once`: does its work and ends.
 */
export interface ProcessDescription {
  readonly name: ProcessName;
  readonly runs: "always" | "asked" | "once";
  /** Starts only after that process has ended. */
  readonly after: ProcessName | null;
  /** Whether the launcher starts it by itself. */
  readonly atStart: boolean;
  /** Is told the secrets of the settings. */
  readonly secrets: boolean;
  /** Flags of the engine (V8) below Deno; default none. */
  readonly engine?: readonly string[];
  readonly permissions: Permissions;
}

/** Folders below `state/` and who enters them: each pair of processes that talks shares one. */
export const STATE_FOLDERS = [
  "api",
  "console",
  "devices",
  "dhcp",
  "dns",
  "dns/lists",
  "launcher",
  "logs",
  "multicast",
  "net",
  "plugins/superd",
  "plugins/wireguard",
  "uplink",
  "wifi",
] as const;

/** Paths of the internal sockets, by what listens on them. */
export interface Sockets {
  /** The launcher: start, stop and restart of processes. */
  readonly launcher: string;
  readonly netd: string;
  /** The api's own, for hostapd's side, dhcpd, WireGuard, superd's clients and event readers. */
  readonly wifi: string;
  readonly dhcp: string;
  /** The api's own, for dnsd. */
  readonly dns: string;
  readonly multicast: string;
  readonly uplink: string;
  readonly wireguard: string;
  readonly superd: string;
  readonly events: string;
  /** The api's own, for root on the router itself. */
  readonly console: string;
  /** dnsd's own: its state, and what it knows of block lists and of queries. */
  readonly dnsControl: string;
  readonly dnsBlock: string;
  readonly dnsLog: string;
}

/** Where each internal socket lies in a live tree. */
export function sockets(home: string): Sockets {
  const state = join(home, "state");
  return {
    launcher: join(state, "launcher/control.sock"),
    netd: join(state, "net/netd.sock"),
    wifi: join(state, "wifi/apisock"),
    dhcp: join(state, "dhcp/apisock"),
    dns: join(state, "dns/apisock"),
    multicast: join(state, "multicast/socket"),
    uplink: join(state, "uplink/socket"),
    wireguard: join(state, "plugins/wireguard/apisock"),
    superd: join(state, "plugins/superd/socket"),
    events: join(state, "api/eventbus.sock"),
    console: join(state, "console/api.sock"),
    dnsControl: join(state, "dns/control"),
    dnsBlock: join(state, "dns/dns_block_plugin"),
    dnsLog: join(state, "dns/dns_log_plugin"),
  };
}

/** The last applied ruleset, which the next boot loads. It is there unless ours was released. */
export function bootRuleset(home: string): string {
  return join(home, "state/net/boot.nft");
}

/** The newest lines of all processes, where a launcher runs them. */
export function logFile(home: string): string {
  return join(home, "state/logs/sluice.jsonl");
}

/** What dhcpd goes on from while the api is away. */
export function dhcpSnapshot(home: string): string {
  return join(home, "state/dhcp/snapshot.json");
}

/** The folder of dnsd: sockets, the last snapshot, block lists and the query log. */
export function dnsFolder(home: string): string {
  return join(home, "state/dns");
}

/** What pppd reads: uplinkd's alone, since it holds the secrets of access accounts. */
export function pppFolder(home: string): string {
  return join(home, "state/uplink/ppp");
}

/** Folders in which Debian keeps the tools that netd runs; links are not followed by the permission. */
const TOOL_FOLDERS = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const UPLINK_TOOLS = ["udhcpc", "pppd", "curl", "ps", "kill"];
const NETD_TOOLS = [
  ...["nft", "ip", "tc", "conntrack", "sysctl"],
  // List sockets and processes; the others set the clock.
  ...["ss", "ps", "chronyc", "timedatectl"],
];

/** Where a container engine listens, if there is one: only netd asks it, and only to read. */
export const DOCKER_SOCKET = "/run/docker.sock";

/**
 * Where units of systemd listen that have root do one thing each, for processes without such rights:
 * set the clock anew (asked by netd), restart all processes and tell which run (by the api).
 */
export const ROOT_SOCKETS = {
  clock: "/run/sluice/clock.sock",
  restart: "/run/sluice/restart.sock",
  status: "/run/sluice/status.sock",
} as const;

/** The socket of systemd's journal: it is there where a journal is kept. */
export const JOURNAL_SOCKET = "/run/systemd/journal/socket";

/** Where libnftables lies on the architectures and systems that Deno runs on. */
const LIBNFTABLES = [
  "/usr/lib/x86_64-linux-gnu/libnftables.so.1",
  "/usr/lib/aarch64-linux-gnu/libnftables.so.1",
  "/usr/lib64/libnftables.so.1",
  "/usr/lib/libnftables.so.1",
];

/** The C library, for sockets that are bound to one interface. */
const LIBC = [
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/usr/lib/x86_64-linux-gnu/libc.so.6",
  "/lib/aarch64-linux-gnu/libc.so.6",
  "/usr/lib/aarch64-linux-gnu/libc.so.6",
  "/lib64/libc.so.6",
  "/usr/lib64/libc.so.6",
  "/usr/lib/libc.so.6",
];

/** Asked for by libsql and by packages that look for a colour terminal. */
const API_ENV = ["LIBSQL_JS_DEV", "NODE_ENV", "NO_COLOR", "FORCE_COLOR", "TERM"];

/** The table of processes under these settings. */
export function processTable(settings: Settings): readonly ProcessDescription[] {
  const applied = settings.network !== "off";
  return [
    {
      name: "install",
      runs: "once",
      after: null,
      // `off` with `none` needs no Debian package, so there is nothing to look for.
      atStart: applied || settings.services.length > 0,
      secrets: false,
      permissions: installPermissions(settings),
    },
    {
      name: "netd",
      runs: "asked",
      after: "install",
      atStart: settings.network === "on",
      secrets: false,
      permissions: netdPermissions(settings),
    },
    {
      name: "api",
      runs: "always",
      after: null,
      atStart: true,
      secrets: true,
      permissions: apiPermissions(settings),
    },
    {
      name: "dhcpd",
      runs: "always",
      after: null,
      // It serves what the api names; on a model the api names nothing.
      atStart: applied && settings.services.includes("dhcpd"),
      secrets: false,
      permissions: dhcpdPermissions(settings),
    },
    {
      name: "dnsd",
      runs: "always",
      after: null,
      // It listens where the api says; on a model the api names nothing.
      atStart: applied && settings.services.includes("dnsd"),
      secrets: false,
      // Megabytes for what is new: of what questions leave behind nearly nothing lives, and a larger
      // room for it, 16 by default, costs memory and saves no time.
      engine: ["--max-semi-space-size=2"],
      permissions: dnsdPermissions(settings),
    },
    {
      name: "multicastd",
      runs: "always",
      after: null,
      // It joins what the api names; on a model the api names nothing.
      atStart: applied && settings.services.includes("multicastd"),
      secrets: false,
      permissions: multicastdPermissions(settings),
    },
    {
      name: "uplinkd",
      runs: "always",
      after: "install",
      // It starts clients on what the api names; on a model the api names nothing.
      atStart: applied && settings.services.includes("uplinkd"),
      secrets: false,
      permissions: uplinkdPermissions(settings),
    },
  ];
}

function common(): readonly string[] {
  return [...VARIABLES, ...SECRET_VARIABLES];
}

function apiPermissions(settings: Settings): Permissions {
  const { home, root, database } = settings;
  const own = sockets(home);
  const unix = Object.values(own).map((path) => `unix:${path}`);
  const remote = database === null ? [] : [new URL(database).host];
  return {
    // Whether there is a journal.
    read: [root, home, JOURNAL_SOCKET],
    write: [join(home, "configs"), join(home, "state")],
    net: [
      listenGrant(settings.http),
      listenGrant(settings.https),
      // fetch through a unix socket is granted by the host of its URL as well.
      "127.0.0.1:80",
      ...unix,
      ...remote,
    ],
    run: TOOL_FOLDERS.map((folder) => join(folder, "journalctl")),
    ffi: [join(root, "node_modules")],
    env: [...common(), ...API_ENV],
    sys: true,
  };
}

function netdPermissions(settings: Settings): Permissions {
  const { home, root } = settings;
  const folder = join(home, "state/net");
  return {
    read: [root, folder, DOCKER_SOCKET, ...LIBNFTABLES],
    // To speak on a socket is to write to its file.
    write: [folder, DOCKER_SOCKET],
    net: [`unix:${sockets(home).netd}`, `unix:${DOCKER_SOCKET}`],
    run: NETD_TOOLS.flatMap((tool) => TOOL_FOLDERS.map((path) => join(path, tool))),
    ffi: [...LIBNFTABLES, ...LIBC],
    env: common(),
    sys: true,
  };
}

function dhcpdPermissions(settings: Settings): Permissions {
  const { home, root } = settings;
  const { dhcp } = sockets(home);
  const snapshot = dhcpSnapshot(home);
  // A file is written beside its place first.
  const files = [snapshot, `${snapshot}.new`];
  return {
    read: [root, dhcp, ...files],
    write: [dhcp, ...files],
    // fetch through a unix socket is granted by the host of its URL as well.
    net: [`unix:${dhcp}`, "127.0.0.1:80"],
    run: [],
    ffi: LIBC,
    env: common(),
    sys: [],
  };
}

function dnsdPermissions(settings: Settings): Permissions {
  const { home, root } = settings;
  const folder = dnsFolder(home);
  return {
    read: [root, folder],
    write: [folder],
    // It asks whatever resolvers people name, and fetches block lists.
    net: true,
    run: [],
    ffi: [join(root, "node_modules"), ...LIBC],
    env: [...common(), ...API_ENV],
    sys: true,
  };
}

function multicastdPermissions(settings: Settings): Permissions {
  const { multicast } = sockets(settings.home);
  return {
    read: [settings.root, multicast],
    write: [multicast],
    // fetch through a unix socket is granted by the host of its URL as well.
    net: [`unix:${multicast}`, "127.0.0.1:80"],
    run: [],
    ffi: LIBC,
    env: common(),
    sys: [],
  };
}

function uplinkdPermissions(settings: Settings): Permissions {
  const { home, root } = settings;
  const { uplink } = sockets(home);
  const folder = pppFolder(home);
  return {
    read: [root, uplink, folder],
    write: [uplink, folder],
    // fetch through a unix socket is granted by the host of its URL as well.
    net: [`unix:${uplink}`, "127.0.0.1:80"],
    run: UPLINK_TOOLS.flatMap((tool) => TOOL_FOLDERS.map((path) => join(path, tool))),
    ffi: LIBC,
    env: common(),
    // What it started itself it tells by its own user.
    sys: ["uid"],
  };
}

function installPermissions(settings: Settings): Permissions {
  return {
    read: [settings.root],
    write: [],
    net: [],
    run: ["/usr/bin/apt-get", "/usr/bin/dpkg-query"],
    ffi: [],
    env: common(),
    sys: ["uid"],
  };
}

/** A port of 0 is chosen by the kernel, so that only the address can be named. */
function listenGrant(listener: Settings["http"]): string {
  return listener.port === 0
    ? formatListener(listener).replace(/:0$/, "")
    : formatListener(listener);
}

import { join } from "node:path";
import {
  LIBRARY_VARIABLES,
  NO_PERMISSIONS,
  type ProcessDescriptor,
  SMALL_HEAP,
  UNIX_FETCH_HOST,
} from "../core/process/descriptor.ts";
import { JOURNAL_SOCKET } from "../core/process/machine_paths.ts";
import { pluginLinks } from "../plugins/deno/run_arguments.ts";
import { dnsd } from "../dns/process.ts";
import { lookup } from "../lookup/process.ts";
import { netd } from "../network/process.ts";
import { formatListener, type Listener } from "../core/process/settings.ts";

/** Sockets of other processes that it connects to by itself; to the others by fetch. */
const CALLED = [
  netd.sockets.netd.path,
  lookup.sockets.lookup.path,
  dnsd.sockets.dnsLog.path,
];

/** api: the HTTP API, the admin UI and the configuration engine. */
export const api = {
  name: "api",
  purpose: "API and admin UI",
  optional: false,
  runs: "always",
  autostart: () => true,
  secrets: true,
  engineFlags: SMALL_HEAP,
  permissions: ({ home, root, http, https, database }) => ({
    ...NO_PERMISSIONS,
    // Whether there is a journal; which ports sshd has.
    read: [home, JOURNAL_SOCKET, "/etc/ssh/sshd_config", "/etc/ssh/sshd_config.d"],
    write: [join(home, "configs"), join(home, "state")],
    net: [
      listenGrant(http),
      listenGrant(https),
      UNIX_FETCH_HOST,
      ...CALLED.map((path) => `unix:${join(home, "state", path)}`),
      // The sockets of plugins are reached by links, since no list can name those that will be added.
      ...pluginLinks(home).map((path) => `unix:${path}`),
      // Connections are relayed to Deno's server, on a port of the loopback interface.
      "127.0.0.1",
      // The only host that it connects to: what the history is sent to.
      ...(database === null ? [] : [hostAndPort(database)]),
    ],
    // What is installed is for GET /packages, and for the preview of the first apply.
    run: ["journalctl", "/usr/bin/dpkg-query"],
    ffi: [join(root, "node_modules")],
    env: LIBRARY_VARIABLES,
    sys: true,
  }),
  rootSockets: ["restart", "status"],
  folders: [
    { path: "api" },
    { path: "console" },
    { path: "devices" },
    { path: "launcher" },
    { path: "logs" },
    { path: "plugins/superd" },
    { path: "plugins/wireguard" },
  ],
  sockets: {
    wifi: {
      path: "wifi/apisock",
      http: { by: "api", title: "Wi-Fi", description: "What access points report." },
    },
    wireguard: {
      path: "plugins/wireguard/apisock",
      http: { by: "api", title: "WireGuard", description: "What the WireGuard plugin reports." },
    },
    superd: {
      path: "plugins/superd/socket",
      http: {
        by: "api",
        title: "Supervisor",
        description: "Versions and containers, as existing services ask for them.",
      },
    },
    events: { path: "api/eventbus.sock" },
    /** For root on the router itself. */
    console: {
      path: "console/api.sock",
      http: { by: "api", title: "Console", description: "The router's own console, for root." },
    },
  },
  packages: [],
  unit: {
    account: {
      user: "sluice",
      group: "sluice",
      number: 0,
      // It reads the journal for GET /logs.
      memberOf: [
        ...["sluice-net", "sluice-dns", "sluice-uplink", "sluice-wifi"],
        ...["sluice-lookup", "sluice-plugins", "sluice-mesh", "systemd-journal"],
      ],
    },
    after: ["sluice-netd.service"],
    restart: "always",
    capabilities: ["CAP_NET_BIND_SERVICE"],
    // libsql reads the list of interfaces (netlink) when it is loaded.
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"],
    writable: ["."],
    // Deno ends its accept loop when descriptors run out.
    maxOpenFiles: 65536,
    // The listeners and the database are settings.
    permissions: { net: true },
  },
} as const satisfies ProcessDescriptor;

/** A port of 0 is chosen by the kernel, so that only the address can be named. */
function listenGrant(listener: Listener): string {
  const text = formatListener(listener);
  return listener.port === 0 ? text.replace(/:0$/, "") : text;
}

/** The host and port of a libSQL server's address. */
function hostAndPort(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  return `${hostname}:${port || (protocol === "http:" ? 80 : 443)}`;
}

import { join } from "node:path";
import {
  LIBRARY_VARIABLES,
  mayApply,
  NO_PERMISSIONS,
  type ProcessDescriptor,
} from "../core/process/descriptor.ts";
import { LIBC_PATHS } from "../core/process/machine_paths.ts";

const FOLDER = "state/dns";
const OWNER = { user: "sluice", group: "sluice-dns" } as const;

/** The folder of dnsd: sockets, the last snapshot, block lists and the query log. */
export function dnsFolder(home: string): string {
  return join(home, FOLDER);
}

/** dnsd: the resolver of the router's clients. */
export const dnsd = {
  name: "dnsd",
  purpose: "DNS resolver",
  optional: true,
  runs: "always",
  // On a model of the kernel the api names no address to listen on.
  autostart: (settings) => mayApply(settings) && settings.services.includes("dnsd"),
  // Without answers a home counts as offline.
  maxSilence: 7,
  // Megabytes for young objects: nearly nothing of a query survives it, and more room, 16 by default,
  // costs memory and saves no time.
  engineFlags: ["--max-semi-space-size=2"],
  permissions: ({ home, root }) => ({
    ...NO_PERMISSIONS,
    read: [dnsFolder(home)],
    write: [dnsFolder(home)],
    // It queries whatever upstream resolvers are configured, and downloads block lists.
    net: true,
    ffi: [join(root, "node_modules"), ...LIBC_PATHS],
    env: LIBRARY_VARIABLES,
    sys: true,
  }),
  folders: [{ path: "dns", owner: OWNER }, { path: "dns/lists", owner: OWNER }],
  sockets: {
    dns: {
      path: "dns/apisock",
      http: { by: "api", title: "DNS configuration", description: "What dnsd asks of the api." },
    },
    dnsControl: {
      path: "dns/control",
      http: { by: "dnsd", title: "DNS status", description: "Status of dnsd, and its cache." },
    },
    dnsBlock: {
      path: "dns/dns_block_plugin",
      http: {
        by: "dnsd",
        title: "DNS blocking",
        description: "What dnsd alone knows of its block lists.",
      },
    },
    dnsLog: {
      path: "dns/dns_log_plugin",
      http: { by: "dnsd", title: "Query log", description: "The query log of dnsd." },
    },
  },
  packages: [],
  unit: {
    account: { user: "sluice-dnsd", group: "sluice-dns", number: 3 },
    after: ["sluice-api.service"],
    restart: "always",
    capabilities: ["CAP_NET_BIND_SERVICE"],
    // libsql reads the list of interfaces (netlink) when it is loaded.
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"],
    writable: [FOLDER],
    // Where datagrams cannot be batched, each upstream query without TLS has a socket of its own.
    maxOpenFiles: 16384,
  },
} as const satisfies ProcessDescriptor;

import { join } from "node:path";
import {
  mayApply,
  type ProcessDescriptor,
  QUIET_HEAP,
  socketPermissions,
} from "../core/process/descriptor.ts";
import { LIBC_PATHS } from "../core/process/machine_paths.ts";

const SOCKET = "multicast/socket";

/** multicastd: relays mDNS, SSDP and other groups between LAN interfaces. */
export const multicastd = {
  name: "multicastd",
  purpose: "multicast reflector between LAN interfaces",
  optional: true,
  runs: "always",
  // On a model of the kernel the api names no group to join.
  autostart: (settings) => mayApply(settings) && settings.services.includes("multicastd"),
  engineFlags: QUIET_HEAP,
  permissions: ({ home }) => ({
    ...socketPermissions(join(home, "state", SOCKET)),
    ffi: LIBC_PATHS,
  }),
  folders: [{ path: "multicast", owner: { user: "sluice", group: "sluice-multicast" } }],
  sockets: {
    multicast: {
      path: SOCKET,
      http: { by: "api", title: "Multicast", description: "What multicastd asks of the api." },
    },
  },
  packages: [],
  unit: {
    account: { user: "sluice-multicastd", group: "sluice-multicast", number: 4 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: ["CAP_NET_RAW", "CAP_NET_BIND_SERVICE"],
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_NETLINK"],
    writable: ["state/multicast"],
  },
} as const satisfies ProcessDescriptor;

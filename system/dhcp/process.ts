import { join } from "node:path";
import {
  mayApply,
  type ProcessDescriptor,
  QUIET_HEAP,
  socketPermissions,
} from "../core/process/descriptor.ts";
import { LIBC_PATHS } from "../core/process/machine_paths.ts";

const FOLDER = "state/dhcp";
const SOCKET = "dhcp/apisock";

/** What dhcpd continues from while the api is away. */
export function dhcpSnapshot(home: string): string {
  return join(home, FOLDER, "snapshot.json");
}

/** dhcpd: leases addresses to the clients of every downlink, as the api decides. */
export const dhcpd = {
  name: "dhcpd",
  purpose: "DHCP for wired clients",
  optional: true,
  runs: "always",
  // On a model of the kernel the api names no interface to serve.
  autostart: (settings) => mayApply(settings) && settings.services.includes("dhcpd"),
  engineFlags: QUIET_HEAP,
  permissions: ({ home }) => ({
    // Its snapshot is written beside the old one, and the folder synced.
    ...socketPermissions(join(home, "state", SOCKET), [join(home, FOLDER)]),
    ffi: LIBC_PATHS,
  }),
  folders: [{ path: "dhcp", owner: { user: "sluice", group: "sluice-dhcp" } }],
  sockets: {
    dhcp: {
      path: SOCKET,
      http: { by: "api", title: "DHCP", description: "What dhcpd asks of the api." },
    },
  },
  packages: [],
  unit: {
    account: { user: "sluice-dhcpd", group: "sluice-dhcp", number: 2 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: ["CAP_NET_BIND_SERVICE", "CAP_NET_RAW"],
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_PACKET", "AF_NETLINK"],
    writable: [FOLDER],
  },
} as const satisfies ProcessDescriptor;

import { join } from "node:path";
import {
  mayApply,
  type ProcessDescriptor,
  QUIET_HEAP,
  socketPermissions,
} from "../core/process/descriptor.ts";
import type { Settings } from "../core/process/settings.ts";

const FOLDER = "state/wireguard";
const SOCKET = "wireguard/socket";

/** The names of the interfaces that the process created: its alone, since it deletes what they name. */
export function tunnelFolder(
  { home, privateState }: Pick<Settings, "home" | "privateState">,
): string {
  return join(privateState ?? join(home, FOLDER), "tunnels");
}

/** wireguard: the tunnels of the VPN. */
export const wireguard = {
  name: "wireguard",
  purpose: "VPN tunnels",
  optional: true,
  runs: "always",
  startsAfter: "install",
  // On a model of the kernel the api names no tunnel.
  autostart: (settings) => mayApply(settings) && settings.services.includes("wireguard"),
  engineFlags: QUIET_HEAP,
  permissions: (settings) => ({
    ...socketPermissions(join(settings.home, "state", SOCKET), [tunnelFolder(settings)]),
    run: ["wg", "wireguard-go", "ip", "getent"],
  }),
  folders: [{ path: "wireguard", owner: { user: "sluice", group: "sluice-wireguard" } }],
  sockets: {
    tunnels: {
      path: SOCKET,
      http: {
        by: "api",
        title: "Tunnels",
        description: "What the process wireguard asks of the api.",
      },
    },
  },
  packages: [
    { name: "wireguard-tools", reason: "sets the keys and peers of VPN tunnels (wg)" },
    { name: "wireguard-go", reason: "carries VPN tunnels where the kernel does not" },
  ],
  unit: {
    // wireguard-go and wg meet in a folder of root's.
    account: { user: "root", group: "sluice-wireguard", number: 7 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: ["CAP_NET_ADMIN", "CAP_NET_BIND_SERVICE"],
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"],
    // wireguard-go has its sockets in /run/wireguard.
    writable: [FOLDER, "/run"],
    privateState: true,
    devices: ["/dev/net/tun"],
    keepsChildren: true,
  },
} as const satisfies ProcessDescriptor;

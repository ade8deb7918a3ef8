import { join } from "node:path";
import {
  mayApply,
  type ProcessDescriptor,
  QUIET_HEAP,
  socketPermissions,
} from "../core/process/descriptor.ts";
import type { Settings } from "../core/process/settings.ts";
import { LIBC_PATHS } from "../core/process/machine_paths.ts";

const FOLDER = "state/uplink";
const SOCKET = "uplink/socket";

/**
 * Options of pppd: uplinkd's alone, since they hold the passwords of PPPoE accounts, and since pppd runs
 * as root whatever they name.
 */
export function pppFolder({ home, privateState }: Pick<Settings, "home" | "privateState">): string {
  return join(privateState ?? join(home, FOLDER), "ppp");
}

/** uplinkd: DHCP clients, PPPoE sessions and health checks of the uplinks. */
export const uplinkd = {
  name: "uplinkd",
  purpose: "addresses and health checks of uplinks",
  optional: true,
  runs: "always",
  startsAfter: "install",
  // On a model of the kernel the api names no uplink.
  autostart: (settings) => mayApply(settings) && settings.services.includes("uplinkd"),
  engineFlags: QUIET_HEAP,
  permissions: (settings) => ({
    ...socketPermissions(join(settings.home, "state", SOCKET), [pppFolder(settings)]),
    run: ["udhcpc", "pppd", "curl", "ps", "kill"],
    ffi: LIBC_PATHS,
    // It recognises what it started itself by its own user.
    sys: ["uid"],
  }),
  folders: [{ path: "uplink", owner: { user: "sluice", group: "sluice-uplink" } }],
  sockets: {
    uplink: {
      path: SOCKET,
      http: { by: "api", title: "Uplinks", description: "What uplinkd asks of the api." },
    },
  },
  packages: [
    { name: "udhcpc", reason: "requests addresses from providers" },
    { name: "ppp", reason: "connects PPPoE accounts" },
    { name: "curl", reason: "measures the speed of uplinks, and updates names of dynamic DNS" },
    { name: "procps", reason: "finds running sessions again (ps)" },
  ],
  unit: {
    // pppd takes the options of an account from root alone.
    account: { user: "root", group: "sluice-uplink", number: 5 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: [
      ...["CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_NET_BIND_SERVICE"],
      ...["CAP_SETUID", "CAP_SETGID", "CAP_KILL"],
    ],
    addressFamilies: [
      ...["AF_UNIX", "AF_INET", "AF_INET6", "AF_PACKET", "AF_NETLINK", "AF_PPPOX"],
    ],
    // pppd keeps its pid files and its database in /run.
    writable: [FOLDER, "/run"],
    privateState: true,
    devices: ["/dev/ppp"],
    seesProcesses: true,
    keepsChildren: true,
  },
} as const satisfies ProcessDescriptor;

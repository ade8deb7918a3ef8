import { join } from "node:path";
import { NO_PERMISSIONS, type ProcessDescriptor, SMALL_HEAP } from "../core/process/descriptor.ts";
import type { Settings } from "../core/process/settings.ts";
import { DOCKER_SOCKET, LIBC_PATHS, LIBNFTABLES_PATHS } from "../core/process/machine_paths.ts";

const FOLDER = "state/net";
const SOCKET = "net/netd.sock";

type StatePaths = Pick<Settings, "home" | "privateState">;

/** The last applied ruleset, which the next boot loads: where nobody else can put another. */
export function bootRuleset({ home, privateState }: StatePaths): string {
  return join(privateState ?? join(home, FOLDER), "boot.nft");
}

/** Exists once our rules were taken out of the kernel, so that the next boot loads nothing. */
export function releasedMark({ home, privateState }: StatePaths): string {
  return join(privateState ?? join(home, FOLDER), "released");
}

/** Exists while our rules may be in the kernel: they were applied and not released. */
export function appliedMark(home: string): string {
  return join(home, FOLDER, "applied");
}

function folders({ home, privateState }: StatePaths): readonly string[] {
  return [join(home, FOLDER), ...(privateState === null ? [] : [privateState])];
}

/** netd: the only process that changes the kernel's network. */
export const netd = {
  name: "netd",
  purpose: "kernel network configuration",
  optional: false,
  runs: "onDemand",
  startsAfter: "install",
  engineFlags: SMALL_HEAP,
  autostart: ({ network }) => network === "on",
  permissions: ({ home, privateState }) => ({
    ...NO_PERMISSIONS,
    read: [
      ...folders({ home, privateState }),
      ...[DOCKER_SOCKET, ...LIBNFTABLES_PATHS],
    ],
    write: [...folders({ home, privateState }), DOCKER_SOCKET],
    net: [`unix:${join(home, "state", SOCKET)}`, `unix:${DOCKER_SOCKET}`],
    run: [
      ...["nft", "ip", "conntrack", "sysctl"],
      // List sockets and processes, and restart time synchronisation.
      ...["ss", "ps", "chronyc", "timedatectl"],
    ],
    ffi: [...LIBNFTABLES_PATHS, ...LIBC_PATHS],
    sys: true,
  }),
  rootSockets: ["clock", "settime"],
  // Under systemd a unit of root sets the clock: many containers withhold this, and netd would not start.
  capabilities: ["CAP_SYS_TIME"],
  folders: [{ path: "net", owner: { user: "sluice-netd", group: "sluice-net" }, sticky: true }],
  sockets: { netd: { path: SOCKET } },
  packages: [
    { name: "nftables", reason: "loads the firewall rules" },
    { name: "libnftables1", reason: "changes single rules without starting a process" },
    { name: "iproute2", reason: "lists sockets (ss) and probes which interfaces can be created" },
    { name: "conntrack", reason: "ends running connections when access is taken away" },
    { name: "procps", reason: "switches forwarding on and off (sysctl)" },
  ],
  unit: {
    account: { user: "sluice-netd", group: "sluice-net", number: 1 },
    after: ["sluice-boot.service"],
    before: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: ["CAP_NET_ADMIN", "CAP_NET_RAW"],
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"],
    writable: [FOLDER],
    privateState: true,
    seesProcesses: true,
    writesSysctls: true,
  },
} as const satisfies ProcessDescriptor;

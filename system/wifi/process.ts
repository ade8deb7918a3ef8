import { join } from "node:path";
import { LIBC_PATHS } from "../core/process/machine_paths.ts";
import {
  mayApply,
  NO_PERMISSIONS,
  type ProcessDescriptor,
  QUIET_HEAP,
} from "../core/process/descriptor.ts";
import type { Settings } from "../core/process/settings.ts";

const FOLDER = "state/wifi";

/** Folder of the control sockets, of hostapd's and of ours. */
export function wifiFolder(home: string): string {
  return join(home, FOLDER);
}

/** hostapd's files: wifid's alone, since they hold passwords and hostapd reads them as root. */
export function hostapdFolder(
  { home, privateState }: Pick<Settings, "home" | "privateState">,
): string {
  return join(privateState ?? join(home, FOLDER), "hostapd");
}

/** wifid: the radios that are access points, or join networks as uplinks. */
export const wifid = {
  name: "wifid",
  purpose: "Wi-Fi access points and uplinks",
  optional: true,
  runs: "always",
  startsAfter: "install",
  // On a model of the kernel the api names no radio.
  autostart: (settings) => mayApply(settings) && settings.services.includes("wifid"),
  engineFlags: QUIET_HEAP,
  permissions: (settings) => {
    const folders = [wifiFolder(settings.home), hostapdFolder(settings)];
    return {
      ...NO_PERMISSIONS,
      read: [
        ...folders,
        // The regulatory database, behind links of Debian's.
        "/lib/firmware",
        "/usr/lib/firmware",
        "/etc/alternatives",
      ],
      write: folders,
      // A control socket is a grant of its own, by a path that has the name of its radio.
      net: true,
      // What hostapd cannot send to a station goes by netlink.
      ffi: LIBC_PATHS,
      run: ["hostapd", "wpa_supplicant", "iw", "ip", "ps", "kill"],
      // The mode of its socket, which no list can name, and its own user.
      sys: true,
    };
  },
  folders: [{ path: "wifi", owner: { user: "sluice", group: "sluice-wifi" } }],
  sockets: {
    wifiControl: {
      path: "wifi/wifid-control.sock",
      http: {
        by: "wifid",
        title: "Wi-Fi",
        description: "What wifid alone knows of radios and stations.",
      },
    },
  },
  packages: [
    { name: "hostapd", reason: "makes a radio an access point" },
    { name: "wpasupplicant", reason: "joins Wi-Fi networks as uplinks" },
    { name: "iproute2", reason: "brings a radio up to scan" },
    { name: "iw", reason: "describes radios and scans for networks" },
    { name: "wireless-regdb", reason: "says which channels a country permits" },
    { name: "procps", reason: "finds a running hostapd again (ps)" },
  ],
  unit: {
    account: { user: "root", group: "sluice-wifi", number: 6 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: ["CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_KILL"],
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_PACKET", "AF_NETLINK"],
    writable: [FOLDER],
    privateState: true,
    devices: ["/dev/rfkill"],
    seesProcesses: true,
    keepsChildren: true,
  },
} as const satisfies ProcessDescriptor;

import { TOOL_FOLDERS } from "../../core/process/machine_paths.ts";

/** A system tool that Sluice starts. */
export type Tool =
  | "nft"
  | "ip"
  | "conntrack"
  | "sysctl"
  | "ss"
  | "journalctl"
  | "timedatectl"
  | "chronyc"
  | "udhcpc"
  | "pppd"
  | "curl"
  | "ps"
  | "kill"
  | "hostapd"
  | "wpa_supplicant"
  | "iw"
  | "wg"
  | "wireguard-go"
  | "getent"
  | "git"
  | "ln"
  | "setpriv";

/** The Debian package of each tool. */
export const TOOL_PACKAGES: Readonly<Record<Tool, string>> = {
  nft: "nftables",
  ip: "iproute2",
  conntrack: "conntrack",
  sysctl: "procps",
  ss: "iproute2",
  journalctl: "systemd",
  timedatectl: "systemd",
  chronyc: "chrony",
  udhcpc: "udhcpc",
  pppd: "ppp",
  curl: "curl",
  ps: "procps",
  kill: "procps",
  hostapd: "hostapd",
  wpa_supplicant: "wpasupplicant",
  iw: "iw",
  wg: "wireguard-tools",
  "wireguard-go": "wireguard-go",
  getent: "libc-bin",
  git: "git",
  ln: "coreutils",
  setpriv: "util-linux",
};

/** Absolute paths of a tool, in the order in which they are tried. */
export function toolPaths(tool: Tool): readonly string[] {
  return TOOL_FOLDERS.map((folder) => `${folder}/${tool}`);
}

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
  | "kill";

/** The Debian package that brings each tool. */
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
};

const FOLDERS = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"] as const;

/**
 * Absolute paths at which a tool may lie, in the order in which they are tried. A permission to run
 * is compared with the spelling, without following links, so the first one is the one to grant.
 */
export function toolPaths(tool: Tool): readonly string[] {
  return FOLDERS.map((folder) => `${folder}/${tool}`);
}

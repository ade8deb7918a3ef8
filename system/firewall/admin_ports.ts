/** TCP ports of this router's administration, as nftables writes them. */
export interface AdminPorts {
  /** Of the API and the UI. */
  readonly web: readonly string[];
  readonly ssh: readonly string[];
}

/** Those that programs have unless others are given. */
export const ADMIN_PORTS: AdminPorts = { web: ["80", "443"], ssh: ["22"] };

/**
 * The ports of our listeners and of sshd, beside the usual ones: what is put there later is to be closed
 * to the same devices. 0 is a port that the kernel has yet to choose.
 */
export function adminPorts(
  listeners: readonly { readonly port: number }[],
  sshd: readonly number[],
): AdminPorts {
  const sorted = (usual: readonly string[], others: readonly number[]): readonly string[] =>
    [...new Set([...usual.map(Number), ...others])]
      .filter((port) => port > 0).sort((a, b) => a - b).map(String);
  return {
    web: sorted(ADMIN_PORTS.web, listeners.map(({ port }) => port)),
    ssh: sorted(ADMIN_PORTS.ssh, sshd),
  };
}

/** The ports that the texts of sshd_config(5) files name. */
export function sshdPorts(texts: readonly string[]): number[] {
  return texts.flatMap((text) =>
    [...text.matchAll(SSHD_PORT)].map(([, port, address]) => Number(port ?? address))
  ).filter((port) => Number.isInteger(port) && port > 0 && port < 65536);
}

/** `Port 2222`, `ListenAddress 192.0.2.1:2222` and `[2001:db8::1]:2222`; a keyword may stand before `=`. */
const SSHD_PORT =
  /^[ \t]*(?:Port[ \t=]+"?(\d{1,5})|ListenAddress[ \t=]+"?(?:\[[^\]\s]*\]|[^\s:"[]+):(\d{1,5}))"?[ \t]*(?:#.*)?\r?$/gim;

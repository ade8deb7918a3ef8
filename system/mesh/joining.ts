import type { Config } from "../config.ts";
import { overlaps4, parseRange4 } from "../core/net/net.ts";
import { meshNetwork } from "./network.ts";

type Networks = Pick<Config, "dhcp" | "interfaces">;

/** The LAN subnets that a router serves itself: none without a LAN. `vxlan`: its kernel has it. */
export function servedNetworks(config: Config, vxlan: boolean): readonly string[] {
  const { interfaces, dhcp }: Networks = meshNetwork(config, vxlan);
  const hasLan = interfaces.some(({ Type, Enabled }) =>
    Enabled && (Type === "Downlink" || Type === "AP")
  );
  return hasLan ? dhcp.TinyNets : [];
}

/** Those of the networks of another router that overlap one of ours. */
export function overlapping(
  theirs: readonly string[],
  ours: readonly string[],
): readonly string[] {
  const own = ours.flatMap((text) => parseRange4(text) ?? []);
  return theirs.filter((text) => {
    const range = parseRange4(text);
    return range !== null && own.some((other) => overlaps4(range, other));
  });
}

/** Errors of a connection to which nothing responded. */
const SILENT = /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/;

/** Why a leaf router could not be reached, and what to do about it where nothing listens on its port. */
export function leafNotReached(address: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const said = `The router at ${address} does not respond to HTTPS on port 443: ${message}`;
  if ((error as { readonly code?: unknown } | null)?.code !== "ECONNREFUSED") return said;
  return `${said}. It refuses connections: turn HTTPS on there, on that port, or start its processes again`;
}

/** Why a router that is to join could not be reached, and what to do about it. */
export function notReached(
  address: string,
  { code, message }: { readonly code: string; readonly message: string },
): string {
  const said = `The router at ${address} does not respond to HTTPS on port 443: ${message}`;
  if (code === "ECONNREFUSED") return `${said}. Turn HTTPS on there, on that port`;
  if (SILENT.test(code) || message === "It did not respond in time") {
    return `${said}. Check its address and cable. Until it has joined, its router port 443 must be open to ` +
      "the WAN, and its LAN must have another subnet than this router's";
  }
  return said;
}

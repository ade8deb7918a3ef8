import type { AddressFact } from "../../core/kernel/host.ts";
import { formatIpv4, inRange4, isNobodys, parseIpv4, parseRange4 } from "../../core/net/net.ts";

/** Shortest prefix that a provider may draw to its uplink: a shorter one is as good as everything. */
export const LEAST_PREFIX = 8;

/** An address with its prefix and who leads on from there, set by hand or leased. */
export interface GatewayOf {
  readonly address: string;
  readonly router: string | null;
  /** Networks that a lease names; null: on the link itself. */
  readonly routes?: readonly { readonly destination: string; readonly via: string | null }[];
}

/** True where a lease says that an address is on the link itself (RFC 3442). */
function isNamed({ routes = [] }: GatewayOf, value: number): boolean {
  return routes.some(({ destination, via }) => {
    const range = via === null ? parseRange4(destination) : null;
    return range !== null && range.prefix >= LEAST_PREFIX && inRange4(range, value);
  });
}

/**
 * Where a gateway is: `inside` the network of the address, or `apart` from it and on the link all the
 * same, as providers have it that give single addresses (/32), or whose lease says so. Null for one
 * that the kernel would not take, or know no way to. Pure.
 */
export function gatewayPlace(given: GatewayOf): "inside" | "apart" | null {
  const range = parseRange4(given.address), value = parseIpv4(given.router ?? "");
  if (range === null || value === null || isNobodys(value)) return null;
  if (given.router === given.address.split("/")[0]) return null;
  if (!inRange4(range, value)) {
    return range.prefix === 32 || isNamed(given, value) ? "apart" : null;
  }
  // The first names the network and the last everyone in it; of two machines each is one (RFC 3021).
  const isOne = range.prefix >= 31 || (value !== range.first && value !== range.last);
  return isOne ? "inside" : null;
}

/** Tells whether an address on a link is no machine's. */
export type IsEveryones = (link: string, address: string) => boolean;

/**
 * Tells the addresses that everyone in a network takes (RFC 919), of all networks of a link: the
 * kernel takes none of them for a gateway. Pure.
 */
export function everyones(addresses: readonly AddressFact[]): IsEveryones {
  const taken = new Set(addresses.flatMap(({ link, address }) => {
    const range = parseRange4(address);
    return range === null || range.prefix > 30 ? [] : [`${formatIpv4(range.last)} ${link}`];
  }));
  return (link, address) => taken.has(`${address} ${link}`);
}

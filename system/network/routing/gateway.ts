import type { AddressFact } from "../../core/kernel/facts.ts";
import { formatIpv4, inRange4, isUnroutable, parseIpv4, parseRange4 } from "../../core/net/net.ts";

/** Shortest prefix of a route in a lease: a shorter one would take over the Internet. */
export const MIN_PREFIX = 8;

/** An address with its prefix and its gateway, static or leased. */
export interface GatewayConfig {
  readonly address: string;
  readonly router: string | null;
  /** Routes of a lease; null: on-link. */
  readonly routes?: readonly { readonly destination: string; readonly via: string | null }[];
}

/**
 * True where a lease has a default route without a gateway (RFC 3442): every address is resolved on the
 * link itself, and the provider's router answers for all of them. Pure.
 */
export function hasOnLinkDefault({ router, routes = [] }: GatewayConfig): boolean {
  return router === null &&
    routes.some(({ destination, via }) => destination === "0.0.0.0/0" && via === null);
}

/** True where a lease has an on-link route to an address (RFC 3442). */
function isNamed({ routes = [] }: GatewayConfig, value: number): boolean {
  return routes.some(({ destination, via }) => {
    const range = via === null ? parseRange4(destination) : null;
    return range !== null && range.prefix >= MIN_PREFIX && inRange4(range, value);
  });
}

/**
 * Where a gateway is: `inside` the network of the address, or `apart` from it and still on the link,
 * as with providers that give single addresses (/32) or whose lease says so. Null for one that the
 * kernel would refuse or could not reach. Pure.
 */
export function gatewayPosition(given: GatewayConfig): "inside" | "apart" | null {
  const range = parseRange4(given.address), value = parseIpv4(given.router ?? "");
  if (range === null || value === null || isUnroutable(value)) return null;
  if (given.router === given.address.split("/")[0]) return null;
  if (!inRange4(range, value)) {
    return range.prefix === 32 || isNamed(given, value) ? "apart" : null;
  }
  // The first is the network, the last the broadcast address; a /31 has neither (RFC 3021).
  const isOne = range.prefix >= 31 || (value !== range.first && value !== range.last);
  return isOne ? "inside" : null;
}

/** Whether an address is a broadcast address of a link. */
export type IsBroadcast = (link: string, address: string) => boolean;

/**
 * The broadcast addresses (RFC 919) of all networks of each link: the kernel accepts none of them as
 * a gateway. A link is looked at once something asks about it: downlinks have a network for each
 * device. Pure.
 */
export function broadcastAddresses(addresses: readonly AddressFact[]): IsBroadcast {
  const taken = new Map<string, ReadonlySet<string>>();
  return (link, address) => {
    let known = taken.get(link);
    if (known === undefined) taken.set(link, known = broadcastsOf(link, addresses));
    return known.has(address);
  };
}

function broadcastsOf(link: string, addresses: readonly AddressFact[]): ReadonlySet<string> {
  return new Set(addresses.flatMap((fact) => {
    const range = fact.link === link ? parseRange4(fact.address) : null;
    return range === null || range.prefix > 30 ? [] : [formatIpv4(range.last)];
  }));
}

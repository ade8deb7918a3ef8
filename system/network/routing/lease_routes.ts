import type { Observations } from "../../core/engine/change.ts";
import type { DesiredRoute, UplinkPath } from "../../core/kernel/desired.ts";
import type { AddressFact } from "../../core/kernel/facts.ts";
import {
  formatIpv4,
  inRange4,
  isUnroutable,
  overlaps4,
  parseRange4,
  type Range4,
} from "../../core/net/net.ts";
import { gatewayPosition, type IsBroadcast, MIN_PREFIX } from "./gateway.ts";

/** What the routes of leases are computed from. */
export interface LeaseRouteSources {
  readonly paths: readonly UplinkPath[];
  readonly observed: Pick<Observations, "uplinks">;
  /** The router's addresses, including desired ones. */
  readonly addresses: readonly AddressFact[];
  /** The LAN subnets. */
  readonly lan: readonly Range4[];
  readonly isBroadcast: IsBroadcast;
}

function within(inner: Range4, outer: Range4): boolean {
  return outer.prefix <= inner.prefix && inRange4(outer, inner.first);
}

/**
 * The classless routes of leases (RFC 3442), beside the default route. Left out is a route that would
 * take over a part of the LAN or of a connected network, and one with a gateway outside the leased
 * network. The first uplink with a network gets its route. Pure.
 */
export function leaseRoutes(sources: LeaseRouteSources): readonly DesiredRoute[] {
  const { paths, observed, addresses, lan, isBroadcast } = sources;
  let parsed: readonly Range4[] | null = null;
  // Devices have an address each, and most leases no routes.
  const connected = (): readonly Range4[] =>
    parsed ??= addresses.flatMap(({ address }) => parseRange4(address) ?? []);
  const routes = new Map<string, DesiredRoute>();
  for (const { name, link, address, running } of paths) {
    const lease = observed.uplinks?.[name]?.lease;
    const own = address === null ? null : parseRange4(address);
    // A static address, or an unusable lease, brings no routes.
    if (!running || own === null || lease?.address !== address) continue;
    for (const { destination, via } of lease.routes ?? []) {
      const range = parseRange4(destination);
      const fits = range !== null && range.prefix >= MIN_PREFIX && !isUnroutable(range.first) &&
        (via === null ||
          (gatewayPosition({ address, router: via }) === "inside" && !isBroadcast(link, via))) &&
        !lan.some((one) => overlaps4(one, range)) &&
        ![own, ...connected()].some((one) => within(range, one));
      if (!fits) continue;
      const network = `${formatIpv4(range.first)}/${range.prefix}`;
      if (!routes.has(network)) routes.set(network, { destination: network, via, link });
    }
  }
  return [...routes.values()];
}

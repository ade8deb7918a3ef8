import type { Observed } from "../../core/engine/change.ts";
import type { AddressFact, DesiredRoute, UplinkPath } from "../../core/kernel/host.ts";
import {
  formatIpv4,
  inRange4,
  isNobodys,
  overlaps4,
  parseRange4,
  type Range4,
} from "../../core/net/net.ts";
import { gatewayPlace, type IsEveryones, LEAST_PREFIX } from "./gateway.ts";

/** What the routes of leases are computed from. */
export interface LeaseRouteSources {
  readonly paths: readonly UplinkPath[];
  readonly observed: Pick<Observed, "uplinks">;
  /** The router's own, those that it is to have among them. */
  readonly addresses: readonly AddressFact[];
  /** The home networks. */
  readonly home: readonly Range4[];
  readonly isEveryones: IsEveryones;
}

function within(inner: Range4, outer: Range4): boolean {
  return outer.prefix <= inner.prefix && inRange4(outer, inner.first);
}

/**
 * The networks that providers say are behind their uplinks (RFC 3442), beside the rest of the
 * Internet. Left out is what would take anything of home or of a network that the router is in, and
 * what names a gateway outside the leased network. The first uplink that names a network has it. Pure.
 */
export function leaseRoutes(sources: LeaseRouteSources): readonly DesiredRoute[] {
  const { paths, observed, addresses, home, isEveryones } = sources;
  const connected = addresses.flatMap(({ address }) => parseRange4(address) ?? []);
  const routes = new Map<string, DesiredRoute>();
  for (const { name, link, address, running } of paths) {
    const lease = observed.uplinks?.[name]?.lease;
    const own = address === null ? null : parseRange4(address);
    // A fixed address, or a lease that is of no use, brings no routes.
    if (!running || own === null || lease?.address !== address) continue;
    for (const { destination, via } of lease.routes ?? []) {
      const range = parseRange4(destination);
      const fits = range !== null && range.prefix >= LEAST_PREFIX && !isNobodys(range.first) &&
        (via === null ||
          (gatewayPlace({ address, router: via }) === "inside" && !isEveryones(link, via))) &&
        !home.some((one) => overlaps4(one, range)) &&
        ![own, ...connected].some((one) => within(range, one));
      if (!fits) continue;
      const words = `${formatIpv4(range.first)}/${range.prefix}`;
      if (!routes.has(words)) routes.set(words, { destination: words, via, link });
    }
  }
  return [...routes.values()];
}

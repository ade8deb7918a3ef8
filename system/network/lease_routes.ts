import type { Observed } from "../core/change.ts";
import type { DesiredRoute, Facts, UplinkPath } from "../core/kernel.ts";
import {
  formatIpv4,
  inRange4,
  overlaps4,
  parseIpv4,
  parseRange4,
  type Range4,
} from "../core/net.ts";

/** Shortest prefix that a provider may draw to its uplink: a shorter one is as good as everything. */
const LEAST_PREFIX = 8;

/** What the routes of leases are computed from. */
export interface LeaseRouteSources {
  readonly paths: readonly UplinkPath[];
  readonly observed: Pick<Observed, "uplinks">;
  readonly facts: Pick<Facts, "addresses">;
  /** The home networks. */
  readonly home: readonly Range4[];
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
  const { paths, observed, facts, home } = sources;
  const connected = facts.addresses.flatMap(({ address }) => parseRange4(address) ?? []);
  const routes = new Map<string, DesiredRoute>();
  for (const { name, link, address, running } of paths) {
    const lease = observed.uplinks?.[name]?.lease;
    const own = address === null ? null : parseRange4(address);
    // A fixed address, or a lease that is of no use, brings no routes.
    if (!running || own === null || lease?.address !== address) continue;
    for (const { destination, via } of lease.routes ?? []) {
      const range = parseRange4(destination);
      const gateway = via === null ? null : parseIpv4(via);
      const fits = range !== null && range.prefix >= LEAST_PREFIX &&
        (via === null || (gateway !== null && inRange4(own, gateway))) &&
        !home.some((one) => overlaps4(one, range)) &&
        ![own, ...connected].some((one) => within(range, one));
      if (!fits) continue;
      const words = `${formatIpv4(range.first)}/${range.prefix}`;
      if (!routes.has(words)) routes.set(words, { destination: words, via, link });
    }
  }
  return [...routes.values()];
}

import type { Observations, UplinkLease, UplinkObservation } from "../change.ts";
import { isRecord } from "../../config/json.ts";
import { parseIpv4, parseRange4 } from "../../net/net.ts";

/** What was kept of uplinks; null for nothing. Entries that cannot be read will be seen again. */
export function parseUplinks(raw: unknown): NonNullable<Observations["uplinks"]> | null {
  if (!isRecord(raw)) return null;
  const uplinks = Object.entries(raw).flatMap(([name, seen]) => {
    const uplink = observation(seen);
    return uplink === null ? [] : [[name, uplink] as const];
  });
  return uplinks.length === 0 ? null : Object.fromEntries(uplinks);
}

function observation(raw: unknown): UplinkObservation | null {
  if (!isRecord(raw)) return null;
  const { ownMtu, table } = raw;
  return {
    lease: raw.lease === null ? null : lease(raw.lease),
    // Whether it is dead is found out anew.
    down: false,
    ...(typeof ownMtu === "number" && Number.isInteger(ownMtu) ? { ownMtu } : {}),
    ...(typeof table === "number" && Number.isInteger(table) ? { table } : {}),
  };
}

function lease(raw: unknown): UplinkLease | null {
  if (!isRecord(raw)) return null;
  const { address, router, dns, search, mtu, until } = raw;
  if (typeof address !== "string" || !address.includes("/") || parseRange4(address) === null) {
    return null;
  }
  const routes = Array.isArray(raw.routes) ? raw.routes.flatMap(route) : [];
  const domains = Array.isArray(search) ? search.filter((one) => typeof one === "string") : [];
  return {
    address,
    router: typeof router === "string" && parseIpv4(router) !== null ? router : null,
    dns: Array.isArray(dns)
      ? dns.filter((one) => typeof one === "string" && parseIpv4(one) !== null)
      : [],
    ...(domains.length === 0 ? {} : { search: domains }),
    ...(routes.length === 0 ? {} : { routes }),
    mtu: typeof mtu === "number" && Number.isInteger(mtu) ? mtu : null,
    until: typeof until === "number" ? until : null,
  };
}

function route(raw: unknown): NonNullable<UplinkLease["routes"]> {
  if (!isRecord(raw)) return [];
  const { destination, via } = raw;
  if (typeof destination !== "string" || parseRange4(destination) === null) return [];
  if (via !== null && (typeof via !== "string" || parseIpv4(via) === null)) return [];
  return [{ destination, via }];
}

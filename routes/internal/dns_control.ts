import { DnsStatus } from "../../system/dns/config/status_schema.ts";
import type { Dnsd } from "../../system/dns/service.ts";
import { type Route, route } from "../http/route.ts";

/** The resolver's own socket for its state. */
export function dnsControlSocketRoutes(dnsd: Pick<Dnsd, "status" | "flush">): Route[] {
  const common = { tag: "Resolver", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/status",
      summary: "Listeners, upstream resolvers and query counts",
      response: DnsStatus,
    }, () => dnsd.status()),
    route({
      ...common,
      method: "PUT",
      path: "/flush",
      summary: "Flush the cache",
    }, () => dnsd.flush()),
  ];
}

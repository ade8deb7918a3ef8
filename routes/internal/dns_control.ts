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
      summary: "Status of the DNS resolver",
      description:
        "Listeners, upstream resolvers, the size of the cache and query counts since the start.",
      response: DnsStatus,
    }, () => dnsd.status()),
    route({
      ...common,
      method: "PUT",
      path: "/flush",
      summary: "Flush the cache",
      description:
        "Drops every cached answer, so that the next query of each name goes to an upstream " +
        "resolver.",
    }, () => dnsd.flush()),
  ];
}

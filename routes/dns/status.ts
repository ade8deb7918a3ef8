import { DnsStatus } from "../../system/dns/config/status_schema.ts";
import type { ServiceClient } from "../http/service_client.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the resolver's own state need from outside. */
export interface DnsStatusDeps {
  readonly resolver: ServiceClient;
}

/** State of the resolver, and maintenance such as flushing its cache. */
export function dnsStatusRoutes({ resolver }: DnsStatusDeps): Route[] {
  const common = { tag: "DNS", access: "auth", errors: [502, 503] } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/dns/status",
      summary: "Status of the DNS resolver",
      description:
        "Listeners, upstream resolvers with state and latency, the size of the cache, and query " +
        "counts since the resolver started.",
      response: DnsStatus,
    }, () => resolver.call({ path: "/status" })),
    route({
      ...common,
      method: "PUT",
      path: "/dns/flush",
      summary: "Flush the DNS cache",
      description:
        "Drops every cached answer, so that the next query of each name goes to an upstream " +
        "resolver.",
    }, () => resolver.call({ method: "PUT", path: "/flush" })),
  ];
}

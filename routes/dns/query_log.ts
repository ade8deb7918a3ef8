import * as z from "zod";
import { ClientPath } from "../../system/dns/log/search/request_schema.ts";
import { LogEntry } from "../../system/dns/log/schema.ts";
import type { ServiceClient } from "../http/service_client.ts";
import { type Route, route } from "../http/route.ts";
import { ENTRY_SEARCH, LOG_STATUS } from "./log_queries.ts";

/** Dependencies of {@link dnsLogReadRoutes}. */
export interface DnsLogReadsDeps {
  readonly queryLog: ServiceClient;
}

const COMMON = { tag: "DNS log", access: "auth" } as const;
const AWAY = [502, 503] as const;

/** Reads and deletes of the query log. */
export function dnsLogReadRoutes({ queryLog }: DnsLogReadsDeps): Route[] {
  const search = (url: string): string => new URL(url).search;
  return [
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/history/{ip}",
      summary: "Queries of one address, newest first",
      description:
        "Returns at most 1024 queries of the client; an empty list when none are stored.",
      params: ClientPath,
      response: z.array(LogEntry),
      errors: [400, ...AWAY],
    }, ({ params }) => queryLog.call({ path: `/history/${encodeURIComponent(params.ip)}` })),
    route(
      {
        ...COMMON,
        method: "DELETE",
        path: "/plugins/dns/log/history/{ip}",
        summary: "Delete the queries of one address",
        description: "Deletes every stored query of the client from disk. This cannot be undone.",
        params: ClientPath,
        errors: [400, ...AWAY],
      },
      ({ params }) =>
        queryLog.call({ method: "DELETE", path: `/history/${encodeURIComponent(params.ip)}` }),
    ),
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/entries",
      summary: "Search the query log",
      description:
        "Returns queries newest first. `name` matches a part of the query name, `verdict` is a " +
        "comma-separated list. Pass `next` as `after` for the next page; it is null at the end.",
      ...ENTRY_SEARCH,
      errors: [400, ...AWAY],
    }, ({ c }) => queryLog.call({ path: `/entries${search(c.req.url)}` })),
    route({
      ...COMMON,
      method: "DELETE",
      path: "/plugins/dns/log/entries",
      summary: "Delete the whole query log",
      description: "Deletes all stored queries of all devices from disk. This cannot be undone.",
      errors: AWAY,
    }, () => queryLog.call({ method: "DELETE", path: "/entries" })),
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/status",
      compresses: true,
      ...LOG_STATUS,
      errors: [400, ...AWAY],
    }, ({ c }) => queryLog.call({ path: `/status${search(c.req.url)}` })),
  ];
}

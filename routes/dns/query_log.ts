import { z } from "zod";
import {
  ClientPath,
  EntryQuery,
  QueryLogStatus,
  StatusQuery,
} from "../../system/dns/log/search/request_schema.ts";
import { LogEntry } from "../../system/dns/log/schema.ts";
import { type Service, type SocketCall, socketCall } from "../http/socket_call.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link dnsLogReadRoutes}. */
export interface DnsLogReadsDeps {
  /** The resolver's query log socket. */
  readonly queryLog: Service;
}

const COMMON = { tag: "DNS log", access: "auth" } as const;
const AWAY = [502, 503] as const;

/** Reads and deletes of the query log. */
export function dnsLogReadRoutes({ queryLog }: DnsLogReadsDeps): Route[] {
  const ask = (call: SocketCall): Promise<Response> => socketCall(queryLog, call);
  const search = (url: string): string => new URL(url).search;
  return [
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/history/{ip}",
      summary: "Queries of an address, newest first; empty when none are stored",
      params: ClientPath,
      response: z.array(LogEntry),
      errors: [400, ...AWAY],
    }, ({ params }) => ask({ path: `/history/${encodeURIComponent(params.ip)}` })),
    route(
      {
        ...COMMON,
        method: "DELETE",
        path: "/plugins/dns/log/history/{ip}",
        summary: "Delete the queries of an address",
        params: ClientPath,
        errors: [400, ...AWAY],
      },
      ({ params }) => ask({ method: "DELETE", path: `/history/${encodeURIComponent(params.ip)}` }),
    ),
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/entries",
      summary: "Queries, newest first, filtered by client, name or verdict",
      query: EntryQuery,
      response: z.object({ items: z.array(LogEntry), next: z.int().nullable() }),
      errors: [400, ...AWAY],
    }, ({ c }) => ask({ path: `/entries${search(c.req.url)}` })),
    route({
      ...COMMON,
      method: "DELETE",
      path: "/plugins/dns/log/entries",
      summary: "Delete the whole query log",
      errors: AWAY,
    }, () => ask({ method: "DELETE", path: "/entries" })),
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/status",
      summary:
        "Size of the query log, and the number of queries by verdict since a time (default a day ago)",
      query: StatusQuery,
      response: QueryLogStatus,
      errors: [400, ...AWAY],
    }, ({ c }) => ask({ path: `/status${search(c.req.url)}` })),
  ];
}

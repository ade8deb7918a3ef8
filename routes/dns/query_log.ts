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

/** What the routes of what was asked need from outside. */
export interface DnsLogReadsDeps {
  /** The resolver's socket for its log. */
  readonly queryLog: Service;
}

const COMMON = { tag: "DNS log", access: "auth" } as const;
const AWAY = [502, 503] as const;

/** What was asked, as the resolver kept it. */
export function dnsLogReadRoutes({ queryLog }: DnsLogReadsDeps): Route[] {
  const ask = (call: SocketCall): Promise<Response> => socketCall(queryLog, call);
  const search = (url: string): string => new URL(url).search;
  return [
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/history/{ip}",
      summary: "What an address asked, newest first; empty when nothing is kept",
      params: ClientPath,
      response: z.array(LogEntry),
      errors: [400, ...AWAY],
    }, ({ params }) => ask({ path: `/history/${encodeURIComponent(params.ip)}` })),
    route(
      {
        ...COMMON,
        method: "DELETE",
        path: "/plugins/dns/log/history/{ip}",
        summary: "Forget what an address asked",
        params: ClientPath,
        errors: [400, ...AWAY],
      },
      ({ params }) => ask({ method: "DELETE", path: `/history/${encodeURIComponent(params.ip)}` }),
    ),
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/entries",
      summary: "What was asked, newest first: of one address, for a name, or by what became of it",
      query: EntryQuery,
      response: z.object({ items: z.array(LogEntry), next: z.int().nullable() }),
      errors: [400, ...AWAY],
    }, ({ c }) => ask({ path: `/entries${search(c.req.url)}` })),
    route({
      ...COMMON,
      method: "DELETE",
      path: "/plugins/dns/log/entries",
      summary: "Forget everything that was asked",
      errors: AWAY,
    }, () => ask({ method: "DELETE", path: "/entries" })),
    route({
      ...COMMON,
      method: "GET",
      path: "/plugins/dns/log/status",
      summary:
        "How much is kept, and what became of the queries since a time, by default a day ago",
      query: StatusQuery,
      response: QueryLogStatus,
      errors: [400, ...AWAY],
    }, ({ c }) => ask({ path: `/status${search(c.req.url)}` })),
  ];
}

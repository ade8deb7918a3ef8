import * as z from "zod";
import {
  ClientPath,
  EventBatch,
  EventsQuery,
  RetainBody,
} from "../../system/dns/log/search/request_schema.ts";
import { LogConfig, LogEntry } from "../../system/dns/log/schema.ts";
import type { LogStore } from "../../system/dns/log/writer/store.ts";
import { type Route, route } from "../http/route.ts";
import { ENTRY_SEARCH, LOG_STATUS } from "../dns/log_queries.ts";

/** Dependencies of {@link dnsLogSocketRoutes}. */
export interface DnsLogDeps {
  readonly store: Pick<
    LogStore,
    "config" | "dropped" | "search" | "status" | "deleteQueries" | "retainDevices" | "events"
  >;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Entries of a history, as existing clients expect. */
const HISTORY_SIZE = 1024;
/** Default number of entries in a page, and in a batch of events. */
const PAGE_SIZE = 100;
/** Default period of the counts. */
const DAY_MS = 86_400_000;

const { HostPrivacyIPList, DomainIgnoreList } = LogConfig.shape;

/** The resolver's socket for the query log: search, live events and deletion. */
export function dnsLogSocketRoutes({ store, now }: DnsLogDeps): Route[] {
  const common = { tag: "Query log", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/config",
      summary: "Addresses and domains whose queries are not logged",
      description:
        "The privacy filter as dnsd has it now, in the form that existing clients expect.",
      examples: {
        response: [{ HostPrivacyIPList: ["192.168.2.10"] }, {
          DomainIgnoreList: ["*.example.net"],
        }],
      },
      response: z.tuple([z.object({ HostPrivacyIPList }), z.object({ DomainIgnoreList })]),
    }, () => {
      const { HostPrivacyIPList, DomainIgnoreList } = store.config;
      return [{ HostPrivacyIPList }, { DomainIgnoreList }] as const;
    }),
    route({
      ...common,
      method: "GET",
      path: "/host_privacy_list",
      summary: "Addresses whose queries are not logged",
      description: "Client addresses of the privacy filter.",
      response: HostPrivacyIPList,
    }, () => store.config.HostPrivacyIPList),
    route({
      ...common,
      method: "GET",
      path: "/domain_ignores",
      summary: "Domains whose queries are not logged",
      description: "Domains of the privacy filter.",
      examples: { response: ["*.example.net"] },
      response: DomainIgnoreList,
    }, () => store.config.DomainIgnoreList),
    route({
      ...common,
      method: "GET",
      path: "/history/{ip}",
      summary: "Queries of one address, newest first",
      description: "Returns at most 1024 queries of the client.",
      params: ClientPath,
      response: z.array(LogEntry),
    }, async ({ params: { ip } }) => {
      const query = { client: ip, name: "", verdicts: [], before: null, limit: HISTORY_SIZE };
      return (await store.search(query)).items;
    }),
    route({
      ...common,
      method: "DELETE",
      path: "/history/{ip}",
      summary: "Delete the queries of one address",
      description: "Deletes every stored query of the client from disk.",
      params: ClientPath,
    }, ({ params }) => store.deleteQueries(params.ip)),
    route({
      ...common,
      method: "GET",
      path: "/entries",
      summary: "Search the query log",
      description:
        "Returns queries newest first. Pass `next` as `after` for the next page; it is null at the " +
        "end.",
      ...ENTRY_SEARCH,
    }, ({ query: { client, name, verdict, after, limit } }) =>
      store.search({
        client,
        name,
        verdicts: verdict,
        before: after ?? null,
        limit: Math.max(1, limit ?? PAGE_SIZE),
      })),
    route({
      ...common,
      method: "DELETE",
      path: "/entries",
      summary: "Delete the whole query log",
      description: "Deletes all stored queries of all devices from disk.",
    }, () => store.deleteQueries("")),
    route({
      ...common,
      method: "GET",
      path: "/status",
      ...LOG_STATUS,
    }, async ({ query: { client, since, periods } }) => {
      const status = await store.status(client, since ?? now() - DAY_MS, periods);
      return { ...status, dropped: store.dropped };
    }),
    route(
      {
        ...common,
        method: "GET",
        path: "/events",
        summary: "Query events for the live stream",
        description:
          "Waits up to `wait` milliseconds for queries after the entry `after`. `skipped` counts " +
          "events that were dropped because the reader fell behind.",
        examples: {
          parameters: { after: "1767225600000001", wait: "20000", max: "100" },
          response: {
            items: [{
              topic: "dns:block:event",
              value: { ClientIP: "192.168.2.6", Name: "ads.example." },
            }],
            last: 1_767_225_600_000_002,
            skipped: 0,
          },
        },
        query: EventsQuery,
        response: EventBatch,
      },
      ({ query: { after, wait, max } }) =>
        store.events(after ?? null, { wait: wait ?? 0, max: max ?? PAGE_SIZE }),
    ),
    route({
      ...common,
      method: "PUT",
      path: "/retain",
      summary: "Keep only the queries of known devices",
      description: "Deletes the queries of every device whose identity is not in the list.",
      body: RetainBody,
      maxBody: 1 << 23,
    }, ({ body }) => store.retainDevices(body.identities)),
  ];
}

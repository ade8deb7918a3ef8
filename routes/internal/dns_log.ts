import { z } from "zod";
import {
  ClientPath,
  EntryQuery,
  EventBatch,
  EventsQuery,
  QueryLogStatus,
  RetainBody,
  StatusQuery,
} from "../../system/dns/log/search/request_schema.ts";
import { LogConfig, LogEntry } from "../../system/dns/log/schema.ts";
import type { LogStore } from "../../system/dns/log/writer/store.ts";
import { type Route, route } from "../http/route.ts";

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
      response: HostPrivacyIPList,
    }, () => store.config.HostPrivacyIPList),
    route({
      ...common,
      method: "GET",
      path: "/domain_ignores",
      summary: "Domains whose queries are not logged",
      response: DomainIgnoreList,
    }, () => store.config.DomainIgnoreList),
    route({
      ...common,
      method: "GET",
      path: "/history/{ip}",
      summary: "Queries of one address, newest first",
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
      params: ClientPath,
    }, ({ params }) => store.deleteQueries(params.ip)),
    route({
      ...common,
      method: "GET",
      path: "/entries",
      summary: "Queries, newest first, of one address, for a name or by verdict",
      query: EntryQuery,
      response: z.object({ items: z.array(LogEntry), next: z.int().nullable() }),
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
    }, () => store.deleteQueries("")),
    route({
      ...common,
      method: "GET",
      path: "/status",
      summary: "Size of the query log, and queries by verdict since a time",
      query: StatusQuery,
      response: QueryLogStatus,
    }, async ({ query: { client, since } }) => {
      const status = await store.status(client, since ?? now() - DAY_MS);
      return { ...status, dropped: store.dropped };
    }),
    route(
      {
        ...common,
        method: "GET",
        path: "/events",
        summary: "Events after an entry, as soon as there are any",
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
      summary: "Delete the queries of every device that is not named",
      body: RetainBody,
      maxBody: 1 << 23,
    }, ({ body }) => store.retainDevices(body.identities)),
  ];
}

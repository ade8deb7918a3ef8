import { z } from "zod";
import {
  ClientPath,
  EventsAsk,
  EventsTold,
  KeepAsk,
  LogAsk,
  LogState,
  StatusAsk,
} from "../../system/dns/log/search/request_schema.ts";
import { LogConfig, LogEntry } from "../../system/dns/log/schema.ts";
import type { LogStore } from "../../system/dns/log/writer/store.ts";
import { type Route, route } from "../http/route.ts";

/** What the socket of the query log needs from outside. */
export interface DnsLogDeps {
  readonly store: Pick<
    LogStore,
    "config" | "dropped" | "page" | "status" | "forget" | "keepOnly" | "events"
  >;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Queries that a history holds, as existing clients know it. */
const HISTORY = 1024;
/** Entries of one part of the log, and events of one answer, where nothing is said. */
const PART = 100;
/** Milliseconds of the counts where nothing is said. */
const DAY = 86_400_000;

const { HostPrivacyIPList, DomainIgnoreList } = LogConfig.shape;

/** The resolver's own socket for the query log: what it alone knows, and what is to be forgotten. */
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
      const part = { client: ip, name: "", verdicts: [], before: null, limit: HISTORY };
      return (await store.page(part)).items;
    }),
    route({
      ...common,
      method: "DELETE",
      path: "/history/{ip}",
      summary: "Delete the queries of one address",
      params: ClientPath,
    }, ({ params }) => store.forget(params.ip)),
    route({
      ...common,
      method: "GET",
      path: "/entries",
      summary: "Queries, newest first, of one address, for a name or by verdict",
      query: LogAsk,
      response: z.object({ items: z.array(LogEntry), next: z.int().nullable() }),
    }, ({ query: { client, name, verdict, after, limit } }) =>
      store.page({
        client,
        name,
        verdicts: verdict,
        before: after ?? null,
        limit: Math.max(1, limit ?? PART),
      })),
    route({
      ...common,
      method: "DELETE",
      path: "/entries",
      summary: "Delete the whole query log",
    }, () => store.forget("")),
    route({
      ...common,
      method: "GET",
      path: "/status",
      summary: "Size of the query log, and queries by verdict since a time",
      query: StatusAsk,
      response: LogState,
    }, async ({ query: { client, since } }) => {
      const status = await store.status(client, since ?? now() - DAY);
      return { ...status, dropped: store.dropped };
    }),
    route(
      {
        ...common,
        method: "GET",
        path: "/events",
        summary: "Events after an entry, as soon as there are any",
        query: EventsAsk,
        response: EventsTold,
      },
      ({ query: { after, wait, most } }) =>
        store.events(after ?? null, { wait: wait ?? 0, most: most ?? PART }),
    ),
    route({
      ...common,
      method: "PUT",
      path: "/keep",
      summary: "Delete the queries of every device that is not named",
      body: KeepAsk,
      maxBody: 1 << 23,
    }, ({ body }) => store.keepOnly(body.identities)),
  ];
}

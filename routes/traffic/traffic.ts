import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import type { Host } from "../../system/core/kernel/host.ts";
import { Ipv4 } from "../../system/core/net/grammar.ts";
import type { Traffic } from "../../system/traffic/open.ts";
import { flowPage } from "../../system/traffic/flows/flow_page.ts";
import { FlowPage, FlowQuery } from "../../system/traffic/flows/schema.ts";
import { ipTraffic } from "../../system/traffic/ip_traffic.ts";
import {
  CounterEntry,
  CounterName,
  DeviceInsight,
  InsightsNames,
  InsightsOverview,
  InsightsSettings,
  IpTrafficEntry,
  TrafficHistory,
  TrafficRates,
  TrafficSnapshot,
} from "../../system/traffic/schema.ts";
import { AsnText, CountryCode } from "../../system/geo/schema.ts";
import { setInsights } from "../../system/traffic/rules.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link trafficRoutes}. */
export interface TrafficDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config" | "desired"> & {
    readonly host: Pick<Host, "liveFlows">;
  };
  readonly traffic: Pick<Traffic, "counters" | "insights" | "pairs" | "names" | "lookUp">;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly steady: () => number;
}

/** A number of minutes as existing clients send it: anything else counts as missing. */
const HistoryMinutes = z.string().max(32).optional()
  .describe("1–1440; without it one object with the bytes until now");

const RatesQuery = z.object({
  minutes: z.string().regex(/^\d{1,4}$/, { error: "Enter 1–1440 minutes" }).transform(Number)
    .pipe(z.int().min(1).max(1440, { error: "Enter 1–1440 minutes" }))
    .default(60).describe("1–1440"),
  address: Ipv4.optional().describe("Address of a device; all devices without it"),
});

/** 90 days, the longest that insights are kept. */
const MAX_MINUTES = 129_600;
/** 7 days. */
const MAX_NAME_MINUTES = 10_080;
/** The last moment of a date (ECMA-262, 21.4.1.1). */
const MAX_TIME = 8.64e15;

const Window = z.object({
  minutes: z.string().regex(/^\d{1,9}$/, { error: "Enter a whole number of minutes" })
    .transform(Number)
    .pipe(z.int().min(1).max(MAX_MINUTES, { error: `Enter 1–${MAX_MINUTES} minutes` }))
    .default(1440).describe(`1–${MAX_MINUTES}`),
});

/** A window that may have ended before now. */
const PastWindow = Window.extend({
  until: z.string().regex(/^\d{1,15}$/, { error: "Enter unix milliseconds" }).transform(Number)
    .pipe(z.int().max(MAX_TIME, { error: "Enter unix milliseconds" })).optional()
    .describe("End of the window, unix milliseconds; now without it"),
});

/** Names are summed up over all devices, which takes longer than sums that are kept. */
const NameWindow = PastWindow.extend({
  minutes: z.string().regex(/^\d{1,9}$/, { error: "Enter a whole number of minutes" })
    .transform(Number)
    .pipe(z.int().min(1).max(MAX_NAME_MINUTES, { error: `Enter 1–${MAX_NAME_MINUTES} minutes` }))
    .default(1440).describe(`1–${MAX_NAME_MINUTES}`),
});

const HistoryQuery = Window.extend({
  country: z.union([z.literal(""), CountryCode]).optional()
    .describe("Code of a country; empty for traffic whose country is not known"),
  asn: AsnText.optional().describe("Number of a network"),
  device: Ipv4.optional().describe("Address of a device"),
});

const common = { method: "GET", tag: "Traffic", access: "auth", compresses: true } as const;

/** What devices send and receive. */
export function trafficRoutes(deps: TrafficDeps): Route[] {
  return [...counterRoutes(deps), ...insightRoutes(deps)];
}

function counterRoutes({ traffic, engine, now, steady }: TrafficDeps): Route[] {
  const example = {
    "192.168.2.6": { LanIn: 5120, LanOut: 2048, WanIn: 1_048_576, WanOut: 65_536 },
  };
  return [
    route({
      ...common,
      path: "/traffic/{name}",
      summary: "Packets and bytes of each device",
      description:
        "Counts forwarded traffic of each local address since the router's management started: " +
        "between the LAN and uplinks (`_wan`) or within the LAN (`_lan`), sent by the address " +
        "(`outgoing_`) or received (`incoming_`). Blocked packets are not counted.",
      examples: { parameters: { name: "incoming_traffic_wan" } },
      params: z.object({ name: CounterName }),
      response: z.array(CounterEntry),
      errors: [502],
    }, async ({ params }) => [...await traffic.counters.entries(params.name)]),
    route({
      ...common,
      path: "/iptraffic",
      summary: "Packets and bytes between addresses",
      description:
        "What any two addresses sent each other, in each direction, while their traffic did not " +
        "pause for an hour; the latest 4096 or so. `SrcDomain` and `DstDomain` are the names by " +
        "which the other end resolved them. As of the last minute, or less.",
      response: z.array(IpTrafficEntry),
      errors: [502],
    }, async () => {
      await traffic.counters.readFlows();
      return [...ipTraffic(traffic, engine, steady())];
    }),
    route({
      ...common,
      path: "/traffic_history",
      summary: "Bytes of each device, minute by minute",
      description:
        "Without a query the bytes of each local address since the router's management started. With " +
        "`minutes` a list of such objects, one as of the end of each minute, the newest first; a " +
        "minute's traffic is the difference of two neighbours. Long lists end early when there are " +
        "many devices. It begins anew when the management restarts.",
      examples: { response: example },
      query: z.object({ minutes: HistoryMinutes }),
      response: z.union([TrafficSnapshot, z.array(TrafficSnapshot)]),
      errors: [502],
    }, async ({ query }) => {
      if (query.minutes === undefined) return await traffic.counters.now();
      const minutes = /^\d{1,9}$/.test(query.minutes) ? Number(query.minutes) : 0;
      return [...traffic.counters.snapshots(minutes === 0 ? Infinity : minutes)];
    }),
    route({
      ...common,
      path: "/traffic_rates",
      summary: "Bytes minute by minute, of all devices or of one",
      description:
        "What devices sent and received in each of the last minutes, and in all until now. It begins " +
        "anew when the management restarts.",
      examples: { parameters: { address: "192.168.2.6" } },
      query: RatesQuery,
      response: TrafficRates,
      errors: [502],
    }, async ({ query: { minutes, address } }) => {
      const total = await traffic.counters.total(address ?? null);
      const rates = traffic.counters.rates(minutes, address ?? null);
      const last = now() - Math.round(rates.endedAgo);
      return {
        items: rates.minutes.map((minute, at) => ({
          at: last - (rates.minutes.length - 1 - at) * 60_000,
          ...minute,
        })),
        total,
      };
    }),
    route({
      ...common,
      path: "/flows",
      summary: "Live connections",
      description:
        "The IPv4 connections that the router tracks, the newest first or those with the most bytes. " +
        "Bytes are as of some seconds before. `name` is the name by which the device resolved the " +
        "address. Filters by name, country and network find addresses with traffic in the last hour.",
      examples: { parameters: { country: "DE", asn: "64500", name: "games.example" } },
      query: FlowQuery,
      response: FlowPage,
      errors: [502],
    }, ({ query }) => flowPage(query, { traffic, engine })),
  ];
}

function insightRoutes({ traffic, engine }: TrafficDeps): Route[] {
  const { insights, counters } = traffic;
  // While netd is away, what is stored is answered.
  const readIfPossible = (): Promise<void> => counters.readFlows().catch(() => {});
  return [
    route({
      ...common,
      path: "/traffic_insights/config",
      document: "insights",
      summary: "Whether traffic is kept by destination",
      description: "Returns whether traffic is kept by destination, and for how many days.",
      response: InsightsSettings,
    }, () => engine.config.insights),
    route({
      ...common,
      method: "PUT",
      path: "/traffic_insights/config",
      document: "insights",
      summary: "Set whether traffic is kept by destination",
      description:
        "What is older than `RetentionDays` is deleted soon after. Without `Enabled` nothing more is " +
        "kept.",
      body: InsightsSettings,
      response: InsightsSettings,
      errors: [409, 412],
    }, ({ body, decide }) =>
      decide({
        kind: "traffic.insights",
        summary: body.Enabled
          ? `Keep traffic by destination for ${body.RetentionDays} days`
          : "Keep no traffic by destination",
        reduce: (config) => setInsights(config, body),
      }, (result) => result)),
    route({
      ...common,
      path: "/traffic_insights/overview",
      summary: "Traffic by country and network",
      description:
        "What devices exchanged with the outside in the last `minutes`, by hours that end in that " +
        "time; what is more than one or two days old, by days (UTC). Traffic among devices and " +
        "containers is left out. As of the last minute, or less.",
      query: PastWindow,
      response: InsightsOverview,
      errors: [503],
    }, async ({ query }) => {
      await readIfPossible();
      return json(await insights.overview(query.minutes, query.until));
    }),
    route({
      ...common,
      path: "/traffic_insights/names",
      summary: "Traffic by name",
      description:
        "With which names devices exchanged traffic in the last `minutes`, by hours and days as in " +
        "the overview. An address that no device resolved stands by itself; what is in `other` of a " +
        "device is left out.",
      query: NameWindow,
      response: InsightsNames,
      errors: [503],
    }, async ({ query }) => {
      await readIfPossible();
      return json(await insights.names(query.minutes, query.until));
    }),
    route({
      ...common,
      path: "/traffic_insights/history",
      summary: "Traffic hour by hour or day by day",
      description:
        "What devices exchanged with the outside in each hour of the last `minutes`, or in each day " +
        "(UTC) where that is longer than one day; of a country, a network or a device alone where " +
        "they are given.",
      examples: { parameters: { country: "DE", asn: "64496", device: "192.168.2.6" } },
      query: HistoryQuery,
      response: TrafficHistory,
      errors: [503],
    }, async ({ query: { minutes, country = null, asn = null, device = null } }) => {
      await readIfPossible();
      return json(await insights.history(minutes, { country, asn, device }));
    }),
    route({
      ...common,
      path: "/traffic_insights/device/{ip}",
      summary: "Destinations of a device",
      description:
        "With which addresses the device exchanged traffic in the last `minutes`, by hours and days " +
        "as in the overview. All further addresses are together in `other`.",
      examples: { parameters: { ip: "192.168.2.6" } },
      params: z.object({ ip: Ipv4 }),
      query: PastWindow,
      response: DeviceInsight,
      errors: [503],
    }, async ({ params, query }) => {
      await readIfPossible();
      return json(await insights.device(params.ip, query.minutes, query.until));
    }),
  ];
}

/** The store answers JSON, which may be megabytes. */
function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}

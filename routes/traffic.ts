import { z } from "zod";
import type { TrafficCounters } from "../system/traffic/counters/traffic_counters.ts";
import { CounterEntry, CounterName, TrafficSnapshot } from "../system/traffic/schema.ts";
import { type Route, route } from "./http/route.ts";

/** Dependencies of {@link trafficRoutes}. */
export interface TrafficDeps {
  readonly traffic: {
    readonly counters: Pick<TrafficCounters, "entries" | "now" | "snapshots">;
  };
}

/** A number of minutes as existing clients send it: anything else counts as missing. */
const HistoryMinutes = z.string().max(32).optional()
  .describe("1–1440; without it one object with the bytes until now");

/** What devices send and receive. */
export function trafficRoutes({ traffic }: TrafficDeps): Route[] {
  const common = { method: "GET", tag: "Traffic", access: "auth" } as const;
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
  ];
}

import * as z from "zod";
import type { Deliveries } from "../../system/alerts/delivery/deliveries.ts";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { parseRange4 } from "../../system/core/net/net.ts";
import { BlockMetrics } from "../../system/dns/block/api_schema.ts";
import { DnsStatus } from "../../system/dns/config/status_schema.ts";
import type { OpenedServer } from "../../system/events/server/open.ts";
import { exposition, METRICS_TYPE } from "../../system/metrics/exposition.ts";
import { metricsOf } from "../../system/metrics/metrics.ts";
import type { Tallies } from "../../system/metrics/tallies.ts";
import type { TopologyView } from "../../system/topology/view.ts";
import type { Traffic } from "../../system/traffic/open.ts";
import type { UplinkHealth } from "../../system/uplink/health/health.ts";
import { type Route, route } from "../http/route.ts";
import type { ServiceClient } from "../http/service_client.ts";

/** Dependencies of {@link metricsRoutes}. */
export interface MetricsDeps {
  readonly engine: Pick<Engine<Config>, "config" | "desired" | "network" | "host">;
  readonly deliveries: Pick<Deliveries, "states">;
  readonly historyServer: Pick<OpenedServer, "state"> | null;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly topology: Pick<TopologyView, "read">;
  readonly traffic: { readonly counters: Pick<Traffic["counters"], "now"> };
  readonly uplinks: { readonly health: Pick<UplinkHealth, "status"> };
  readonly resolver: Pick<ServiceClient, "call">;
  readonly dnsFilter: Pick<ServiceClient, "call">;
  readonly wifid: Pick<ServiceClient, "call">;
  readonly lookupTables: Pick<ServiceClient, "call">;
  readonly tallies: Tallies;
  readonly versions: { readonly program: string };
  /** Monotonic milliseconds. */
  readonly steady: () => number;
}

/** Milliseconds that a service is waited for; one that takes longer counts as away. */
const PATIENCE_MS = 2000;
/** Addresses of a /30, which one device has. */
const PER_DEVICE = 4;

/** Metrics for monitoring. */
export function metricsRoutes(deps: MetricsDeps): Route[] {
  const began = deps.steady();
  return [
    route({
      method: "GET",
      path: "/metrics",
      tag: "System",
      access: "auth",
      summary: "Metrics in the text format of Prometheus",
      description:
        "Devices, traffic, DNS, DHCP, Wi-Fi, uplinks, steps of changes and processes. What a process " +
        "would say that does not respond is left out. A token with the scope `/metrics:r` reads " +
        "nothing else.",
      mediaType: "text/plain",
      examples: {
        response: "# HELP sluice_devices Devices by how they are connected.\n" +
          "# TYPE sluice_devices gauge\n" +
          'sluice_devices{connection="wired"} 3\n',
      },
      response: z.string(),
    }, async () => {
      const text = exposition(metricsOf(await readings(deps, began)));
      return new Response(text, { headers: { "content-type": METRICS_TYPE } });
    }),
  ];
}

async function readings(deps: MetricsDeps, began: number) {
  const { engine, tallies } = deps;
  const one = { ...{ addresses: null, remotes: null, before: null }, order: "newest" } as const;
  const orNull = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);
  const [topology, traffic, flows, links, dns, blocking, wifid, lookup, history] = await Promise
    .all([
      deps.topology.read(),
      orNull(deps.traffic.counters.now()),
      orNull(engine.host.liveFlows({ ...one, limit: 1 })),
      orNull(engine.host.linkBytes()),
      read(deps.resolver, "/status", DnsStatus),
      read(deps.dnsFilter, "/metrics", BlockMetrics),
      responds(deps.wifid),
      responds(deps.lookupTables),
      orNull(deps.historyServer?.state() ?? Promise.resolve(null)),
    ]);
  const { devices, dhcp, alertChannels } = engine.config;
  const kinds = new Map(alertChannels.map(({ id, kind }) => [id, kind]));
  const size = dhcp.TinyNets.flatMap((net) => parseRange4(net) ?? [])
    .reduce((sum, { first, last }) => sum + Math.floor((last - first + 1) / PER_DEVICE), 0);
  return {
    version: deps.versions.program,
    topology,
    traffic,
    flows: flows?.total ?? null,
    uplinkBytes: new Map(
      (engine.desired.facts?.uplinks ?? []).flatMap(({ name, link }) => {
        const bytes = links?.[link];
        return bytes === undefined ? [] : [[name, bytes] as const];
      }),
    ),
    dns,
    blocking,
    dhcp: {
      pool: size,
      used: Object.values(devices).filter(({ RecentIP }) => RecentIP !== "").length,
    },
    uplinks: deps.uplinks.health.status(),
    processes: { api: true, netd: traffic !== null, dnsd: dns !== null, wifid, lookup },
    isApplied: engine.network.state === "applied",
    stages: tallies.stages,
    requests: tallies.requests,
    channels: deps.deliveries.states().map((state) => ({ ...state, kind: kinds.get(state.id)! })),
    history,
    now: deps.now(),
    events: tallies.events,
    memory: Deno.memoryUsage(),
    uptimeSeconds: Math.max(0, deps.steady() - began) / 1000,
  };
}

/** What a service answers; null where it does not run, is late, or answers something else. */
async function read<T>(
  service: Pick<ServiceClient, "call">,
  path: string,
  shape: z.ZodType<T>,
): Promise<T | null> {
  try {
    const response = await service.call({ path, timeoutMs: PATIENCE_MS });
    return shape.parse(await response.json());
  } catch {
    return null;
  }
}

/** True where a service answers, whatever it is. */
async function responds(service: Pick<ServiceClient, "call">): Promise<boolean> {
  try {
    const response = await service.call({ path: "/", timeoutMs: PATIENCE_MS });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

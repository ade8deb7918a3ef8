import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import type { UplinkHealth } from "../../system/uplink/health/health.ts";
import { UplinkSettings, UplinkShares } from "../../system/uplink/schema.ts";
import type { SpeedTests } from "../../system/uplink/health/speed_tests.ts";
import type { UplinkHistory } from "../../system/uplink/health/history.ts";
import { repairedUplinkSettings, setUplinkSettings } from "../../system/uplink/settings_rules.ts";
import {
  SpeedTestResult,
  UplinkOutage,
  UplinkSample,
  UplinkStatus,
} from "../../system/uplink/status_schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link uplinkRoutes}. */
export interface UplinkDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly uplinks: {
    readonly health: Pick<UplinkHealth, "status">;
    readonly history: Pick<UplinkHistory, "samples" | "outages" | "speedTests">;
    readonly speed: Pick<SpeedTests, "run">;
  };
}

/** Maximum samples of a response: a day of minutes. */
const MAX_SAMPLES = 1440;

/** Status, history, health check settings and speed tests of the uplinks. */
export function uplinkRoutes({ engine, uplinks }: UplinkDeps): Route[] {
  const common = { method: "GET", tag: "Uplinks", access: "auth" } as const;
  return [
    route({
      ...common,
      path: "/wan/status",
      compresses: true,
      summary: "Status of each uplink",
      description:
        "State, latency, packet loss and address of each uplink, and its share of new connections. " +
        "Times are unix seconds, 0 for never.",
      response: z.array(UplinkStatus),
    }, () => [...uplinks.health.status()]),
    route(
      {
        ...common,
        path: "/wan/history/{interface}",
        compresses: true,
        summary: "Latency and loss of an uplink",
        description:
          "One sample per minute or hour, newest first; at most 1440. Times are unix seconds.",
        examples: { parameters: { interface: "wan0" } },
        params: z.object({ interface: InterfaceName }),
        query: z.object({
          scale: z.enum(["minutes", "hours"]).default("minutes"),
          count: z.coerce.number().pipe(z.int().min(1)).transform((count) =>
            Math.min(count, MAX_SAMPLES)
          )
            .default(60),
        }),
        response: z.array(UplinkSample),
      },
      (
        { params, query },
      ) => [...uplinks.history.samples(params.interface, query.scale, query.count)],
    ),
    route({
      ...common,
      path: "/wan/outages",
      summary: "Outages of uplinks, newest first",
      description: "Times are unix seconds. An outage that lasts has `End` 0.",
      response: z.array(UplinkOutage),
    }, () => [...uplinks.history.outages()]),
    route({
      ...common,
      path: "/wan/config",
      document: "wan",
      summary: "Settings of health checks, failover and load balancing",
      description:
        "Returns how uplinks are monitored and how new connections are distributed among them.",
      response: UplinkSettings,
    }, () => engine.config.wan),
    route({
      ...common,
      method: "PUT",
      path: "/wan/config",
      document: "wan",
      summary: "Set health checks, failover and load balancing",
      description:
        "Settings that are left out or out of range get their default, as existing clients rely on; " +
        "`ProbeGateway`, `Balance`, `Failback`, `AcceptSmallMTU` and `Uplinks` stay unchanged when " +
        "left out. The order of `Uplinks` is the order of failover.",
      examples: {
        body: {
          Enabled: true,
          IntervalSeconds: 5,
          ProbeTargets: ["198.51.100.53"],
          FailThreshold: 4,
          Uplinks: [{ Iface: "wan0", Weight: 1 }],
        },
      },
      body: z.looseObject({ Uplinks: UplinkShares.optional() }),
      response: UplinkSettings,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "wan.set",
        summary: "Changed the uplink health checks and load balancing",
        reduce: (config) =>
          setUplinkSettings(config, repairedUplinkSettings(call.body, config.wan)),
      }, (result) => result)),
    route({
      ...common,
      path: "/wan/speedtest",
      summary: "Speed test results, newest first",
      description:
        "Results of the speed tests that were run on uplinks. `Error` says why one failed.",
      response: z.array(SpeedTestResult),
    }, () => [...uplinks.history.speedTests()]),
    route({
      ...common,
      method: "PUT",
      path: "/wan/speedtest/{interface}",
      summary: "Run a speed test on an uplink",
      description:
        "Downloads from `SpeedTestURL` through this uplink, and answers when done, after at most " +
        "half a minute. One test runs at a time.",
      examples: { parameters: { interface: "wan0" } },
      params: z.object({ interface: InterfaceName }),
      response: SpeedTestResult,
      errors: [404, 409, 503],
    }, ({ params }) => uplinks.speed.run(params.interface)),
  ];
}

import { z } from "zod";
import type { UplinkHealth } from "../../system/uplink/health/health.ts";
import type { UplinkLeases } from "../../system/uplink/leases.ts";
import {
  LeaseReport,
  ProbeReport,
  ProblemReport,
  SpeedReport,
  UplinkPlan,
} from "../../system/uplink/plan_schema.ts";
import type { SpeedTests } from "../../system/uplink/health/speed_tests.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of uplinkd need from outside. */
export interface UplinkSocketDeps {
  readonly leases: UplinkLeases;
  readonly health: Pick<UplinkHealth, "probed">;
  readonly speed: Pick<SpeedTests, "report">;
  /** Waits until the plan is another than the known one. */
  readonly plan: (known: string) => Promise<UplinkPlan>;
}

/** Everything on the socket of uplinkd. */
export function uplinkSocketRoutes({ leases, health, speed, plan }: UplinkSocketDeps): Route[] {
  const common = { method: "PUT", tag: "Uplinks", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary:
        "DHCP clients, PPPoE connections and health checks to run, as soon as they differ from the known ones",
      query: z.object({ known: z.string().max(64).default("") }),
      response: UplinkPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      path: "/lease",
      summary: "Report the DHCP lease of an uplink",
      body: LeaseReport,
      errors: [502],
    }, ({ body }) => leases.take(body)),
    route({
      ...common,
      path: "/probes",
      summary: "Report one round of health checks",
      body: ProbeReport,
      errors: [502],
    }, ({ body }) => health.probed(body)),
    route({
      ...common,
      path: "/problem",
      summary: "Report a problem of an uplink, or its end",
      body: ProblemReport,
    }, ({ body }) => leases.reportProblem(body)),
    route({
      ...common,
      path: "/speed",
      summary: "Report the result of a speed test",
      body: SpeedReport,
    }, ({ body }) => speed.report(body)),
  ];
}

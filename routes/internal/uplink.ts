import { z } from "zod";
import type { WanHealth } from "../../system/uplink/health/health.ts";
import type { UplinkLeases } from "../../system/uplink/leases.ts";
import {
  LeaseReport,
  ProbeReport,
  SpeedReport,
  TroubleReport,
  UplinkPlan,
} from "../../system/uplink/plan_schema.ts";
import type { SpeedTests } from "../../system/uplink/health/speed_tests.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of uplinkd need from outside. */
export interface UplinkSocketDeps {
  readonly leases: UplinkLeases;
  readonly health: Pick<WanHealth, "probed">;
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
      summary: "Clients to run and uplinks to ask, as soon as they are others than the known ones",
      query: z.object({ known: z.string().max(64).default("") }),
      response: UplinkPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      path: "/lease",
      summary: "Tell what a provider gave an uplink",
      body: LeaseReport,
      errors: [502],
    }, ({ body }) => leases.take(body)),
    route({
      ...common,
      path: "/probes",
      summary: "Tell what came back in one round",
      body: ProbeReport,
      errors: [502],
    }, ({ body }) => health.probed(body)),
    route({
      ...common,
      path: "/trouble",
      summary: "Tell what keeps an uplink from working, or that nothing does",
      body: TroubleReport,
    }, ({ body }) => leases.trouble(body)),
    route({
      ...common,
      path: "/speed",
      summary: "Tell what a speed test came to",
      body: SpeedReport,
    }, ({ body }) => speed.report(body)),
  ];
}

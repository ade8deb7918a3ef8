import * as z from "zod";
import type { DyndnsResults } from "../../system/dyndns/results.ts";
import { DyndnsPlan, DyndnsReport } from "../../system/dyndns/schema.ts";
import type { UplinkHealth } from "../../system/uplink/health/health.ts";
import type { Portals } from "../../system/uplink/health/portals.ts";
import type { UplinkLeases } from "../../system/uplink/leases.ts";
import {
  LeaseReport,
  PortalReport,
  ProbeReport,
  ProblemReport,
  SpeedReport,
  UplinkPlan,
} from "../../system/uplink/plan_schema.ts";
import type { SpeedTests } from "../../system/uplink/health/speed_tests.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link uplinkSocketRoutes}. */
export interface UplinkSocketDeps {
  readonly leases: UplinkLeases;
  readonly health: Pick<UplinkHealth, "probed">;
  readonly portals: Pick<Portals, "take">;
  readonly speed: Pick<SpeedTests, "report">;
  /** Dynamic DNS. */
  readonly dyndns: Pick<DyndnsResults, "plan" | "take">;
  /** Waits for another plan than the known one. */
  readonly plan: (known: string) => Promise<UplinkPlan>;
}

/** Routes of uplinkd's socket. */
export function uplinkSocketRoutes(
  { leases, health, portals, speed, dyndns, plan }: UplinkSocketDeps,
): Route[] {
  const common = { method: "PUT", tag: "Uplinks", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary: "Plan that uplinkd works from",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns the " +
        "DHCP clients, PPPoE connections and health checks to run.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: UplinkPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      path: "/lease",
      summary: "Report the DHCP lease of an uplink",
      description:
        "Records address, gateway and resolvers of the uplink; null means that the lease is gone.",
      examples: {
        body: {
          name: "wan0",
          lease: {
            address: "203.0.113.2/24",
            router: "203.0.113.1",
            dns: ["203.0.113.53"],
            search: [],
            routes: [],
            mtu: 1500,
            seconds: 3600,
          },
        },
      },
      body: LeaseReport,
      errors: [502],
    }, ({ body }) => leases.take(body)),
    route({
      ...common,
      path: "/probes",
      summary: "Report one round of health checks",
      description: "One latency in milliseconds for each uplink; null where no reply came.",
      examples: {
        body: { items: [{ name: "wan0", latency: 11.8 }, { name: "wan1", latency: null }] },
      },
      body: ProbeReport,
      errors: [502],
    }, ({ body }) => health.probed(body)),
    route({
      ...common,
      path: "/problem",
      summary: "Report a problem of an uplink, or its end",
      description: "Opens a notice with the detail; an empty one resolves it.",
      examples: { body: { name: "wan0", detail: "The provider refused the password" } },
      body: ProblemReport,
    }, ({ body }) => leases.reportProblem(body)),
    route({
      ...common,
      path: "/portal",
      summary: "Report whether an uplink is behind a captive portal",
      description: "A portal opens a notice with its address, its end resolves it.",
      examples: {
        body: { name: "wlan1", state: "portal", url: "http://portal.example/login" },
      },
      body: PortalReport,
    }, ({ body }) => portals.take(body)),
    route({
      ...common,
      path: "/speed",
      summary: "Report the result of a speed test",
      description: "Ends the speed test with this ID; a test that is no longer awaited is ignored.",
      examples: { body: { id: "b7d1c0", bytes: 251_658_240, seconds: 8.1, error: "" } },
      body: SpeedReport,
    }, ({ body }) => speed.report(body)),
    route({
      ...common,
      method: "GET",
      path: "/dyndns",
      summary: "Names at a provider that uplinkd keeps at the router's address",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns the " +
        "account with its names; null for none.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: DyndnsPlan,
    }, ({ query }) => dyndns.plan(query.known)),
    route({
      ...common,
      path: "/dyndns",
      summary: "Report how names stand at their provider",
      description: "Names every host of the plan; one that failed opens a notice.",
      body: DyndnsReport,
    }, ({ body }) => dyndns.take(body)),
  ];
}

import * as z from "zod";
import type { DiscoveredSenders } from "../../system/multicast/discovered_senders.ts";
import { DiscoveryReport, RelayPlan } from "../../system/multicast/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link multicastSocketRoutes}. */
export interface MulticastSocketDeps {
  readonly discovered: Pick<DiscoveredSenders, "take">;
  /** Waits for another plan than the known one. */
  readonly plan: (known: string) => Promise<RelayPlan>;
}

/** Routes of multicastd's socket. */
export function multicastSocketRoutes({ discovered, plan }: MulticastSocketDeps): Route[] {
  const common = { tag: "Multicast", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary: "Plan that multicastd works from",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns " +
        "interfaces and groups to reflect between.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: RelayPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      method: "PUT",
      path: "/discovered",
      summary: "Report discovered services",
      description: "Adds senders to the list of discovered services, which is not stored.",
      examples: {
        body: {
          items: [{
            address: "224.0.0.251:5353",
            source: "192.168.2.10",
            link: "lan0",
            services: ["_ipp._tcp"],
          }],
        },
      },
      body: DiscoveryReport,
    }, ({ body }) => discovered.take(body)),
  ];
}

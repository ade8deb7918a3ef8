import { z } from "zod";
import type { DiscoveredSenders } from "../../system/multicast/discovered_senders.ts";
import { DiscoveryReport, RelayPlan } from "../../system/multicast/schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the multicast relay need from outside. */
export interface MulticastSocketDeps {
  readonly discovered: Pick<DiscoveredSenders, "take">;
  /** Waits until the plan is another than the known one. */
  readonly plan: (known: string) => Promise<RelayPlan>;
}

/** Everything on the socket of the multicast relay. */
export function multicastSocketRoutes({ discovered, plan }: MulticastSocketDeps): Route[] {
  const common = { tag: "Multicast", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary:
        "Interfaces and groups to reflect between, as soon as they differ from the known ones",
      query: z.object({ known: z.string().max(64).default("") }),
      response: RelayPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      method: "PUT",
      path: "/heard",
      summary: "Report senders and the services they announce",
      body: DiscoveryReport,
    }, ({ body }) => discovered.take(body)),
  ];
}

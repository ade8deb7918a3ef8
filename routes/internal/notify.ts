import * as z from "zod";
import type { Deliveries } from "../../system/alerts/delivery/deliveries.ts";
import { DeliveryPlan, DeliveryReport } from "../../system/alerts/delivery/plan_schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link notifySocketRoutes}. */
export interface NotifySocketDeps {
  readonly deliveries: Pick<Deliveries, "plan" | "take">;
}

/** Routes of notifyd's socket. */
export function notifySocketRoutes({ deliveries }: NotifySocketDeps): Route[] {
  const common = { tag: "Deliveries", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary: "Messages that are to be sent now",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns the " +
        "next message of each channel, and to which addresses nothing may be sent.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: DeliveryPlan,
    }, ({ query }) => deliveries.plan(query.known)),
    route({
      ...common,
      method: "PUT",
      path: "/result",
      summary: "Report what came of a message",
      description:
        "`sent` and `refused` end it; after `busy` and `away` it is sent again later. A message that " +
        "is unknown is ignored.",
      body: DeliveryReport,
    }, ({ body }) => deliveries.take(body)),
  ];
}

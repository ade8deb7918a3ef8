import * as z from "zod";
import { TunnelPlan, TunnelReport } from "../../system/wireguard/tunnels/plan_schema.ts";
import type { Tunnels } from "../../system/wireguard/tunnels/tunnels.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link tunnelsSocketRoutes}. */
export interface TunnelsSocketDeps {
  readonly tunnels: Pick<Tunnels, "take">;
  /** Waits for another plan than the known one. */
  readonly plan: (known: string) => Promise<TunnelPlan>;
}

/** Routes of the socket of the process `wireguard`. */
export function tunnelsSocketRoutes({ tunnels, plan }: TunnelsSocketDeps): Route[] {
  const common = { tag: "VPN", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary: "Tunnels that the process wireguard keeps",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns the " +
        "tunnels with their keys and peers.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: TunnelPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      method: "PUT",
      path: "/report",
      summary: "Report how the tunnels run",
      description:
        "Names every tunnel of the plan; one that is missing is down. Peers that came or went are " +
        "published as `device:vpn:online` and `device:vpn:offline`.",
      body: TunnelReport,
    }, ({ body }) => tunnels.take(body)),
  ];
}

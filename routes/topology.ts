import { Topology } from "../system/topology/schema.ts";
import type { TopologyView } from "../system/topology/view.ts";
import { type Route, route } from "./http/route.ts";

/** What the route of the topology needs. */
export interface TopologyDeps {
  readonly topology: Pick<TopologyView, "read">;
}

/** What is connected where, and who may reach whom; also on the access points' socket. */
export function topologyRoutes({ topology }: TopologyDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/topology",
      compresses: true,
      tag: "Network",
      access: "auth",
      summary: "What is connected where, and who may reach whom",
      description:
        "The router, its interfaces, devices and endpoints as nodes; connections (layer `l1`) and " +
        "access by policies, groups and endpoints (layer `policy`) as edges. Pairs within a group of " +
        "more than 48 members are left out. Every edge is between nodes that are there.",
      response: Topology,
    }, () => topology.read()),
  ];
}

import * as z from "zod";
import type { Leaves } from "../../system/mesh/leaves.ts";
import {
  LeafCall,
  LeafReport,
  LeafResponse,
  MeshPlan,
  Probed,
  ProbeRequest,
  StationReport,
} from "../../system/mesh/plan_schema.ts";
import type { MeshService } from "../../system/mesh/service.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link meshSocketRoutes}. */
export interface MeshSocketDeps {
  readonly leaves: Pick<Leaves, "take">;
  /** Waits for another plan than the known one. */
  readonly plan: (known: string) => Promise<MeshPlan>;
}

const common = { tag: "Mesh", access: "auth" } as const;

/** Routes of the api's socket for the process `mesh`. */
export function meshSocketRoutes({ leaves, plan }: MeshSocketDeps): Route[] {
  return [
    route({
      ...common,
      method: "GET",
      path: "/plan",
      summary: "Plan that the process mesh works from",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns the leaf " +
        "routers and what they are to have, and the parent.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: MeshPlan,
    }, ({ query }) => plan(query.known)),
    route({
      ...common,
      method: "PUT",
      path: "/leaf",
      summary: "Report how a leaf router is",
      description: "Sent after each contact. One that is no leaf router any more is ignored.",
      body: LeafReport,
      maxBody: 8 << 20,
    }, ({ body }) => leaves.take(body)),
  ];
}

/** Routes of the own socket of the process `mesh`. */
export function meshControlSocketRoutes(mesh: MeshService): Route[] {
  return [
    route({
      ...common,
      method: "PUT",
      path: "/probe",
      summary: "Look at a router that is to become a leaf",
      description:
        "Fetches its certificate, which its token must prove, and changes nothing on it.",
      body: ProbeRequest,
      response: Probed,
      errors: [502],
    }, ({ body }) => mesh.probe(body)),
    route({
      ...common,
      method: "PUT",
      path: "/call",
      summary: "Call a route of the mesh on a leaf router",
      description:
        "Over TLS that is pinned to its certificate. The response is handed on as it is.",
      body: LeafCall,
      response: LeafResponse,
      errors: [502],
    }, ({ body }) => mesh.call(body)),
    route({
      ...common,
      method: "PUT",
      path: "/report",
      summary: "Tell the parent of a station",
      description:
        "Responds before the parent has it. A report that the parent does not get is sent again, of each station the " +
        "last one alone.",
      body: StationReport,
    }, ({ body }) => mesh.report(body)),
  ];
}

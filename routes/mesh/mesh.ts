import type { Route } from "../http/route.ts";
import { certificateRoutes } from "./certificate.ts";
import type { MeshDeps } from "./deps.ts";
import { leafModeRoutes } from "./leaf_mode.ts";
import { leafRouterRoutes } from "./leaf_routers.ts";
import { leafServiceRoutes } from "./leaf_service.ts";
import { meshStatusRoutes } from "./status.ts";

/** The mesh: several routers that form one network. */
export function meshRoutes(deps: MeshDeps): Route[] {
  return [
    ...meshStatusRoutes(deps),
    ...certificateRoutes(deps),
    ...leafRouterRoutes(deps),
    ...leafServiceRoutes(deps),
    ...leafModeRoutes(deps),
  ];
}

import type { Machine } from "../../system/core/machine/machine.ts";
import type { Route } from "../http/route.ts";
import { type ContainerDeps, containerRoutes } from "./superd/containers.ts";
import { elsewhereRoutes } from "./superd/elsewhere.ts";
import { engineRoutes } from "./superd/engine.ts";
import { superdMachineRoutes } from "./superd/machine.ts";
import { superdPluginRoutes } from "./superd/plugins.ts";
import { type VersionDeps, versionRoutes } from "./superd/versions.ts";

/** What the supervisor's socket needs. */
export interface SuperdDeps extends VersionDeps, ContainerDeps {
  readonly machine: () => Machine;
}

/**
 * Routes of the socket by which existing services read versions and act on containers. Compose files are
 * those of plugins, from the list of permitted ones; nothing else of the engine can be had here.
 */
export function superdSocketRoutes(deps: SuperdDeps): Route[] {
  return [
    ...versionRoutes(deps),
    ...containerRoutes(deps),
    ...engineRoutes(deps),
    ...superdMachineRoutes(deps),
    ...superdPluginRoutes(deps),
    ...elsewhereRoutes(),
  ];
}

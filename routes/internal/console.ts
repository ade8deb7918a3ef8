import { changesRoutes } from "../changes.ts";
import type { Route } from "../http/route.ts";
import { networkRoutes, releaseRoutes } from "../network/network.ts";

/** What the console may do. */
export type ConsoleDeps =
  & Parameters<typeof changesRoutes>[0]
  & Parameters<typeof networkRoutes>[0];

/** Routes of the router's own console: for the day that the pages cannot be reached. */
export function consoleRoutes(deps: ConsoleDeps): Route[] {
  return [
    ...networkRoutes(deps),
    ...releaseRoutes(deps),
    // Who is root here may do anything: nothing more is asked of them.
    ...changesRoutes(deps),
  ];
}

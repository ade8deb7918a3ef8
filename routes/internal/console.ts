import { changesRoutes } from "../changes.ts";
import type { Route } from "../http/route.ts";
import { networkRoutes, releaseRoutes } from "../network/network.ts";

/** Dependencies of {@link consoleRoutes}. */
export type ConsoleDeps =
  & Parameters<typeof changesRoutes>[0]
  & Parameters<typeof networkRoutes>[0];

/** Routes of the router's console, for when the UI is unreachable. */
export function consoleRoutes(deps: ConsoleDeps): Route[] {
  return [
    ...networkRoutes(deps),
    ...releaseRoutes(deps),
    // Only root may open this socket: no further authorization.
    ...changesRoutes(deps),
  ];
}

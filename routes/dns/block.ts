import { blockListRoutes, blockStateRoutes } from "./block_lists.ts";
import type { DnsBlockRouteDeps } from "./block_deps.ts";
import { blockSettingRoutes } from "./block_settings.ts";
import { overrideRoutes } from "./overrides.ts";
import type { Route } from "../http/route.ts";

export type { DnsBlockRouteDeps } from "./block_deps.ts";

/** Block lists, overrides and their state. */
export function dnsBlockRoutes(deps: DnsBlockRouteDeps): Route[] {
  return [
    ...blockSettingRoutes(deps),
    ...blockListRoutes(deps),
    ...overrideRoutes(deps),
    ...blockStateRoutes(deps),
  ];
}

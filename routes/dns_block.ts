import { blockListRoutes, blockStateRoutes } from "./dns/block_lists.ts";
import type { DnsBlockRouteDeps } from "./dns/block_deps.ts";
import { blockSettingRoutes } from "./dns/block_settings.ts";
import { overrideRoutes } from "./dns/overrides.ts";
import type { Route } from "./http/route.ts";

export type { DnsBlockRouteDeps } from "./dns/block_deps.ts";

/** Block lists, overrides and what the resolver knows of them. */
export function dnsBlockRoutes(deps: DnsBlockRouteDeps): Route[] {
  return [
    ...blockSettingRoutes(deps),
    ...blockListRoutes(deps),
    ...overrideRoutes(deps),
    ...blockStateRoutes(deps),
  ];
}

import type { FirewallDeps } from "./firewall/deps.ts";
import { firewallConfigRoutes } from "./firewall/config.ts";
import { firewallCounterRoutes } from "./firewall/counters.ts";
import { customInterfaceRoutes } from "./firewall/custom_interface.ts";
import { geoBlockRoutes } from "./firewall/geo_block.ts";
import { firewallLintRoutes } from "./firewall/lint.ts";
import { packetLogRoutes } from "./firewall/packet_log.ts";
import { firewallPortRoutes } from "./firewall/ports.ts";
import { firewallRuleRoutes } from "./firewall/rules.ts";
import type { Route } from "./http/route.ts";

export type { FirewallDeps } from "./firewall/deps.ts";

/** Every route of the firewall's rules. */
export function firewallRoutes(deps: FirewallDeps): Route[] {
  return [
    ...firewallConfigRoutes(deps),
    ...firewallCounterRoutes(deps),
    ...firewallLintRoutes(deps),
    ...firewallRuleRoutes(),
    ...firewallPortRoutes(),
    ...packetLogRoutes(deps),
    ...customInterfaceRoutes(),
    ...geoBlockRoutes(deps),
  ];
}

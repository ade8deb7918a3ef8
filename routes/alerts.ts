import { alertChannelRoutes, type AlertChannelsDeps } from "./alerts/channels.ts";
import { alertRuleRoutes, type AlertRulesDeps } from "./alerts/rules.ts";
import type { Route } from "./http/route.ts";

/** Rules of alerts and the channels by which they are sent; paths with names come before `{index}`. */
export function alertsRoutes(deps: AlertRulesDeps & AlertChannelsDeps): Route[] {
  return [...alertChannelRoutes(deps), ...alertRuleRoutes(deps)];
}

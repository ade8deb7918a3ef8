import type { Route } from "./http/route.ts";
import type { WireguardDeps } from "./wireguard/deps.ts";
import { peerRoutes } from "./wireguard/peers.ts";
import { serverRoutes } from "./wireguard/server.ts";
import { siteRoutes } from "./wireguard/sites.ts";

/** The VPN: its tunnel, its peers, and sites. */
export function wireguardRoutes(deps: WireguardDeps): Route[] {
  return [...peerRoutes(deps), ...serverRoutes(deps), ...siteRoutes(deps)];
}

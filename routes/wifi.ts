import type { Route } from "./http/route.ts";
import { type HostapdDeps, hostapdRoutes } from "./wifi/hostapd.ts";
import { type AirDeps, airRoutes } from "./wifi/air.ts";
import { type GuestDeps, guestRoutes } from "./wifi/guests.ts";
import { iwRoutes } from "./wifi/iw.ts";
import { roamingRoutes } from "./wifi/roaming.ts";
import { radioRoutes } from "./wifi/radios.ts";

/** Every route of access points. */
export function wifiRoutes(deps: HostapdDeps & GuestDeps & AirDeps): Route[] {
  return [
    ...roamingRoutes(deps),
    ...guestRoutes(deps),
    ...airRoutes(deps),
    ...hostapdRoutes(deps),
    ...radioRoutes(deps),
    ...iwRoutes(deps),
  ];
}

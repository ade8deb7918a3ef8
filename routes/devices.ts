import type { DevicesDeps } from "./devices/deps.ts";
import { deviceRoutes } from "./devices/device.ts";
import { deviceListRoutes } from "./devices/devices.ts";
import type { Route } from "./http/route.ts";

export type { DevicesDeps } from "./devices/deps.ts";

/** Every route of the devices. */
export function devicesRoutes(deps: DevicesDeps): Route[] {
  return [...deviceListRoutes(deps), ...deviceRoutes(deps)];
}

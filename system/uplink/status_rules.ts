import type { UplinkPath } from "../core/kernel.ts";

/** Why an uplink leads nowhere, in words for people; "" where it leads somewhere. */
export function reasonOf(path: UplinkPath | undefined, dead: boolean): string {
  if (path === undefined) return "the link is not there";
  if (!path.running) return "no cable is plugged in";
  if (path.address === null) return "it has no address";
  if (!path.leads) return "it has no gateway";
  return dead ? "nothing comes back" : "";
}

import type { UplinkPath } from "../core/kernel.ts";
import type { WanConfig } from "./schema.ts";

/** Why an uplink leads nowhere, in words for people; "" where it leads somewhere. */
export function reasonOf(path: UplinkPath | undefined, dead: boolean): string {
  if (path === undefined) return "the link is not there";
  if (!path.running) return "no cable is plugged in";
  if (path.address === null) return "it has no address";
  if (!path.leads) return "it has no gateway";
  return dead ? "nothing comes back" : "";
}

/** Names of the uplinks that new connections from home are given to. */
export function activeUplinks(
  paths: readonly UplinkPath[],
  { Balance }: Pick<WanConfig, "Balance">,
): ReadonlySet<string> {
  const leading = paths.filter(({ leads }) => leads);
  const living = leading.filter(({ alive }) => alive);
  const chosen = living.length > 0 ? living : leading;
  return new Set((Balance === "off" ? chosen.slice(0, 1) : chosen).map(({ name }) => name));
}

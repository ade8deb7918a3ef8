import type { UplinkPath } from "../../core/kernel/host.ts";

/** What is known of an uplink beside its path. */
export interface UplinkState {
  /** The link of its name is there, whatever an access account makes of it. */
  readonly isThere: boolean;
  /** Nothing comes back. */
  readonly isDead: boolean;
}

/** Why an uplink leads nowhere, in words for people; "" where it leads somewhere. */
export function reasonOf(path: UplinkPath | undefined, { isThere, isDead }: UplinkState): string {
  // Only an account's path is on another link than the one of its name.
  if (path === undefined) {
    return isThere ? "its account is not connected" : "the link is not there";
  }
  if (!path.running) return "no cable is plugged in";
  if (path.address === null) return "it has no address";
  if (!path.leads) return "it has no gateway";
  return isDead ? "nothing comes back" : "";
}

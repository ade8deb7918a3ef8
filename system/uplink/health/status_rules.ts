import type { UplinkPath } from "../../core/kernel/host.ts";

/** State of an uplink beside its path. */
export interface UplinkState {
  /** The interface itself is present, whatever its PPPoE account does. */
  readonly isThere: boolean;
  /** Health checks get no reply. */
  readonly isDead: boolean;
}

/** Why an uplink is down, as shown to people; "" while it is up. */
export function reasonOf(path: UplinkPath | undefined, { isThere, isDead }: UplinkState): string {
  // Only an account's path is on another link than the one of its name.
  if (path === undefined) {
    return isThere ? "PPPoE is not connected" : "the interface is missing";
  }
  if (!path.running) return "no cable is connected";
  if (path.address === null) return "it has no IP address";
  if (!path.leads) return "it has no gateway";
  return isDead ? "health checks get no reply" : "";
}

import type { UplinkPath } from "../../core/kernel/desired.ts";

/** State of an uplink beside its path. */
export interface UplinkState {
  /** The interface itself is present, whatever its PPPoE account does. */
  readonly isPresent: boolean;
  /** Health checks get no reply. */
  readonly isDown: boolean;
}

/** Why an uplink is down, as shown in the UI; "" while it is up. */
export function downReason(
  path: UplinkPath | undefined,
  { isPresent, isDown }: UplinkState,
): string {
  // Only a PPPoE path uses another interface than its own.
  if (path === undefined) {
    return isPresent ? "PPPoE is not connected" : "the interface is missing";
  }
  if (!path.running) return "no cable is connected";
  if (path.address === null) return "it has no IP address";
  if (!path.hasGateway) return "it has no gateway";
  return isDown ? "health checks get no reply" : "";
}

import { conflict } from "../core/errors/problem.ts";
import { kindOf } from "./identity.ts";
import type { Devices } from "./schema.ts";

/** Most passwords that may wait for a device at the same time. */
const MAX_PENDING = 64;

/** Identities of the devices to come, oldest name first. */
export function pendingIdentities(devices: Devices): readonly string[] {
  return Object.keys(devices).filter((identity) => kindOf(identity) === "pending")
    .sort((a, b) => number(a) - number(b));
}

/**
 * Where a device to come is kept: the entry that waits with this very password, else the lowest free
 * of `pending`, `pending-2`, …. Throws Problem 409 when too many wait.
 */
export function pendingSlot(devices: Devices, psk: string | undefined): string {
  const waiting = pendingIdentities(devices);
  if (psk !== undefined && psk !== "") {
    const same = waiting.find((identity) => devices[identity]!.PSKEntry.Psk === psk);
    if (same !== undefined) return same;
  }
  if (waiting.length >= MAX_PENDING) {
    throw conflict(`${MAX_PENDING} passwords wait for a device already; delete some first`);
  }
  const taken = new Set(waiting);
  for (let n = 1;; n++) {
    const identity = n === 1 ? "pending" : `pending-${n}`;
    if (!taken.has(identity)) return identity;
  }
}

function number(identity: string): number {
  return identity === "pending" ? 1 : Number(identity.slice("pending-".length));
}

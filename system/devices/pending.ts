import { conflict, sentence } from "../core/errors/problem.ts";
import { kindOf } from "./identity.ts";
import { type Device, type Devices, MASK } from "./schema.ts";
import type { DeviceUpdate } from "./wire.ts";

/** Most passwords that may wait for a device at the same time. */
const MAX_PENDING = 64;

/** Identities of the devices to come, oldest name first. */
export function pendingIdentities(devices: Devices): readonly string[] {
  return Object.keys(devices).filter((identity) => kindOf(identity) === "pending")
    .sort((a, b) => number(a) - number(b));
}

/** Throws Problem 409 when as many passwords wait as may. */
export function requirePendingRoom(devices: Devices): void {
  if (pendingIdentities(devices).length < MAX_PENDING) return;
  throw conflict(
    sentence("{limit} passwords wait for a device already; delete some first", {
      limit: MAX_PENDING,
    }),
  );
}

/**
 * True for a new password under another name: it is for another device than the one that waits, which
 * must not inherit the groups and policies of that one.
 */
export function isAnotherPending(
  identity: string,
  waiting: Device,
  { Name, PSKEntry }: DeviceUpdate,
): boolean {
  if (kindOf(identity) !== "pending") return false;
  if (!Name || Name === waiting.Name || PSKEntry === undefined) return false;
  const { Type = "", Psk = "" } = PSKEntry;
  // Not compared with the one that waits: what becomes of its groups would tell whether they are equal.
  return Psk === "" ? Type !== "" : Psk !== MASK;
}

function number(identity: string): number {
  return identity === "pending" ? 1 : Number(identity.slice("pending-".length));
}

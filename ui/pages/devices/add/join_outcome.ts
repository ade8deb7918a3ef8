import type { Devices } from "../../../wire.ts";

/** A password that was created here and has not been used yet. */
export interface PendingPassword {
  /** `pending`, `pending-2`, …. */
  readonly identity: string;
  readonly name: string;
  /** WPA3 is `sae`, WPA2 `wpa2`. */
  readonly type: string;
  readonly password: string;
  /** Identities that there were when it was made. */
  readonly before: ReadonlySet<string>;
}

/** True for a password that no device has used yet. */
export function isPending(identity: string): boolean {
  return /^pending(-\d+)?$/.test(identity);
}

/** The first of `pending`, `pending-2`, … that no other password waits under. */
export function freePending(devices: Devices): string {
  for (let n = 1;; n++) {
    const identity = n === 1 ? "pending" : `pending-${n}`;
    if (!Object.hasOwn(devices, identity)) return identity;
  }
}

/**
 * What became of it: it waits still, a device joined with it, or it is gone. A device that joins takes
 * the name along and gets an identity of its own.
 */
export function joinOutcome(
  waiting: PendingPassword,
  devices: Devices,
): { readonly state: "waits" | "gone" } | { readonly state: "joined"; readonly identity: string } {
  if (Object.hasOwn(devices, waiting.identity)) return { state: "waits" };
  const fresh = Object.keys(devices)
    .filter((identity) => !waiting.before.has(identity) && !isPending(identity));
  const named = fresh.find((identity) => devices[identity]?.Name === waiting.name);
  const joined = named ??
    Object.keys(devices).find((identity) =>
      !isPending(identity) && waiting.name !== "" && devices[identity]?.Name === waiting.name &&
      devices[identity]?.PSKEntry.Type !== ""
    );
  return joined === undefined ? { state: "gone" } : { state: "joined", identity: joined };
}

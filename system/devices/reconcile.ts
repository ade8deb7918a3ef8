import { kindOf } from "./identity.ts";
import type { Device, Devices } from "./schema.ts";

/**
 * Makes devices of different times fit together, as after an undo: an address or a VPN key belongs to
 * one device, and who has it today keeps it. A device that comes back without its address asks for
 * another; one that goes by a key that is another's today stays away.
 */
export function reconcileDevices(next: Devices, today: Devices): Devices {
  const back = Object.keys(next).filter((identity) => next[identity] !== today[identity]);
  if (back.length === 0) return next;
  const kept: Record<string, Device> = { ...next };
  for (const identity of back) {
    const device = kept[identity]!;
    const taken = (field: "RecentIP" | "WGPubKey"): boolean =>
      device[field] !== "" && device[field] !== today[identity]?.[field] &&
      Object.entries(kept).some(([other, { [field]: value }]) =>
        other !== identity && value === device[field] && today[other]?.[field] === value
      );
    const address = taken("RecentIP") ? { RecentIP: "" } : {};
    if (!taken("WGPubKey")) kept[identity] = { ...device, ...address };
    else if (kindOf(identity) === "key") delete kept[identity];
    else kept[identity] = { ...device, ...address, WGPubKey: "" };
  }
  return kept;
}
